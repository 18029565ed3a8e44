package import ISO7816
package import MdocModel
package import NDEF

/// A fault that ends an NFC state machine.
package enum NFCFault: Error, Equatable, Sendable {
    /// The first SELECT was answered by 6A82, which means that the phone is locked or its screen is off. The
    /// reader sends SELECT again until the deadline of the engagement (Q1).
    case noWalletYet
    /// The response has no status word, because the card left the field (Q132).
    case cardLost
    /// A card in the field does not answer to power-up (Q203).
    case cardMute
    /// The phone answered with a status word that the phase does not allow.
    case status(StatusWord)
    /// The phase, or the whole engagement, took longer than its deadline.
    case deadlinePassed
    /// The machine has sent the maximum number of commands.
    case stepBudgetSpent
    /// The expected message was not ready after this many polls, because NLEN stayed 0 or the phone repeated
    /// a TNEP status. `promised` is the phone's N_WAIT, if it is known (Q13).
    case notReady(polls: Int, promised: UInt8?)
    /// Two responses in a row had no data although data was expected (Q22).
    case noProgress
    /// The phone sent more bytes than the reader asked for, or than belong to the data object (Q52).
    case surplusBytes
    /// The capability container is malformed, or has limits with which no message can be exchanged.
    case capabilityContainerInvalid
    /// A message of `announced` bytes exceeds `limit`, the maximum of the phone or of the reader (Q24).
    case messageTooLong(announced: Int, limit: Int)
    /// The message is not well-formed NDEF, or a record does not have the expected form.
    case messageMalformed(NDEFError)
    case messageUnexpected
    /// The message has `Tp` records, but none for the handover service (Q40).
    case noHandoverService
    /// The phone reports this TNEP status (Q41).
    case serviceStatus(StatusRecord)
    case noDeviceEngagement
    /// The static handover names only these carriers, and the reader can use none of them (Q35).
    case noUsableCarrier(NFCCarrierKinds)
    /// The negotiated handover chose carriers that the reader did not offer (Q38).
    case unofferedCarrier(NFCCarrierKinds)
    /// The response is not a data object with the tag '53'.
    case dataObjectMalformed(ISO7816Error)
    /// Status 9000 came before the data object was complete. `missing` is the number of missing bytes, or nil
    /// if the header is incomplete.
    case dataObjectIncomplete(missing: Int?)
    /// The response to the SELECT of NFC v2 has no ApduCommandMaxSize, so it is from another application.
    case noCommandLimit
    /// The phone refused the NFC v2 handover with 6F00, as wallets of an older draft do.
    case olderVersion2
    /// The NFC v2 handover select is malformed, or its engagement cannot be used.
    case version2Malformed(MdocModelError)
    /// The NFC v2 handover select names this many methods. Exactly one method is allowed.
    case version2Methods(count: Int)
    /// The NFC v2 handover select names a method that was not offered.
    case version2MethodNotOffered
    /// The wallet sent an empty message, which ends the NFC v2 exchange.
    case walletEnded
    /// The driver made a call that is not allowed in the present state of the machine.
    case outOfTurn
}

extension NFCFault {
    var explanation: String {
        switch self {
        case .noWalletYet: "the phone shows no wallet"
        case .cardLost: "the phone lost contact with the reader"
        case .cardMute: "the phone did not answer when the reader powered it up"
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
        case .dataObjectMalformed: "the phone's answer is not a data object with tag 53"
        case .dataObjectIncomplete: "the phone's answer ended before it was complete"
        case .noCommandLimit: "the phone does not announce the longest command that it accepts"
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

/// The fault that ended an NFC state machine, with its phase (Q12). The value holds no bytes of messages.
package struct NFCEndReason: Error, Equatable, Sendable {
    package let phase: NFCPhase
    package let fault: NFCFault

    package init(_ phase: NFCPhase, _ fault: NFCFault) {
        self.phase = phase
        self.fault = fault
    }

    /// The fault and its phase as a text for people (Q12).
    package var explanation: String { "NFC failed \(phase.words): \(fault.explanation)" }
}

/// The kinds of carriers that a fault names.
package struct NFCCarrierKinds: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let nfc = Self(rawValue: 1)
    package static let peripheralServer = Self(rawValue: 2)
    package static let centralClient = Self(rawValue: 4)
    /// A record of a known carrier that cannot be read, or that lacks a value without which the carrier
    /// cannot be used.
    package static let unreadable = Self(rawValue: 8)
    /// Another carrier, such as Bluetooth BR/EDR or Wi-Fi Aware.
    package static let foreign = Self(rawValue: 16)
}
