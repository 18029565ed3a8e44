internal import ISO7816
package import MdocSession
package import Transport

/// The reason for a failure, expressed in words from closed lists.
package struct FaultFacts: Equatable, Sendable, Codable {
    /// The NFC phase in which the failure happened.
    package var phase: TraceWord<NFCPhase>?
    package var nfc: TraceWord<NFCFaultWord>?
    /// The phone's status word that `phase` does not allow; `nil` for other faults.
    package var status: TraceStatus?
    private var bluetoothPhase: TraceWord<BLEPhase>?
    package var bluetooth: TraceWord<BLEFaultWord>?
    package var radio: TraceWord<RadioFaultID>?
    package var connection: TraceWord<ConnectionFaultID>?
    package var reader: TraceWord<ReaderFaultID>?

    init() {}

    package init(_ reason: NFCEndReason) {
        phase = TraceWord(reason.phase)
        nfc = TraceWord(NFCFaultWord(reason.fault))
        if case .status(let word) = reason.fault { status = TraceStatus(word.rawValue) }
    }

    package init(_ reason: BLEEndReason) {
        switch reason {
        case .failed(let phase, let fault):
            bluetoothPhase = TraceWord(phase)
            bluetooth = TraceWord(BLEFaultWord(fault))
        case .terminated(let phase): bluetoothPhase = TraceWord(phase)
        // A transfer that ends with `finished` or `disconnected` has not failed.
        case .finished, .disconnected: break
        }
    }

    package init(_ fault: RadioFault) {
        radio = TraceWord(fault.id)
    }

    package init(_ fault: ConnectionFault) {
        connection = TraceWord(fault.id)
    }

    package init(_ fault: ReaderFault) {
        reader = TraceWord(fault.id)
    }
}

/// The kind of fault that ends an NFC engagement or an NFC data transfer, without its associated values.
package enum NFCFaultWord: String, CaseIterable, Sendable {
    case noWalletYet, cardLost, cardMute, status, deadlinePassed, stepBudgetSpent, notReady, noProgress,
        surplusBytes,
        capabilityContainerInvalid, messageTooLong, messageMalformed, messageUnexpected, noHandoverService,
        serviceStatus, noDeviceEngagement, noUsableCarrier, unofferedCarrier, dataObjectMalformed,
        dataObjectIncomplete, noCommandLimit, olderVersion2, version2Malformed, version2Methods,
        version2MethodNotOffered, walletEnded, outOfTurn

    init(_ fault: NFCFault) {
        self =
            switch fault {
            case .noWalletYet: .noWalletYet
            case .cardLost: .cardLost
            case .cardMute: .cardMute
            case .status: .status
            case .deadlinePassed: .deadlinePassed
            case .stepBudgetSpent: .stepBudgetSpent
            case .notReady: .notReady
            case .noProgress: .noProgress
            case .surplusBytes: .surplusBytes
            case .capabilityContainerInvalid: .capabilityContainerInvalid
            case .messageTooLong: .messageTooLong
            case .messageMalformed: .messageMalformed
            case .messageUnexpected: .messageUnexpected
            case .noHandoverService: .noHandoverService
            case .serviceStatus: .serviceStatus
            case .noDeviceEngagement: .noDeviceEngagement
            case .noUsableCarrier: .noUsableCarrier
            case .unofferedCarrier: .unofferedCarrier
            case .dataObjectMalformed: .dataObjectMalformed
            case .dataObjectIncomplete: .dataObjectIncomplete
            case .noCommandLimit: .noCommandLimit
            case .olderVersion2: .olderVersion2
            case .version2Malformed: .version2Malformed
            case .version2Methods: .version2Methods
            case .version2MethodNotOffered: .version2MethodNotOffered
            case .walletEnded: .walletEnded
            case .outOfTurn: .outOfTurn
            }
    }
}

/// The kind of fault that ends a Bluetooth transfer, without its associated values.
package enum BLEFaultWord: String, CaseIterable, Sendable {
    case linkLost, deadlinePassed, endedWithinMessage, stateUnknown, valueEmpty, prefixUnknown, messageEmpty,
        messageTooLong, messageUnexpected, notFramed, outOfTurn

    init(_ fault: BLEFault) {
        self =
            switch fault {
            case .linkLost: .linkLost
            case .deadlinePassed: .deadlinePassed
            case .endedWithinMessage: .endedWithinMessage
            case .stateUnknown: .stateUnknown
            case .valueEmpty: .valueEmpty
            case .prefixUnknown: .prefixUnknown
            case .messageEmpty: .messageEmpty
            case .messageTooLong: .messageTooLong
            case .messageUnexpected: .messageUnexpected
            case .notFramed: .notFramed
            case .outOfTurn: .outOfTurn
            }
    }
}

extension FaultFacts {
    init(_ error: BluetoothLEError) {
        switch error {
        case .radioUnavailable(let fault): radio = TraceWord(fault.id)
        case .connectionFailed(let fault): connection = TraceWord(fault.id)
        case .serviceIncomplete: connection = TraceWord(ConnectionFaultID.serviceIncomplete)
        case .notSubscribed: connection = TraceWord(ConnectionFaultID.notSubscribed)
        case .linkLost: bluetooth = TraceWord(.linkLost)
        // Two waits at the same time are a fault of this program, like calls in the wrong order.
        case .alreadyWaiting: bluetooth = TraceWord(.outOfTurn)
        // A cancellation is no fault of the radio or the phone.
        case .cancelled: break
        }
    }
}

/// An operation of the radio: advertising, making a link, or withdrawing the service.
package struct RadioFacts: Equatable, Sendable, Codable {
    package enum Action: String, CaseIterable, Sendable {
        /// This reader registers and advertises its service.
        case advertise
        /// A phone connected to the service and started the transfer.
        case accept
        /// This reader connects to a phone's GATT service.
        case connect
        /// This reader connects to a phone's L2CAP channel.
        case connectL2CAP = "connect.l2cap"
        /// This reader withdraws its service.
        case withdraw
    }

    package let action: TraceWord<Action>
    /// The token that stands for the service's UUID.
    package let service: TraceToken?
    /// The duration of the operation in milliseconds.
    package let took: Double
    package let fault: FaultFacts?
    package let link: LinkFacts?
}

/// A Bluetooth link that was made.
package struct LinkFacts: Equatable, Sendable, Codable {
    package enum Kind: String, CaseIterable, Sendable {
        case server, client, l2cap
    }

    package let kind: TraceWord<Kind>
    /// The maximum size of one packet in bytes.
    package let packetLimit: Int
    /// The number of attempts of this reader to connect, including the successful attempt; `nil` if the phone
    /// made the connection.
    package let attempts: Int?
}

/// The fragments of one Bluetooth message, or of the part that came before the link ended.
package struct FragmentsFacts: Equatable, Sendable, Codable {
    package enum Direction: String, CaseIterable, Sendable {
        case fromPhone, toPhone
    }

    package let direction: TraceWord<Direction>
    /// The number of fragments.
    package var fragments: UInt32 = 0
    /// The size of all fragments in bytes, prefixes included.
    package var bytes: UInt32 = 0
    /// The size of the largest fragment in bytes.
    package var largest: UInt32 = 0
    package var isComplete = false
    /// The time from the first fragment to the last, in milliseconds.
    package var took = 0.0
}

/// A value of the State characteristic, or the end of the link.
package struct LinkStateFacts: Equatable, Sendable, Codable {
    package enum Change: String, CaseIterable, Sendable {
        case stateFromPhone, stateToPhone
        /// This reader closed the link.
        case closed
        /// The phone left, or the radio lost the phone. This process cannot distinguish the two.
        case lost
    }

    package let change: TraceWord<Change>
    /// The byte of the State characteristic.
    package let value: Int?
    package let fault: FaultFacts?
}
