package import ISO7816
package import MdocModel
package import NDEF

/// What ends an NFC machine.
package enum NFCFault: Error, Equatable, Sendable {
    /// 6A82 to the first SELECT: the phone is locked or its screen is off; keep polling (Q1).
    case noWalletYet
    /// An answer without a status word: the card left the field (Q132).
    case cardLost
    /// Something is in the field that does not answer to power-up (Q203).
    case cardMute
    /// A status word that the phase does not allow.
    case status(StatusWord)
    /// The phase, or the whole engagement, took longer than its deadline.
    case deadlinePassed
    /// The machine sent as many commands as it may.
    case stepBudgetSpent
    /// NLEN stayed 0 for this many polls; `promised` is the phone's N_WAIT where it is known (Q13).
    case notReady(polls: Int, promised: UInt8?)
    /// Twice in a row an answer without data in place of data (Q22).
    case noProgress
    /// More bytes than asked for, or than the data object holds (Q52).
    case surplusBytes
    /// The capability container is malformed or names limits that nothing can be done with.
    case capabilityContainerInvalid
    /// A message of `announced` bytes exceeds `limit`, the phone's own maximum or the reader's cap (Q24).
    case messageTooLong(announced: Int, limit: Int)
    /// The message is not well-formed NDEF, or a record lacks its form.
    case messageMalformed(NDEFError)
    case messageUnexpected
    /// `Tp` records, but none for the handover service (Q40).
    case noHandoverService
    /// The phone reports this TNEP status (Q41).
    case serviceStatus(StatusRecord)
    case noDeviceEngagement
    /// Static handover with none but these carriers, none of which this reader can use (Q35).
    case noUsableCarrier(NFCCarrierKinds)
    /// Negotiated handover that chose carriers we did not offer (Q38).
    case unofferedCarrier(NFCCarrierKinds)
    /// The response is not a data object '53'.
    case dataObjectMalformed(ISO7816Error)
    /// Status 9000 before the data object was complete; `missing` bytes, or nil before its header was.
    case dataObjectIncomplete(missing: Int?)
    /// The answer to the NFC v2 SELECT has no ApduCommandMaxSize: the application is another one.
    case noCommandLimit
    /// The phone refused an NFC v2 handover as a wallet does that speaks an older draft.
    case olderVersion2
    /// The NFC v2 handover select is malformed, or its engagement cannot be used.
    case version2Malformed(MdocModelError)
    /// The NFC v2 handover select names this many methods; it must be one.
    case version2Methods(count: Int)
    /// The NFC v2 handover select names a method that was not offered.
    case version2MethodNotOffered
    /// An empty message: the wallet ended the NFC v2 exchange.
    case walletEnded
    /// A call that the machine's state does not allow: an error of the driver.
    case outOfTurn
}

extension NFCFault {
    var explanation: String {
        switch self {
        case .noWalletYet: "the phone shows no wallet"
        case .cardLost: "the phone lost contact with the reader"
        case .cardMute: "the phone did not answer to power-up"
        case .status(let word): "the phone answered with status word \(word)"
        case .deadlinePassed: "the phone did not answer in time"
        case .stepBudgetSpent: "the transfer needed more commands than are allowed"
        case .notReady(let polls, _): "the phone had no message ready after \(polls) polls"
        case .noProgress: "the phone sent two empty answers in a row"
        case .surplusBytes: "the phone sent more bytes than its file or message has"
        case .capabilityContainerInvalid: "the phone's capability container is malformed"
        case .messageTooLong(let announced, let limit):
            "the phone announced a message of \(announced) bytes; at most \(limit) are allowed"
        case .messageMalformed: "the phone's NDEF message is malformed"
        case .messageUnexpected: "the phone sent an unexpected NDEF message"
        case .noHandoverService: "the phone offers no handover service"
        case .serviceStatus: "the phone refused the handover service"
        case .noDeviceEngagement: "the handover contains no device engagement"
        case .noUsableCarrier: "the phone offers no carrier that this reader supports"
        case .unofferedCarrier: "the phone chose a carrier that was not offered"
        case .dataObjectMalformed: "the phone's answer is not a data object 53"
        case .dataObjectIncomplete: "the phone's answer ended before it was complete"
        case .noCommandLimit: "the phone does not say how long a command it takes"
        case .olderVersion2: "the phone speaks an older draft of NFC v2"
        case .version2Malformed(let error): "the NFC v2 handover is malformed: \(error.explanation)"
        case .version2Methods(let count):
            "the phone named \(count) ways to send the answer; it must name one"
        case .version2MethodNotOffered: "the phone chose a way to send the answer that was not offered"
        case .walletEnded: "the wallet ended the exchange"
        case .outOfTurn: "a command was sent in the wrong order, which is an error of this program: report it"
        }
    }
}

/// Why an NFC machine ended: what happened, in which phase (Q12). Holds no message bytes.
package struct NFCEndReason: Error, Equatable, Sendable {
    package let phase: NFCPhase
    package let fault: NFCFault

    package init(_ phase: NFCPhase, _ fault: NFCFault) {
        self.phase = phase
        self.fault = fault
    }

    /// What happened, and in which phase (Q12).
    package var explanation: String { "NFC failed \(phase.words): \(fault.explanation)" }
}

/// Kinds of carriers, for naming them in an end reason.
package struct NFCCarrierKinds: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let nfc = Self(rawValue: 1)
    package static let peripheralServer = Self(rawValue: 2)
    package static let centralClient = Self(rawValue: 4)
    /// A record of a known carrier that cannot be read, or that lacks what it needs.
    package static let unreadable = Self(rawValue: 8)
    /// Bluetooth BR/EDR, Wi-Fi Aware and the like.
    package static let foreign = Self(rawValue: 16)
}
