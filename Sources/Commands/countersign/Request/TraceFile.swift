internal import CommandLineInterface
internal import MdocModel
internal import Reports
internal import Synchronization
internal import SystemPackage
internal import Transport

/// Every APDU or frame of one transaction with the milliseconds since its start: `12.345 > 00a404…`.
///
/// The file can identify the phone and its holder; it is made readable by its owner alone.
final class TraceFile: Sendable {
    private let file: FileDescriptor
    private let start = ContinuousClock.now

    init(_ path: String) throws(CommandFailure) {
        file = try OutputFile.open(path)
    }

    deinit {
        try? file.close()
    }

    enum Direction: String {
        case sent = ">"
        case received = "<"
    }

    func write(_ direction: Direction, _ bytes: ArraySlice<UInt8>) {
        let time = String(start.duration(to: .now).milliseconds)
        _ = try? file.writeAll("\(time) \(direction.rawValue) \(bytes.hexadecimal)\n".utf8)
    }
}

struct TracedReader: ContactlessReader {
    let reader: any ContactlessReader
    let trace: TraceFile

    func beginPresentation() async {
        await reader.beginPresentation()
    }

    func nextCard(again pause: Duration?) async throws(ContactlessError) -> any ContactlessCard {
        TracedCard(card: try await reader.nextCard(again: pause), trace: trace)
    }
}

private struct TracedCard: ContactlessCard {
    let card: any ContactlessCard
    let trace: TraceFile

    var limits: ContactlessLimits { card.limits }
    var stay: Int { card.stay }

    func exchange(_ command: ArraySlice<UInt8>) async throws(ContactlessError) -> [UInt8] {
        trace.write(.sent, command)
        let response = try await card.exchange(command)
        trace.write(.received, response[...])
        return response
    }

    func release() async {
        await card.release()
    }
}

/// A bench link whose frames are traced.
struct TracedChannel: MessageChannel {
    let channel: any MessageChannel
    let trace: TraceFile

    func send(_ message: ArraySlice<UInt8>) async throws(TransportError) {
        trace.write(.sent, message)
        try await channel.send(message)
    }

    func receive() async throws(TransportError) -> [UInt8] {
        let message = try await channel.receive()
        trace.write(.received, message[...])
        return message
    }

    func close() async {
        await channel.close()
    }
}
