internal import Logging
internal import MdocModel
internal import PKIX

/// The hub client of an enrolled kiosk. Enrols the kiosk at the first use, and renews its certificate before
/// it expires.
///
/// The agent, the receipt pusher and the broker follower share one object, so that only one of them at a time
/// enrols or renews: a code can be spent only once.
actor EnrolledHub {
    /// The minimum time between two renewals.
    private static let renewalInterval = Duration.seconds(60)

    private let settings: KioskSettings
    private let folder: FleetFolder
    private let log: Logger
    private var client: HubClient?
    /// The earliest time of the next renewal.
    private var nextRenewal: ContinuousClock.Instant
    private var preparing: Task<Result<HubClient, HubError>, Never>?

    init(_ settings: KioskSettings, as folder: FleetFolder, log: Logger) {
        self.settings = settings
        self.folder = folder
        self.log = log
        nextRenewal = settings.instant()
    }

    /// Returns a client with a valid certificate. Concurrent callers wait for the same enrolment or renewal.
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

    /// Renews the certificate if it is due. Returns whether the certificate has changed. If the hub gives no
    /// new certificate, a valid one is used further.
    private func renew() async throws(HubError) -> Bool {
        // A renewed certificate can look expired if this computer's clock is wrong, since the hub uses its
        // own clock. It is not renewed again within a minute.
        if settings.instant() < nextRenewal { return false }
        let certificate = try? folder.certificate()
        let isValid = certificate.map { $0.notAfter > settings.now().secondsSince1970 } ?? false
        do throws(HubError) {
            let isNew = try await KioskEnrolment(settings, in: folder, log: log).renew()
            // Near the authority's expiry, a new certificate is always due for renewal: it cannot be valid
            // for longer than the authority.
            if isNew { nextRenewal = settings.instant() + Self.renewalInterval }
            return isNew
        } catch {
            guard isValid, !error.isRevocation else { throw error }
            nextRenewal = settings.instant() + Self.renewalInterval
            log.warning(
                "the certificate was not renewed; the present one stays in use",
                metadata: ["why": "\(error.explanation)"])
            return false
        }
    }
}
