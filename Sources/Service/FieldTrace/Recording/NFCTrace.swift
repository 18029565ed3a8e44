internal import ISO7816
internal import MdocModel
internal import MdocSession
internal import NDEF
internal import Transport

/// The commands of one tap and their answers, read as events of a field trace.
///
/// The value keeps track of the file that is selected, because the name of a command such as READ BINARY
/// depends on this file. It also collects the NDEF messages that are read and written in pieces. Of the
/// phone's bytes, the value keeps only the message in progress.
///
/// `TracingReader` uses the value to record a tap. The laboratory's replaying phone uses the value to name a
/// reader's commands.
package struct NFCTrace: Sendable {
    /// The file that is selected on the phone.
    private enum File: Sendable {
        case none, capabilities, message
    }

    private var file = File.none
    private var read = TracedMessage()
    private var written = TracedMessage()
    /// The NFC v2 handover, until it is complete.
    private var version2: TracedVersion2?

    package init() {}

    /// Returns the name of a command on the selected file.
    package func name(of command: ArraySlice<UInt8>) -> ExchangeFacts.Command {
        (try? CommandAPDU.parse(command)).map { name(of: $0) } ?? .other
    }

    /// Updates the selected file and the messages in progress after a command, if its answer reports success.
    package mutating func follow(_ command: ArraySlice<UInt8>, _ answer: ArraySlice<UInt8>) {
        guard let command = try? CommandAPDU.parse(command), let answer = try? ResponseAPDU.parse(answer),
            answer.status == .success
        else { return }
        // The caller needs only the new state of this value, and not the messages that the command completes.
        _ = apply(command, answer: answer.data, name: name(of: command))
    }

    /// Returns the events of one command.
    ///
    /// - Parameters:
    ///   - answer: the phone's answer; `nil` if there is none.
    ///   - failure: the reason why there is no answer.
    mutating func events(
        of command: ArraySlice<UInt8>, answer: ArraySlice<UInt8>?, took: Duration,
        failure: ExchangeFacts.Failure?, tokens: TraceTokens
    ) -> [FieldTraceEvent] {
        // A command that is no APDU is recorded without its size and name.
        guard let command = try? CommandAPDU.parse(command) else {
            return [.exchange(ExchangeFacts(.other, sent: 0, took: took, failure: failure))]
        }
        let response = answer.flatMap { try? ResponseAPDU.parse($0) }
        let name = name(of: command)
        let isDone = response?.status == .success
        // An answer that is too short for a status word was cut off, so the failure is `cardLost`.
        let exchange = ExchangeFacts(
            name, sent: command.data.count, received: response?.data.count,
            status: response.map { TraceStatus($0.status.rawValue) }, took: took,
            length: name == .readLength && isDone ? response?.data.bigEndian : nil,
            failure: failure ?? (response == nil ? .cardLost : nil))
        // Only a successful command changes the selected file and the messages.
        let completed = isDone ? apply(command, answer: response?.data ?? [], name: name) : []
        return [.exchange(exchange)] + completed.flatMap { $0.events(tokens) }
            + (response.map { followVersion2($0, name) } ?? [])
    }

    /// Adds an answer to the NFC v2 handover, which may need several answers. Returns the events of the
    /// handover after its last answer.
    private mutating func followVersion2(
        _ response: ResponseAPDU, _ name: ExchangeFacts.Command
    ) -> [FieldTraceEvent] {
        switch name {
        case .selectVersion2 where response.status == .success:
            version2 = TracedVersion2(selectAnswer: response.data)
            return version2.map { [.version2($0.facts)] } ?? []
        case .envelope, .getResponse:
            let events = version2?.add(response) ?? []
            // After a complete handover, ENVELOPE carries the messages of the session.
            if !events.isEmpty { version2 = nil }
            return events
        default: return []
        }
    }

    /// Returns the name of a command, by its instruction and by the selected file.
    private func name(of command: CommandAPDU) -> ExchangeFacts.Command {
        switch command.ins {
        case CommandAPDU.Instruction.select: selectName(command)
        case CommandAPDU.Instruction.readBinary: readName(command)
        case CommandAPDU.Instruction.updateBinary: .update
        case CommandAPDU.Instruction.envelope: command.isChained ? .envelopePart : .envelope
        case CommandAPDU.Instruction.getResponse: .getResponse
        default: .other
        }
    }

    /// Returns the name of a SELECT, by the application or file that it selects.
    private func selectName(_ command: CommandAPDU) -> ExchangeFacts.Command {
        // P1 04 selects an application by its name. Files have identifiers, E103 for the capability
        // container.
        guard command.p1 == 0x04 else {
            return command.data.elementsEqual([0xe1, 0x03]) ? .selectCapabilities : .selectFile
        }
        if command.data.elementsEqual(ApplicationIdentifier.ndefTag.bytes) { return .selectNDEF }
        if command.data.elementsEqual(ApplicationIdentifier.mdocNFCVersion2.bytes) { return .selectVersion2 }
        return command.data.elementsEqual(ApplicationIdentifier.mdocDataTransfer.bytes)
            ? .selectTransfer : .selectOther
    }

    /// Returns the name of a READ BINARY, by the selected file and the offset in it.
    private func readName(_ command: CommandAPDU) -> ExchangeFacts.Command {
        if file == .capabilities { return .readCapabilities }
        // NLEN is the first two bytes of the NDEF file.
        let isLength = command.p1 == 0 && command.p2 == 0 && command.expectedLength?.maximum == 2
        return isLength ? .readLength : .readMessage
    }

    /// Applies a successful command, and returns the capability container or message that it completes.
    private mutating func apply(
        _ command: CommandAPDU, answer data: ArraySlice<UInt8>, name: ExchangeFacts.Command
    ) -> [Completed] {
        let offset = Int(command.p1) << 8 | Int(command.p2)
        switch name {
        case .selectCapabilities: file = .capabilities
        case .selectFile: file = .message
        // An application begins without a selected file and without messages in progress.
        case .selectNDEF, .selectTransfer, .selectVersion2, .selectOther: self = NFCTrace()
        case .readCapabilities: return CapabilitiesFacts(data).map { [.capabilities($0)] } ?? []
        case .readLength: read.begin(length: data.bigEndian)
        case .readMessage:
            // The message begins after the two bytes of NLEN.
            return read.add(data, at: offset - 2).map { [.message($0, .fromPhone)] } ?? []
        case .update: return update(command.data, at: offset).map { [.message($0, .toPhone)] } ?? []
        case .envelopePart, .envelope, .getResponse, .other: break
        }
        return []
    }

    /// Applies an UPDATE BINARY and returns the message that it completes. A message is written as NLEN 0,
    /// data and NLEN, or as NLEN and data in a single command (Q23).
    private mutating func update(_ data: ArraySlice<UInt8>, at offset: Int) -> [UInt8]? {
        guard offset == 0 else {
            // The message begins after the two bytes of NLEN.
            written.append(data, at: offset - 2)
            return nil
        }
        let length = data.prefix(2).bigEndian
        let rest = data.dropFirst(2)
        // The command contains NLEN alone. NLEN 0 begins a message, and any other length completes the
        // message.
        if rest.isEmpty { return length == 0 ? written.restart() : written.finish(length: length) }
        written.begin(length: length)
        return written.add(rest, at: 0)
    }

    /// A capability container or a message that a command has completed.
    private enum Completed {
        case capabilities(CapabilitiesFacts)
        case message([UInt8], MessageFacts.Direction)

        func events(_ tokens: TraceTokens) -> [FieldTraceEvent] {
            switch self {
            case .capabilities(let facts): [.capabilities(facts)]
            case .message(let bytes, let direction): TracedMessage.events(of: bytes, direction, tokens)
            }
        }
    }
}

extension ArraySlice<UInt8> {
    /// The first two bytes as a big-endian number.
    fileprivate var bigEndian: Int { prefix(2).reduce(0) { $0 << 8 | Int($1) } }
}

/// An NDEF message that is read or written in pieces.
private struct TracedMessage: Sendable {
    private var length: Int?
    private var bytes: [UInt8] = []

    mutating func begin(length: Int) {
        self.length = length == 0 ? nil : length
        bytes = []
    }

    /// Adds a piece, and returns the message once its last piece has come.
    mutating func add(_ piece: ArraySlice<UInt8>, at offset: Int) -> [UInt8]? {
        append(piece, at: offset)
        guard let length, bytes.count >= length else { return nil }
        return finish(length: length)
    }

    /// Adds a piece. A piece that does not follow the previous one discards the earlier pieces, and is kept
    /// only if it is at the beginning of a message.
    mutating func append(_ piece: ArraySlice<UInt8>, at offset: Int) {
        if offset != bytes.count { bytes = [] }
        // NLEN has two bytes, so no message is longer.
        guard offset == bytes.count, bytes.count + piece.count <= 0xffff else { return }
        bytes += piece
    }

    /// Returns the message if all `length` bytes have come, and discards the pieces in any case.
    mutating func finish(length: Int) -> [UInt8]? {
        defer { _ = restart() }
        return bytes.count >= length && length > 0 ? Array(bytes.prefix(length)) : nil
    }

    /// Discards the pieces. Returns `nil`, so that `update` can return the result in place of a message.
    mutating func restart() -> [UInt8]? {
        self = TracedMessage()
        return nil
    }

    /// Returns the events of a message: its records, the parameters of the handover service, and the
    /// engagement.
    static func events(
        of bytes: [UInt8], _ direction: MessageFacts.Direction, _ tokens: TraceTokens
    ) -> [FieldTraceEvent] {
        let message = try? NDEFMessage.parse(bytes[...])
        var events: [FieldTraceEvent] = [
            .message(MessageFacts(message, size: bytes.count, direction: direction, tokens: tokens))
        ]
        guard let message else { return events }
        // A message without these records, or with malformed records, adds no further event.
        if let service = (try? ServiceParameter.handover(in: message)) ?? nil {
            events.append(.service(ServiceFacts(service)))
        }
        if let engagement = (try? HandoverSelect.parse(message))?.deviceEngagement,
            let engagement = try? DeviceEngagement(engagement)
        {
            events.append(.engagement(EngagementFacts(engagement)))
        }
        return events
    }
}

extension MessageFacts {
    /// Creates the facts of a message.
    ///
    /// - Parameter message: the parsed message; `nil` if its bytes are malformed.
    fileprivate init(
        _ message: NDEFMessage?, size: Int, direction: Direction, tokens: TraceTokens
    ) {
        self.direction = TraceWord(direction)
        self.size = size
        isWellFormed = message != nil
        records = (message?.records ?? []).map { TraceWord(Record($0)) }
        // Only handover messages contain carriers.
        let named =
            message.flatMap { message in
                (try? HandoverSelect.parse(message))?.carriers
                    ?? (try? HandoverRequest.parse(message))?.carriers
            } ?? []
        carriers = named.map { CarrierFacts($0, tokens) }
        tnepStatus = message.flatMap { try? StatusRecord.parse($0) }.map { Int($0.rawValue) }
    }
}

extension ServiceFacts {
    fileprivate init(_ service: ServiceParameter) {
        waitingTimeInteger = UInt16(service.waitingTimeInteger)
        waitingTimeExtensions = UInt16(service.waitingTimeExtensions)
        maximumMessage = service.maximumMessageSize
    }
}

/// The NFC v2 handover, collected from the answers to one ENVELOPE.
private struct TracedVersion2: Sendable {
    private let limit: Int?
    private var object: [UInt8] = []

    init(selectAnswer: ArraySlice<UInt8>) {
        limit = NFCVersion2Handover.commandLimit(selectAnswer)
    }

    var facts: NFCVersion2Facts { NFCVersion2Facts(limit: limit) }

    /// Adds an answer, and returns the events of the handover once its last part has come.
    mutating func add(_ response: ResponseAPDU) -> [FieldTraceEvent] {
        // A hostile phone may send parts without end.
        guard object.count + response.data.count <= 0xffff else { return [] }
        object += response.data
        guard response.status == .success, let header = try? DiscretionaryData.parseHeader(object[...]),
            object.count >= header.size + header.length
        else { return [] }
        let select = object[header.size..<header.size + header.length]
        guard let (engagement, methods) = try? NFCVersion2Handover.engagement(inSelect: select) else {
            // A complete handover that cannot be read is recorded without methods.
            return [.version2(NFCVersion2Facts(limit: limit, methods: []))]
        }
        // A hostile phone may list any number of methods.
        return [
            .version2(NFCVersion2Facts(limit: limit, methods: methods.prefix(8).map(\.type))),
            .engagement(EngagementFacts(engagement)),
        ]
    }
}
