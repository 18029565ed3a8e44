internal import ArgumentParser
internal import CommandLineInterface
internal import ErrorMapping
internal import FieldTrace
internal import JSON
internal import MdocModel
internal import PCSCTransport
internal import ReaderService
internal import Reports
internal import Synchronization
internal import SystemPackage
internal import Transport

/// The options that select the connection between `request` and the phone: a PC/SC reader, the phone's QR
/// code, or the bench link, which is a TCP connection to a software wallet.
struct SourceArguments: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp("The reader: a part of its name, or its USB id (072f:2200).", valueName: "name"))
    var reader: String?

    @Option(
        name: .customLong("reader-command"),
        help: ArgumentHelp(
            "While waiting for a phone, let the reader send Apple's polling frame (pollingFrame) or make no sound (quiet), if its model can. Repeatable.",
            valueName: "name"))
    var readerCommands: [ReaderWish] = []

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Connect to a software wallet over TCP (the bench link) instead of using a reader.",
            valueName: "tcp://host:port"))
    var connect: EndpointArgument?

    @Flag(name: .long, help: "Allow --connect to another computer. The bench link is meant for loopback.")
    var allowNonLoopback = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The text of the phone's QR code. With it, the session starts without a tap.",
            valueName: "mdoc:…"))
    var qr: String?

    @OptionGroup var retrieval: RetrievalArguments

    @Option(
        name: .long,
        help: ArgumentHelp("The time to wait for a phone, 1 to 3600.", valueName: "seconds"))
    var wait = 120

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Write every APDU or frame with its time to this file. The file can identify people: delete it soon.",
            valueName: "file"))
    var trace: String?

    func validate() throws {
        guard connect == nil || (reader == nil && qr == nil) else {
            throw ValidationError("Give either --connect, or --reader and --qr.")
        }
        guard (1...3600).contains(wait) else {
            throw ValidationError("--wait needs a number of seconds from 1 to 3600.")
        }
    }

    var deadlines: PresentationDeadlines {
        var deadlines = PresentationDeadlines()
        deadlines.engagement = .seconds(wait)
        return deadlines
    }

    /// Runs the transaction over the transport that the options select. A failure is returned and not thrown,
    /// because `interruptible` takes no closure that throws.
    func present(
        _ transaction: ReaderTransaction, _ fieldTrace: FieldTraceFile? = nil
    ) async -> Result<Presentation, CommandFailure> {
        do throws(CommandFailure) {
            let trace = try trace.map { path throws(CommandFailure) in try TraceFile(path) }
            if let connect {
                let channel = try await link(to: connect)
                let traced: any MessageChannel =
                    trace.map { TracedChannel(channel: channel, trace: $0) } ?? channel
                return .success(await transaction.run(over: traced))
            }
            let scanned = try qr.map { text throws(CommandFailure) in try Self.engagement(text) }
            let radio = await retrieval.radio(fieldTrace)
            // An unusable radio fails the command only if NFC cannot transfer the answer.
            if let radio, needsRadio(scanned) { try await Self.prepare(radio) }
            if let scanned, let radio, await isRetrievedByBluetooth(scanned, radio) {
                return .success(await transaction.run(scanned: scanned, radio: radio))
            }
            let field = try await field(trace, fieldTrace)
            guard let scanned else { return .success(await transaction.run(at: field, radio: radio)) }
            // The phone that showed the QR code answers over NFC, so the transaction needs no radio.
            return .success(await transaction.run(at: field, scanned: scanned))
        } catch {
            return .failure(error)
        }
    }

    /// Returns whether only Bluetooth can transfer the answer, because of `--transport ble` or because the
    /// phone offers no NFC.
    private func needsRadio(_ scanned: DeviceEngagement?) -> Bool {
        guard let scanned else { return retrieval.transport == .bluetoothLE }
        return scanned.offersBluetooth && (retrieval.transport == .bluetoothLE || !scanned.offersNFC)
    }

    /// Checks that the radio can be used before a person is asked to present a phone.
    ///
    /// - Throws: Status 69 (unavailable) if the radio cannot be used, `incomplete` if the presentation was
    ///   cancelled.
    private static func prepare(_ radio: any BluetoothLERadio) async throws(CommandFailure) {
        do throws(BluetoothLEError) {
            try await radio.prepare()
        } catch {
            switch error {
            case .radioUnavailable(let fault): throw .unavailable(fault.advice)
            case .cancelled:
                throw CommandFailure(status: .incomplete, message: "the presentation was cancelled")
            // The other errors concern a connection to a phone, and no phone is connected yet.
            default: break
            }
        }
    }

    /// Returns whether the answer comes over Bluetooth after a scan of the phone's QR code. If the phone
    /// offers Bluetooth and NFC, and this computer has no usable Bluetooth, the answer comes over NFC.
    private func isRetrievedByBluetooth(
        _ scanned: DeviceEngagement, _ radio: any BluetoothLERadio
    ) async -> Bool {
        guard scanned.offersBluetooth else { return false }
        // If NFC cannot transfer the answer, `prepare` has already checked the radio.
        guard !needsRadio(scanned) else { return true }
        do throws(BluetoothLEError) {
            if let fault = await radio.settingsFault() { throw .radioUnavailable(fault) }
            try await radio.prepare()
            return true
        } catch {
            if case .radioUnavailable(let fault) = error {
                Terminal.message(PresentationEvent.bluetoothUnavailable(fault).text)
            }
            return false
        }
    }

    /// Connects to a software wallet over TCP (the bench link).
    private func link(to endpoint: EndpointArgument) async throws(CommandFailure) -> any MessageChannel {
        do throws(TransportError) {
            let address = try SocketAddress(
                host: endpoint.host, port: endpoint.port, allowingNonLoopback: allowNonLoopback)
            return try await FramedTCPChannel.connect(to: address)
        } catch .addressNotLoopback {
            throw .usage("--connect names another computer: add --allow-non-loopback to allow it")
        } catch .addressNotNumeric {
            throw .usage("--connect needs localhost or a numeric address")
        } catch .cancelled {
            throw CommandFailure(status: .incomplete, message: "the presentation was cancelled")
        } catch {
            throw .unavailable(
                "no wallet answers at tcp://\(endpoint.host):\(endpoint.port): start the wallet first")
        }
    }

    /// Returns a contactless reader for the selected PC/SC readers, with the traces that the options ask for.
    private func field(
        _ trace: TraceFile?, _ fieldTrace: FieldTraceFile?
    ) async throws(CommandFailure) -> any ContactlessReader {
        let field = try await Self.field(named: reader, Set(readerCommands))
        let traced = trace.map { TracedReader(reader: field, trace: $0) } ?? field
        return fieldTrace.map { TracingReader(traced, $0.recorder) } ?? traced
    }

    /// Returns one contactless reader that stands for all PC/SC readers that the name selects.
    ///
    /// - Parameter wishes: The actions of `--reader-command` for the readers.
    /// - Throws: Status 69 (unavailable) if pcscd does not answer or no reader matches.
    static func field(
        named name: String?, _ wishes: Set<ReaderWish> = []
    ) async throws(CommandFailure) -> any ContactlessReader {
        let service = PCSCService()
        // An empty name selects every reader.
        let selector = ReaderSelector(name ?? "")
        do throws(PCSCTransportError) {
            // The list is read only to find out that no reader matches. The command must then fail before a
            // person is asked to present a phone.
            let readers = try await service.readers()
            guard !selector.candidates(among: readers).isEmpty else {
                throw PCSCTransportError.noReader
            }
        } catch {
            throw .unavailable(ReaderFault(error).advice)
        }
        return CommandedReader(
            PCSCContactlessReader(service: service, selector: selector), service: service, selector: selector,
            wishes: wishes)
    }

    private static func engagement(_ text: String) throws(CommandFailure) -> DeviceEngagement {
        try mapping(DeviceEngagement(EngagementURI.deviceEngagement(in: text)[...])) {
            (error: MdocModelError) in CommandFailure.malformed("--qr: \(error.explanation)")
        }
    }
}

extension ReaderWish: ExpressibleByArgument {}

/// The file of `--trace`: every APDU or frame of one transaction with the milliseconds since its start, as in
/// `12.345 > 00a404…`.
///
/// The file can identify the phone and its holder, so only its owner may read it.
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
        // A line that cannot be written is lost, because a full disk must not end the transaction.
        let time = String(start.duration(to: .now).milliseconds)
        _ = try? file.writeAll("\(time) \(direction.rawValue) \(bytes.hexadecimal)\n".utf8)
    }
}

/// A contactless reader whose APDUs are traced.
private struct TracedReader: ContactlessReader {
    let reader: any ContactlessReader
    let trace: TraceFile

    func beginPresentation() async {
        await reader.beginPresentation()
    }

    func nextCard(again pause: Duration?) async throws(ContactlessError) -> any ContactlessCard {
        TracedCard(card: try await reader.nextCard(again: pause), trace: trace)
    }
}

/// A phone at the reader whose APDUs are traced.
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

/// A bench link (TCP connection to a software wallet) whose frames are traced.
private struct TracedChannel: MessageChannel {
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
