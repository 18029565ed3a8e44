import Foundation
import PCSCTransport
import Testing
import Transport

/// The private pcscd and virtual reader that `Hardware/VirtualBench/with-pcscd` sets up around a test run.
enum VirtualBench {
    static let isHere = ProcessInfo.processInfo.environment["COUNTERSIGN_PCSC_BENCH"] == "1"
    static let absence: Comment = "no bench: run Hardware/VirtualBench/with-pcscd swift test …"

    static let first = "Virtual PCD 00 00"
    static let second = "Virtual PCD 00 01"

    static func port(of reader: String) -> UInt16 { reader == second ? 35964 : 35963 }

    /// Runs `pcscd-control` and waits for it; it bounds its own waits.
    static func pcscd(_ action: String) async throws {
        let script = try #require(ProcessInfo.processInfo.environment["COUNTERSIGN_PCSCD_CONTROL"])
        let process = Process()
        process.executableURL = URL(filePath: script)
        process.arguments = [action]
        process.standardInput = FileHandle.nullDevice
        let status: Int32 = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        try #require(status == 0, "pcscd-control \(action)")
    }

    /// A card on a reader that was empty, and the reader empty again afterwards.
    static func withCard<Value: Sendable>(
        on reader: String = first, answering: @escaping @Sendable (ArraySlice<UInt8>) -> CardAnswer,
        _ body: (VirtualCard) async throws -> Value
    ) async throws -> Value {
        let address = try SocketAddress(host: "127.0.0.1", port: port(of: reader))
        let card = VirtualCard(address: address, answering: answering)
        try await await_(.cardRemoved(reader: reader, counter: 0), on: reader)
        try await card.insert()
        do {
            let value = try await body(card)
            card.remove()
            try await Task.sleep(for: .seconds(1))
            return value
        } catch {
            card.remove()
            try await Task.sleep(for: .seconds(1))
            throw error
        }
    }

    private static func await_(_ event: ReaderEvent, on reader: String) async throws {}

    /// Connects to the card on a reader as soon as pcscd has noticed it.
    static func connect(_ service: PCSCService, to name: String = first) async throws -> PCSCCard {
        try await withDeadline("a card on \(name)") {
            for await event in service.events() {
                guard case .cardInserted(name, _) = event else { continue }
                return try await service.connect(to: try await service.describe(name))
            }
            throw Overdue(what: "events ended")
        }
    }
}

struct Overdue: Error {
    let what: String
}

/// Runs `body` with a bound: no test waits for ever.
func withDeadline<Value: Sendable>(
    _ what: String, _ limit: Duration = .seconds(10), _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: limit)
            throw Overdue(what: what)
        }
        defer { group.cancelAll() }
        guard let value = try await group.next() else { throw Overdue(what: what) }
        return value
    }
}
