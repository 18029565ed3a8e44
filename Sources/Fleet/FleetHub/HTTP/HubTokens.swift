internal import ErrorMapping
package import Fleet
internal import HTTPServing
internal import HTTPTypes
internal import Hummingbird
internal import JSON
internal import Logging
internal import MdocModel
internal import ReaderStore
package import ReaderTokens

/// The server for reader tokens in each hub of a fleet chain. A reader token is a signed text which states
/// that a reader may make requests in a brand's name. A grant permits a kiosk, or the kiosks of a site or
/// group, to ask for a brand's tokens for certain readers. All hubs share one count of the requests.
package struct HubTokens: Sendable {
    /// The maximum size of a request, in bytes.
    static let largestRequest = 1 << 12

    private let folder: BrandFolder
    private let server: TokenServer<HubTokenCounts>

    /// - Parameters:
    ///   - folder: The folder with the brands whose keys verify the tokens.
    ///   - grants: The grants. Each grant identifies its kiosk, site or group by the text that `caller(_:_:)`
    ///     returns.
    ///   - signers: The keys that sign tokens, one for each brand.
    package init(
        _ folder: BrandFolder, grants: [TokenGrant], signers: [ReaderTokenSigner], _ database: HubDatabase
    ) {
        self.folder = folder
        server = TokenServer(
            audience: ReaderToken.defaultAudience, counting: database.tokens, grants: grants,
            from: .keys(signers))
    }

    /// Returns the name of a kiosk, site or group in the form in which grants contain it. For a site or
    /// group, the result contains a colon, which no kiosk's name contains.
    package static func caller(_ level: FleetLevel, _ name: FleetName) -> String {
        level == .kiosk ? name.text : "\(level.rawValue):\(name)"
    }

    /// Answers the token request of a kiosk that was identified by its certificate.
    func respond(
        to body: [UInt8], of kiosk: KioskRecord, audit log: Logger, at now: Timestamp
    ) async throws(HubProblem) -> Response {
        let request = try Self.request(body, of: kiosk)
        let brands = try brands(log)
        let (response, audit) = try await HubProblem.asking { () throws(PostgreSQLError) in
            try await server.respond(to: request, believing: brands, at: now)
        }
        log.notice("reader token", metadata: audit.fields.mapValues { "\($0)" })
        switch response {
        case .refused(let refusal): throw HubProblem(refusal)
        case .granted(let token, let expires):
            var response = Response.json(["token": .string(token), "expires": .string("\(expires)")])
            response.status = .created
            return response
        }
    }

    /// Parses a token request, and adds the kiosk's site and group to it. A grant can be for a site or group.
    private static func request(_ body: [UInt8], of kiosk: KioskRecord) throws(HubProblem) -> TokenRequest {
        let groups = [kiosk.site.map { caller(.site, $0) }, kiosk.group.map { caller(.group, $0) }]
        return try mapping(
            TokenRequest(
                JSONText(body[...]), by: caller(.kiosk, kiosk.name), in: Set(groups.compactMap { $0 })),
            \JSONFault.problem)
    }

    /// Reads the brands again for each request, so that a key which was revoked in the meantime signs no
    /// further token.
    private func brands(_ log: Logger) throws(HubProblem) -> BrandRegistry {
        do throws(BrandRegistryError) {
            return try folder.registry()
        } catch {
            log.error("the brands cannot be read", metadata: ["why": "\(error.explanation)"])
            throw HubProblem(
                .brandUnavailable, status: 503, "the hub cannot read its brands: see the hub's log")
        }
    }
}

extension HubProblem {
    /// Converts a refusal of the token server into the problem that the hub sends.
    fileprivate init(_ refusal: TokenRefusal) {
        switch refusal {
        case .notAllowed: self = .readerTokenNotGranted
        case .tooMany(let seconds):
            self.init(
                .tooManyReaderTokens, status: 429, TokenLimit.explanation(retryAfter: seconds),
                retryAfter: seconds)
        case .brandUnavailable(let error):
            self.init(.brandUnavailable, status: 503, "\(error.id): \(error.explanation)")
        }
    }
}
