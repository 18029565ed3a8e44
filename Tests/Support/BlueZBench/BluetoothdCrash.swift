internal import Synchronization
package import Testing
internal import Transport

/// bluetoothd as it was before a phone came that may crash it: versions before 5.84 may end when a peripheral leaves while
/// it is being subscribed to (bluez/bluez#1383).
package struct BluetoothdCrash: Sendable {
    private let process: String
    private let crashes: Int

    /// How many crashes were accepted in this run of the tests.
    private static let accepted = Mutex(0)

    package init() async throws {
        process = try await AirBench.bluetoothdProcess()
        crashes = try await AirBench.bluetoothdCrashes()
    }

    /// Whether a presentation that came to `summary` ended because bluetoothd crashed.
    ///
    /// A presentation that lost bluetoothd without a logged crash and a new process fails the test, and so does the
    /// third crash of a run.
    package func explains(
        _ summary: String, _ location: SourceLocation = #_sourceLocation
    ) async throws -> Bool {
        guard [RadioFaultID.daemonLost, .daemonNotRunning].map(\.rawValue).contains(summary) else {
            return false
        }
        try await AirBench.control(.start)
        let (now, logged) = (try await AirBench.bluetoothdProcess(), try await AirBench.bluetoothdCrashes())
        try #require(
            now != process && logged > crashes,
            "\(summary) without a crash: bluetoothd was \(process), is \(now); \(logged) crashes logged, \(crashes) before",
            sourceLocation: location)
        let number = Self.accepted.withLock { number in
            number += 1
            return number
        }
        try #require(number <= 2, "bluetoothd crashed \(number) times in this run", sourceLocation: location)
        return true
    }
}
