internal import Logging
internal import MdocModel
internal import PKIX

/// The hub client of an enrolled kiosk. Enrols the kiosk at the first use, and renews its certificate before
/// it expires.
///
/// The agent, the receipt pusher and the broker follower share one object. This object makes one enrolment or
/// renewal at a time, because the hub accepts a one-time code only once.
actor EnrolledHub {
    /// The minimum time between two renewals.
    private static let renewalInterval = Duration.seconds(60)

    private let settings: KioskSettings
    private let folder: FleetFolder
    private let log: Logger
    private var client: HubClient?
    /// The earliest time of the next renewal.
    private var nextRenewal: ContinuousClock.Instant
    /// The enrolment or renewal in progress, for which later callers wait.
    private var preparing: Task<Result<HubClient, HubError>, Never>?

    init(_ settings: KioskSettings, as folder: FleetFolder, log: Logger) {
        self.settings = settings
        self.folder = folder
        self.log = log
        nextRenewal = settings.instant()
    }

    /// Returns a client with a valid certificate. Concurrent callers wait for the same enrolment or renewal.
    func enrolledClient() async throws(HubError) -> HubClient {
        // Later callers wait for this task while it runs. When the task ends, it sets `preparing` to `nil`.
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

    /// Renews the certificate if it is due, and makes a new client if the certificate has changed.
    private func prepareClient() async -> Result<HubClient, HubError> {
        do throws(HubError) {
            let isNew = try await renew()
            // A client always shows the certificate with which it was made.
            if let client, !isNew { return .success(client) }
            let renewed = try HubClient(settings.hubs, authority: settings.authority, as: folder)
            await client?.end()
            client = renewed
            return .success(renewed)
        } catch {
            return .failure(error)
        }
    }

    /// Obtains the certificate, or renews it if it is due. Returns `true` if the certificate has changed. If
    /// a renewal fails, the kiosk continues with its valid certificate.
    private func renew() async throws(HubError) -> Bool {
        // The hub dates certificates by its own clock. On a computer with a wrong clock, a renewed
        // certificate can look expired immediately. Without this limit, the certificate would be renewed with
        // every request.
        if settings.instant() < nextRenewal { return false }
        let certificate = try? folder.certificate()
        let isValid = certificate.map { $0.notAfter > settings.now().secondsSince1970 } ?? false
        do throws(HubError) {
            let isNew = try await KioskEnrolment(settings, in: folder, log: log).renew()
            // Near the expiry of the authority's certificate, even a new certificate is due for renewal,
            // because the new certificate cannot be valid for longer than the authority's certificate. The
            // limit keeps the kiosk from renewing the certificate with every request.
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
