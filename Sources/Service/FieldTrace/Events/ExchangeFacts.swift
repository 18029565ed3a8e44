/// One command to the phone and its answer.
package struct ExchangeFacts: Equatable, Sendable, Codable {
    package enum Command: String, CaseIterable, Sendable {
        /// SELECT of the NDEF Tag application, of mdoc data transfer, of another.
        case selectNDEF = "select.ndef"
        case selectTransfer = "select.mdoc"
        /// SELECT of NFC v2.
        case selectVersion2 = "select.nfc_v2"
        case selectOther = "select.other"
        /// SELECT of the capability container, of the NDEF file.
        case selectCapabilities = "select.cc"
        case selectFile = "select.file"
        case readCapabilities = "read.cc"
        /// READ BINARY of NLEN.
        case readLength = "read.nlen"
        /// READ BINARY of a message.
        case readMessage = "read.message"
        /// UPDATE BINARY.
        case update
        /// ENVELOPE before the last of a message.
        case envelopePart = "envelope.part"
        case envelope
        case getResponse = "get_response"
        case other
    }

    /// Why there is no answer.
    package enum Failure: String, CaseIterable, Sendable {
        /// The phone left, or its answer was cut.
        case cardLost = "card_lost"
        case readerUnavailable = "reader_unavailable"
        case cancelled
    }

    package let command: TraceWord<Command>
    /// The bytes of data in the command.
    package let sent: UInt32
    /// The bytes of data in the answer.
    package let received: UInt32?
    package let status: TraceStatus?
    /// From the command to the answer or its failure, in milliseconds.
    package let took: Double
    /// The length that NLEN announces, in bytes.
    package let length: UInt16?
    package let failure: TraceWord<Failure>?

    init(
        _ command: Command, sent: Int, received: Int? = nil, status: TraceStatus? = nil, took: Duration,
        length: Int? = nil, failure: Failure? = nil
    ) {
        self.command = TraceWord(command)
        self.sent = UInt32(clamping: sent)
        self.received = received.map { UInt32(clamping: $0) }
        self.status = status
        self.took = took.traceMilliseconds
        self.length = length.map { UInt16(clamping: $0) }
        self.failure = failure.map { TraceWord($0) }
    }
}

/// A status word as four hexadecimal digits.
package struct TraceStatus: Equatable, Sendable, Codable {
    package let rawValue: UInt16

    package init(_ rawValue: UInt16) {
        self.rawValue = rawValue
    }

    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        rawValue = try UInt16(TraceDigits.number(text, count: 4))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(TraceDigits.text(UInt64(rawValue), count: 4))
    }
}

extension Duration {
    /// To a tenth of a millisecond, and never below 0.
    var traceMilliseconds: Double {
        let tenths = components.seconds * 10_000 + components.attoseconds / 100_000_000_000_000
        return Double(max(tenths, 0)) / 10
    }
}
