internal import Logging
internal import MdocModel
internal import PKIX

/// The hub as an enrolled kiosk asks it: with a certificate that is not about to run out.
actor EnrolledHub {
    private static let renewalInterval = Duration.seconds(60)

    private let settings: KioskSettings
    private let folder: FleetFolder
    private let log: Logger
    private var client: HubClient?
    /// Before this no further renewal is tried.
    private var nextRenewal: ContinuousClock.Instant
    private var preparing: Task<Result<HubClient, HubError>, Never>?

    init(_ settings: KioskSettings, as folder: FleetFolder, log: Logger) {
        self.settings = settings
        self.folder = folder
        self.log = log
        nextRenewal = settings.instant()
    }

    /// A client whose certificate holds. One caller at a time has it renewed: a code is spent once.
    func enrolledClient() async throws(HubError) -> HubClient {
        let task =
            preparing
            ?? Task {
                let result = await self.prepareClient()
                self.preparing = nil
                return result
            }
        preparing = task
        return try await task.value.get()
    }

    func end() async { await client?.end() }

    private func prepareClient() async -> Result<HubClient, HubError> {
        do throws(HubError) {
            let isNew = try await renew()
            if let client, !isNew { return .success(client) }
            let renewed = try HubClient(settings.hubs, authority: settings.authority, as: folder)
            await client?.end()
            client = renewed
            return .success(renewed)
        } catch {
            return .failure(error)
        }
    }

    /// Whether there is another certificate now. One that holds is used on where the hub gives no other.
    private func renew() async throws(HubError) -> Bool {
        // A new one is not renewed at once where this computer's clock says that it has run out: the hub goes by its own clock.
        if settings.instant() < nextRenewal { return false }
        let certificate = try? folder.certificate()
        let isValid = certificate.map { $0.notAfter > settings.now().secondsSince1970 } ?? false
        do throws(HubError) {
            let isNew = try await KioskEnrolment(settings, in: folder, log: log).renew()
            // Near the end of its authority a new certificate would be renewed at once again.
            if isNew { nextRenewal = settings.instant() + Self.renewalInterval }
            return isNew
        } catch {
            guard isValid, !error.isRevocation else { throw error }
            nextRenewal = settings.instant() + Self.renewalInterval
            log.warning("the certificate is not renewed", metadata: ["why": "\(error.explanation)"])
            return false
        }
    }
}
