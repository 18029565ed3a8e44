internal import ISO7816
internal import MdocModel
internal import NDEF

/// An NDEF message that is read or written in pieces.
struct TracedMessage: Sendable {
    private var length: Int?
    private var bytes: [UInt8] = []

    mutating func begin(length: Int) {
        self.length = length == 0 ? nil : length
        bytes = []
    }

    /// The whole message, once the last piece is there.
    mutating func take(_ piece: ArraySlice<UInt8>, at offset: Int) -> [UInt8]? {
        collect(piece, at: offset)
        guard let length, bytes.count >= length else { return nil }
        return finish(length: length)
    }

    /// A piece that does not follow the one before begins another message.
    mutating func collect(_ piece: ArraySlice<UInt8>, at offset: Int) {
        if offset != bytes.count { bytes = [] }
        guard offset == bytes.count, bytes.count + piece.count <= 0xffff else { return }
        bytes += piece
    }

    mutating func finish(length: Int) -> [UInt8]? {
        defer { _ = restart() }
        return bytes.count >= length && length > 0 ? Array(bytes.prefix(length)) : nil
    }

    mutating func restart() -> [UInt8]? {
        self = TracedMessage()
        return nil
    }

    /// What a message says: its records, the handover service, the engagement.
    static func events(
        of bytes: [UInt8], _ direction: MessageFacts.Direction, _ tokens: TraceTokens
    ) -> [FieldTraceEvent] {
        let message = try? NDEFMessage.parse(bytes[...])
        var events: [FieldTraceEvent] = [
            .message(MessageFacts(message, size: bytes.count, direction: direction, tokens: tokens))
        ]
        guard let message else { return events }
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
    /// - Parameter message: nil if the bytes are not a message.
    fileprivate init(
        _ message: NDEFMessage?, size: Int, direction: Direction, tokens: TraceTokens
    ) {
        self.direction = TraceWord(direction)
        self.size = size
        isWellFormed = message != nil
        records = (message?.records ?? []).map { TraceWord(Record($0)) }
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

/// The handover of NFC v2 as it comes in the answers to one ENVELOPE.
struct TracedVersion2: Sendable {
    private let limit: Int?
    private var object: [UInt8] = []

    init(selectAnswer: ArraySlice<UInt8>) {
        limit = NFCVersion2Handover.commandLimit(selectAnswer)
    }

    var facts: NFCVersion2Facts { NFCVersion2Facts(limit: limit) }

    /// What the handover says, once its last part is there; nothing before.
    mutating func take(_ response: ResponseAPDU) -> [FieldTraceEvent] {
        guard object.count + response.data.count <= 0xffff else { return [] }
        object += response.data
        guard response.status == .success, let header = try? DiscretionaryData.parseHeader(object[...]),
            object.count >= header.size + header.length
        else { return [] }
        let select = object[header.size..<header.size + header.length]
        guard let (engagement, methods) = try? NFCVersion2Handover.engagement(inSelect: select) else {
            return [.version2(NFCVersion2Facts(limit: limit, methods: []))]
        }
        return [
            .version2(NFCVersion2Facts(limit: limit, methods: methods.prefix(8).map(\.type))),
            .engagement(EngagementFacts(engagement)),
        ]
    }
}
