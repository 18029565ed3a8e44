package import MdocModel

/// What a kiosk's own file says of its fleet.
package struct KioskSettings: Sendable {
    package let membership: FleetMembership
    /// `https://host[:port]`, each a way to the same hubs.
    package let hubs: [String]
    /// The file with the roots of the hubs' and the broker's certificates, PEM.
    package let authority: String
    /// In order of precedence.
    package let keys: [FleetKey]
    /// The file with the one-time code; nil if the kiosk is enrolled.
    package let codeFile: String?
    /// The folder of the daemon's store. What the fleet keeps is in `fleet` there.
    package let store: String
    package let software: String
    /// How often the hub is asked where no notice comes.
    package var pollInterval = Duration.seconds(300)
    /// How often somebody looks for new receipts.
    package var receiptInterval = Duration.seconds(2)
    /// How often lanes are looked at. One that comes and goes is not reported more often.
    package var healthInterval = Duration.seconds(30)
    /// From a failure to the next attempt, for each failure in a row, from half of it to one and a half of it.
    package var pauses: [Duration] = [1, 2, 5, 15, 30, 60].map { .seconds($0) }
    package let now: @Sendable () -> Timestamp
    /// A clock that nobody sets, by which the kiosk waits.
    package var instant: @Sendable () -> ContinuousClock.Instant = { .now }

    package init(
        _ membership: FleetMembership, hubs: [String], authority: String, keys: [FleetKey],
        codeFile: String?, store: String, software: String, now: @escaping @Sendable () -> Timestamp
    ) {
        self.membership = membership
        self.hubs = hubs
        self.authority = authority
        self.keys = keys
        self.codeFile = codeFile
        self.store = store
        self.software = software
        self.now = now
    }
}

extension KioskSettings {
    /// The time to the next attempt after so many failures: longer with each of them, and not alike for all kiosks.
    func pause(after attempt: Int) -> Duration {
        pauses[min(attempt, pauses.count - 1)] * Double.random(in: 0.5...1.5)
    }

    /// The time from one regular question to the next.
    var pollPause: Duration { pollInterval * Double.random(in: 0.8...1.2) }
}

/// Rests for a time. False if the task is cancelled.
func rest(for time: Duration) async -> Bool {
    do {
        try await Task.sleep(for: time)
        return true
    } catch {
        return false
    }
}
