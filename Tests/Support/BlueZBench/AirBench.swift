import Glibc
package import Testing

/// The guest with a virtual air and a real bluetoothd that `Hardware/VirtualBench/with-bluez` sets up around a test run.
package enum AirBench {
    package static let isHere = environment("COUNTERSIGN_BLUEZ_BENCH") == "1"
    package static let absence: Comment =
        "no bench: run Hardware/VirtualBench/with-bluez .build/debug/….xctest --testing-library swift-testing"

    /// The folder for what shall remain of the run.
    package static var log: String { environment("COUNTERSIGN_BLUEZ_BENCH_LOG") ?? "/tmp" }

    /// How often the tests that look for leaks present.
    package static let repetitions = environment("COUNTERSIGN_AIR_REPETITIONS").flatMap { Int($0) } ?? 100

    /// What `bluezd-control` can do.
    package enum Action: String, Sendable {
        case start, kill, restart, hang, resume
        case adapterOut = "adapter-out"
        case adapterIn = "adapter-in"
        case adapterInDual = "adapter-in-dual"
        case busKill = "bus-kill"
        case busStart = "bus-start"
        case traceStop = "trace-stop"
        /// The adapter's power, through bluetoothd.
        case off, on
    }

    /// Runs `bluezd-control` and waits for it; it bounds its own waits.
    package static func control(_ action: Action) async throws {
        switch action {
        case .off, .on:
            try await AirObjects.ask(
                "org.bluez", "/org/bluez/hci0", "org.freedesktop.DBus.Properties.Set",
                ["string:org.bluez.Adapter1", "string:Powered", "variant:boolean:\(action == .on)"])
        default: try await control([action.rawValue])
        }
    }

    /// Records what goes over the adapter while `body` runs.
    package static func tracing(_ name: String, _ body: () async throws -> Void) async throws -> AirTrace {
        let file = "\(log)/\(name).btsnoop"
        try await control(["trace-start", file])
        let result: Result<Void, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        try await control(.traceStop)
        try result.get()
        return try AirTrace(file: file)
    }

    /// What the program says of itself, as in "5.66".
    package static func bluetoothdVersion() async throws -> String {
        try #require(try await control(["version"]).first)
    }

    static func bluetoothdProcess() async throws -> String {
        try #require(try await control(["pid"]).first)
    }

    /// How often bluetoothd has crashed since the bench began, by `bluezd-control`'s log.
    static func bluetoothdCrashes() async throws -> Int {
        try #require(Int(try await control(["crashes"]).first ?? ""))
    }

    @discardableResult
    private static func control(_ words: [String]) async throws -> [String] {
        let script = try #require(environment("COUNTERSIGN_BLUEZD_CONTROL"))
        let process = try BenchProcess([script] + words)
        let status = try await process.end(within: .seconds(300))
        try #require(status == 0, "bluezd-control \(words): \(process.lines)")
        return process.lines
    }

    static func environment(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }
}
