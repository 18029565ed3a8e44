package import Transport

/// The reader, as its driver describes it. Its name is left out: it may hold a serial number.
package struct NFCReaderFacts: Equatable, Sendable, Codable {
    /// What sits behind the reader's name.
    package enum Slot: String, CaseIterable, Sendable {
        case contactless, contact, securityModule, unmarked
    }

    /// Vendor and product number on USB.
    private let usbVendor: UInt16?
    private let usbProduct: UInt16?
    package let isVirtual: Bool
    package let slot: TraceWord<Slot>
    package let firmware: TraceVersion?
    package let allowsExtended: Bool
    package let commandData: Int
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

/// A change at the readers.
package struct PresenceFacts: Equatable, Sendable, Codable {
    package enum Change: String, CaseIterable, Sendable {
        case serviceAvailable, serviceLost, readerArrived, readerRemoved, inserted
        /// Something is there that does not answer to power-up.
        case mute
        case removed
    }

    package let change: TraceWord<Change>
    /// pcscd's count of comings and goings.
    package let counter: UInt16?

    package init(change: Change, counter: UInt16? = nil) {
        self.change = TraceWord(change)
        self.counter = counter
    }
}

package struct PoweredFacts: Equatable, Sendable, Codable {
    package let allowsExtended: Bool
    /// The most bytes of data in a command and in an answer.
    package let commandData: Int
    package let responseData: Int

    package init(_ limits: ContactlessLimits) {
        allowsExtended = limits.allowsExtended
        commandData = limits.commandData
        responseData = limits.responseData
    }
}

/// The first fifteen bytes of the capability container, as numbers (NFC Forum Type 4 Tag 5.1).
package struct CapabilitiesFacts: Equatable, Sendable, Codable {
    /// The mapping version, 0x20 for 2.0.
    package let mapping: UInt16
    /// MLe and MLc, in bytes.
    package let maximumResponse: UInt16
    package let maximumCommand: UInt16
    /// The size of the NDEF file, in bytes.
    package let fileSize: UInt16
    package let writeAccess: UInt16

    /// Nil for fewer bytes.
    init?(_ container: ArraySlice<UInt8>) {
        let bytes = Array(container)
        guard bytes.count >= 15 else { return nil }
        func word(_ index: Int) -> UInt16 { UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1]) }
        mapping = UInt16(bytes[2])
        (maximumResponse, maximumCommand, fileSize) = (word(3), word(5), word(11))
        writeAccess = UInt16(bytes[14])
    }
}

/// An NFC v2 engagement (draft of the second edition of ISO/IEC 18013-5).
package struct NFCVersion2Facts: Equatable, Sendable, Codable {
    /// The state of the draft that the reader speaks.
    package enum Dialect: String, CaseIterable, Sendable {
        case e = "E"
    }

    package let dialect: TraceWord<Dialect>
    /// ApduCommandMaxSize in bytes; nil if the answer to SELECT has none.
    package let limit: Int?
    /// The type numbers of the methods that the phone chose; nil before its handover.
    package let methods: [UInt64]?

    init(limit: Int?, methods: [UInt64]? = nil) {
        dialect = TraceWord(.e)
        self.limit = limit
        self.methods = methods
    }
}

/// The handover service's parameters (NFC Forum TNEP 1.0).
package struct ServiceFacts: Equatable, Sendable, Codable {
    /// WT_INT, from which the waiting time follows.
    package let waitingTimeInteger: UInt16
    /// N_WAIT.
    package let waitingTimeExtensions: UInt16
    package let maximumMessage: UInt16
}

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
