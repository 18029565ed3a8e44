internal import ErrorMapping
internal import JSON

/// Reader tokens that the hub makes for this kiosk.
package struct KioskTokens: Sendable {
    private static let longestToken = 4096

    private let settings: KioskSettings
    private let folder: FleetFolder
    private let revoked: @Sendable () -> Void

    /// - Parameter revoked: is called where the hub refuses a token since this kiosk is revoked.
    package init(
        _ settings: KioskSettings, _ folder: FleetFolder, revoked: @escaping @Sendable () -> Void = {}
    ) {
        self.settings = settings
        self.folder = folder
        self.revoked = revoked
    }

    /// A token of a brand for one reader, asked for with the certificate that the kiosk has now.
    package func token(brand: String, instance: String) async throws(HubError) -> String {
        let request: JSONValue = ["brand": .string(brand), "instance": .string(instance)]
        let hub = try HubClient(settings.hubs, authority: settings.authority, as: folder)
        let answer: Result<[UInt8], HubError>
        do throws(HubError) {
            answer = .success(
                try await hub.post("/fleet/v1/reader-tokens", request.utf8, type: "application/json"))
        } catch {
            if error.isRevocation { revoked() }
            answer = .failure(error)
        }
        await hub.end()
        let body = try answer.get()
        return try mapping(
            JSONText(body[...]).members().required("token").string(upTo: Self.longestToken)
        ) { (_: JSONFault) in HubError.malformed }
    }
}
