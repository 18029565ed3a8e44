import Testing
package import Transport

/// The phone on the virtual air: a host stack of others that carries bytes between the radio and a wallet.
package struct AirPhone: Sendable {
    package enum Mode: String, Sendable, CaseIterable {
        /// mdoc central client mode: it connects to the reader.
        case central
        /// mdoc peripheral server mode: the reader connects to it.
        case peripheral
    }

    /// What a connection ends with that the phone dropped before its services were found; which of them depends on what
    /// bluetoothd tells first.
    package static let droppedConnection: Set<ConnectionFaultID> = [
        .phoneLeft, .servicesUnresolved, .refused, .aborted,
    ]

    private let process: BenchProcess

    /// A phone with the wallet that listens on this port of the bench link.
    package init(_ mode: Mode, wallet port: UInt16, _ options: [String] = []) throws {
        let program = try #require(AirBench.environment("COUNTERSIGN_BENCH_PHONE"))
        process = try BenchProcess(
            [
                program, "--mode", mode.rawValue, "--wallet", "127.0.0.1:\(port)", "--uuid", "from-greeting",
                "--ident", "from-greeting",
            ] + options)
    }

    /// A phone that plays a fault without a wallet, at the service with this UUID.
    package init(_ mode: Mode, uuid: String, _ options: [String]) throws {
        let program = try #require(AirBench.environment("COUNTERSIGN_BENCH_PHONE"))
        process = try BenchProcess(
            [program, "--mode", mode.rawValue, "--raw-echo", "0", "--uuid", uuid] + options)
    }

    /// Loads the phone's host stack, which takes long, so that every phone comes quickly.
    package static func prepare() async throws {
        let program = try #require(AirBench.environment("COUNTERSIGN_BENCH_PHONE"))
        try await BenchProcess([program, "--prepare"]).end(within: .seconds(300))
    }

    package var lines: [String] { process.lines }

    /// Its first line with this word.
    @discardableResult
    package func said(_ word: String, within limit: Duration = .seconds(300)) async throws -> String {
        try await process.line(word, within: limit)
    }

    /// What it said of a name in its first line with this word.
    package func fact(_ name: String, of word: String) -> String? {
        lines.first { $0.hasPrefix(word + " ") }?.split(separator: " ").first { $0.hasPrefix(name + "=") }
            .map { String($0.dropFirst(name.count + 1)) }
    }

    /// Its exit status: 0 after a session that went to its end.
    @discardableResult
    package func end(within limit: Duration = .seconds(120)) async throws -> Int32 {
        try await process.end(within: limit)
    }

    package func leave() async { await process.leave() }
}
