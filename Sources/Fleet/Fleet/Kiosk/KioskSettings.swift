package import MdocModel

/// The settings of the section `fleet` in a kiosk's own file, with the intervals of its tasks.
package struct KioskSettings: Sendable {
    package let membership: FleetMembership
    /// The addresses of the hubs, each `https://host[:port]`. All hubs belong to the same fleet chain.
    package let hubs: [String]
    /// The PEM file with the roots of the hubs' and the broker's certificates.
    package let authority: String
    /// The fleet keys, in order of precedence.
    package let keys: [FleetKey]
    /// The file with the one-time code for the enrolment, or `nil` if the settings name none. An enrolled
    /// kiosk needs no code.
    package let codeFile: String?
    /// The folder of the daemon's store. Files of the fleet are in its subfolder `fleet`.
    package let store: String
    /// The version of the kiosk's program. The kiosk sends it to the hub in reports and presence messages.
    package let software: String
    /// The average time between two requests to the hub, if no change notice arrives in between.
    package var pollInterval = Duration.seconds(300)
    /// The average time between two checks for new receipts.
    package var receiptInterval = Duration.seconds(2)
    /// The time between two checks of the lanes, which limits how often a lane with an unstable connection is
    /// reported.
    package var healthInterval = Duration.seconds(30)
    /// The average pauses after the first, second and further failures in a row. The last value applies to
    /// all later failures. The actual pause is random, between 0.5 and 1.5 times the average.
    package var pauses: [Duration] = [1, 2, 5, 15, 30, 60].map { .seconds($0) }
    /// Returns the current time of the computer's clock.
    package let now: @Sendable () -> Timestamp
    /// Returns the time of a monotonic clock, which measures the waiting times.
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
    /// Returns the pause after a number of failures in a row. The pause grows with the number, and is random
    /// so that kiosks do not try at the same time.
    func pause(after attempt: Int) -> Duration {
        pauses[min(attempt, pauses.count - 1)] * Double.random(in: 0.5...1.5)
    }

    /// The time until the next regular request to the hub: the poll interval, changed at random by up to 20
    /// %.
    var pollPause: Duration { pollInterval * Double.random(in: 0.8...1.2) }
}

/// Suspends the task for a time. Returns `false` if the task is cancelled.
func rest(for time: Duration) async -> Bool {
    do {
        try await Task.sleep(for: time)
        return true
    } catch {
        return false
    }
}
