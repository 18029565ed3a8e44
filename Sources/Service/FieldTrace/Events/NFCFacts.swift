package import Transport

/// A PC/SC reader, as its driver describes it. The reader's name is left out, because it may contain a serial
/// number.
package struct NFCReaderFacts: Equatable, Sendable, Codable {
    /// The kind of card slot, as the slot's name shows it. `unmarked` if the name shows no kind.
    package enum Slot: String, CaseIterable, Sendable {
        case contactless, contact, securityModule, unmarked
    }

    /// The vendor number on USB.
    private let usbVendor: UInt16?
    /// The product number on USB.
    private let usbProduct: UInt16?
    package let isVirtual: Bool
    package let slot: TraceWord<Slot>
    package let firmware: TraceVersion?
    package let allowsExtended: Bool
    /// The maximum number of data bytes in a command.
    package let commandData: Int
    /// The maximum number of data bytes in an answer.
    package let responseData: Int

    package init(
        usb: USBIdentity?, isVirtual: Bool, slot: Slot, firmware: TraceVersion?, limits: ContactlessLimits
    ) {
        (usbVendor, usbProduct) = (usb?.vendor, usb?.product)
        self.isVirtual = isVirtual
        self.slot = TraceWord(slot)
        self.firmware = firmware
        allowsExtended = limits.allowsExtended
        commandData = limits.commandData
        responseData = limits.responseData
    }
}

/// A change of pcscd, of a reader, or of the card in a reader.
package struct PresenceFacts: Equatable, Sendable, Codable {
    package enum Change: String, CaseIterable, Sendable {
        case serviceAvailable, serviceLost, readerArrived, readerRemoved, inserted
        /// A card that does not answer to power-up came to the reader.
        case mute
        case removed
    }

    package let change: TraceWord<Change>
    /// pcscd's counter of the cards that came and left.
    package let counter: UInt16?

    package init(change: Change, counter: UInt16? = nil) {
        self.change = TraceWord(change)
        self.counter = counter
    }
}

/// A phone that was powered, with the limits for its commands.
package struct PoweredFacts: Equatable, Sendable, Codable {
    package let allowsExtended: Bool
    /// The maximum number of data bytes in a command.
    package let commandData: Int
    /// The maximum number of data bytes in an answer.
    package let responseData: Int

    package init(_ limits: ContactlessLimits) {
        allowsExtended = limits.allowsExtended
        commandData = limits.commandData
        responseData = limits.responseData
    }
}

/// The first fifteen bytes of the capability container, as numbers (NFC Forum Type 4 Tag 5.1).
package struct CapabilitiesFacts: Equatable, Sendable, Codable {
    /// The mapping version; 0x20 stands for 2.0.
    package let mapping: UInt16
    /// MLe, the maximum size of an answer in bytes.
    package let maximumResponse: UInt16
    /// MLc, the maximum size of a command in bytes.
    package let maximumCommand: UInt16
    /// The maximum size of the NDEF file in bytes.
    package let fileSize: UInt16
    /// The byte for write access to the NDEF file.
    package let writeAccess: UInt16

    /// Reads a capability container; `nil` if it has fewer than fifteen bytes.
    init?(_ container: ArraySlice<UInt8>) {
        let bytes = Array(container)
        guard bytes.count >= 15 else { return nil }
        func word(_ index: Int) -> UInt16 { UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1]) }
        // CCLEN has bytes 0 and 1. The control TLV of the NDEF file begins at byte 7. It has the file size in
        // bytes 11 and 12, and the write access in byte 14.
        mapping = UInt16(bytes[2])
        (maximumResponse, maximumCommand, fileSize) = (word(3), word(5), word(11))
        writeAccess = UInt16(bytes[14])
    }
}

/// An NFC v2 engagement (draft of the second edition of ISO/IEC 18013-5).
package struct NFCVersion2Facts: Equatable, Sendable, Codable {
    /// The version of the draft that this reader implements.
    package enum Dialect: String, CaseIterable, Sendable {
        case e = "E"
    }

    package let dialect: TraceWord<Dialect>
    /// ApduCommandMaxSize, the maximum size of a command in bytes; `nil` if the answer to SELECT does not
    /// contain it.
    package let limit: Int?
    /// The type numbers of the retrieval methods that the phone chose; `nil` before the phone's handover.
    package let methods: [UInt64]?

    init(limit: Int?, methods: [UInt64]? = nil) {
        dialect = TraceWord(.e)
        self.limit = limit
        self.methods = methods
    }
}

/// The parameters of the handover service (NFC Forum TNEP 1.0).
package struct ServiceFacts: Equatable, Sendable, Codable {
    /// WT_INT. The reader computes the waiting time from this integer.
    package let waitingTimeInteger: UInt16
    /// N_WAIT, the maximum number of waiting time extensions.
    package let waitingTimeExtensions: UInt16
    /// The maximum size of an NDEF message in bytes.
    package let maximumMessage: UInt16
}

/// A command to the phone, and its answer.
package struct ExchangeFacts: Equatable, Sendable, Codable {
    package enum Command: String, CaseIterable, Sendable {
        /// SELECT of the NDEF Tag application.
        case selectNDEF = "select.ndef"
        /// SELECT of the application for mdoc data transfer.
        case selectTransfer = "select.mdoc"
        /// SELECT of the application for NFC v2.
        case selectVersion2 = "select.nfc_v2"
        /// SELECT of another application.
        case selectOther = "select.other"
        /// SELECT of the capability container.
        case selectCapabilities = "select.cc"
        /// SELECT of the NDEF file.
        case selectFile = "select.file"
        /// READ BINARY of the capability container.
        case readCapabilities = "read.cc"
        /// READ BINARY of NLEN.
        case readLength = "read.nlen"
        /// READ BINARY of a message.
        case readMessage = "read.message"
        /// UPDATE BINARY.
        case update
        /// An ENVELOPE that is not the last one of its message.
        case envelopePart = "envelope.part"
        /// The last ENVELOPE of a message.
        case envelope
        /// GET RESPONSE.
        case getResponse = "get_response"
        /// Any other command.
        case other
    }

    /// The reason why a command has no answer.
    package enum Failure: String, CaseIterable, Sendable {
        /// The phone left, or its answer was cut off.
        case cardLost = "card_lost"
        case readerUnavailable = "reader_unavailable"
        case cancelled
    }

    package let command: TraceWord<Command>
    /// The number of data bytes in the command.
    package let sent: UInt32
    /// The number of data bytes in the answer; `nil` without an answer.
    package let received: UInt32?
    package let status: TraceStatus?
    /// The time from the command to its answer or failure, in milliseconds.
    package let took: Double
    /// The length of a message that NLEN announces, in bytes; `nil` for other commands.
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

/// A status word, written as four hexadecimal digits.
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
    /// The duration in milliseconds, cut to a tenth of a millisecond and never below 0.
    var traceMilliseconds: Double {
        let tenths = components.seconds * 10_000 + components.attoseconds / 100_000_000_000_000
        return Double(max(tenths, 0)) / 10
    }
}
