import Glibc
import PCSCTransport
package import Testing
package import Transport

/// The private pcscd and virtual reader that `Hardware/VirtualBench/with-pcscd` sets up around a test run.
package enum VirtualBench {
    package static let isHere = environment("COUNTERSIGN_PCSC_BENCH") == "1"
    package static let absence: Comment = "no bench: run Hardware/VirtualBench/with-pcscd swift test …"

    package static let first = "Virtual PCD 00 00"
    package static let second = "Virtual PCD 00 01"

    package static func address(of reader: String) throws -> SocketAddress {
        try SocketAddress(host: "127.0.0.1", port: VirtualCard.defaultPort + (reader == second ? 1 : 0))
    }

    /// Runs `pcscd-control` and waits for it; it bounds its own waits.
    package static func pcscd(_ action: String) async throws {
        let script = try #require(environment("COUNTERSIGN_PCSCD_CONTROL"))
        let status = await withCheckedContinuation { continuation in
            WorkerThread().perform { continuation.resume(returning: run(script, action)) }
        }
        try #require(status == 0, "pcscd-control \(action)")
    }

    private static func environment(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    private static func run(_ script: String, _ argument: String) -> Int32 {
        var process: pid_t = 0
        var status: Int32 = -1
        var arguments = unsafe [strdup(script), strdup(argument), nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        // The threads of this process block signals; pcscd, which inherits that, would not end on TERM.
        var attributes = posix_spawnattr_t()
        var noSignals = sigset_t()
        unsafe sigemptyset(&noSignals)
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        unsafe posix_spawnattr_setsigmask(&attributes, &noSignals)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        guard unsafe posix_spawn(&process, script, nil, &attributes, &arguments, environ) == 0 else {
            return -1
        }
        return unsafe waitpid(process, &status, 0) == process ? status : -1
    }
}
