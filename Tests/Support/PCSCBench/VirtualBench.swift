import Glibc
import OtherPrograms
import PCSCTransport
package import Testing
package import Transport

/// The private pcscd and virtual reader that `Hardware/VirtualBench/with-pcscd` sets up around a test run.
package enum VirtualBench {
    package static let isHere = environment("COUNTERSIGN_PCSC_BENCH") == "1"
    package static let absence: Comment = "no bench: run Hardware/VirtualBench/with-pcscd swift test …"

    /// Whether its pcscd asks polkit who may use readers, as Debian 13's does.
    package static let asksPolkit = isHere && environment("COUNTERSIGN_PCSC_BENCH_POLKIT") == "1"
    package static let polkitAbsence: Comment =
        "no pcscd with polkit: run Hardware/VirtualBench/with-pcscd --suite trixie swift test … as root"
    /// The user whom the bench's polkit knows as the service's: `countersign`.
    package static let allowedUser: UInt32 = 992

    package static let first = "Virtual PCD 00 00"
    package static let second = "Virtual PCD 00 01"

    package static func address(of reader: String) throws -> SocketAddress {
        try SocketAddress(host: "127.0.0.1", port: VirtualCard.defaultPort + (reader == second ? 1 : 0))
    }

    /// Runs `pcscd-control` and waits for it; it bounds its own waits.
    package static func pcscd(_ action: String) async throws {
        let script = try #require(environment("COUNTERSIGN_PCSCD_CONTROL"))
        let status = try await offThisThread {
            try ChildProcess([script, action], output: .inherited, errors: .inherited).waitForEnd()
        }
        try #require(status == 0, "pcscd-control \(action)")
    }

    static func environment(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }
}
