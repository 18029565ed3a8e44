internal import CPCSCLite
package import Transport

/// What PC/SC, a reader or a card refused, by condition.
package enum PCSCTransportError: Error, Equatable, Sendable {
    /// No pcscd listens; it may start later.
    case serviceNotRunning
    /// pcscd ended or restarted under us: every context and card of before is void (Q134).
    case serviceLost
    /// pcscd speaks another version of its protocol than the library, whose version is given (Q139).
    case serviceIncompatible(libraryVersion: String)
    /// pcscd's polkit rules do not let this user do that (Q133). For `.service` it may also be that other programs
    /// have used up pcscd's clients: the code is the same.
    case accessDenied(PolkitAction)
    /// pcscd takes no further client, though it knows this process (Q135: 200 by default).
    case tooManyClients
    case noReader
    /// The reader of that name is not listed any more, or its device was removed (Q136).
    case readerMissing(String)
    /// Another program, or another connection of this one, holds the reader.
    case readerInUse
    /// A call that was cancelled has not come back from the reader; no other is begun before.
    case readerBlocked
    case noCard
    /// The card left, with or without an answer to the last command (Q132).
    case cardLost
    /// The command did not get through to the card; the card may still be there, the connection is of no use.
    case linkLost
    /// A card is there and does not answer to power-up (Q131: lift and tap again).
    case cardMute
    case cardReset
    /// The card speaks neither T=1 nor T=0.
    case protocolMismatch
    /// The connection was ended by `disconnect`, a cancelled exchange or an earlier error.
    case notConnected
    /// A command of `length` bytes; the reader takes between 4 and `limit`.
    case commandLength(Int, limit: Int)
    /// The card's answer does not fit pcscd's buffer.
    case answerTooLong
    case cancelled
    /// Any other code of PC/SC, and the call that gave it.
    case unexpected(code: UInt32, during: PCSCCall)
}

/// The two actions pcscd asks polkit about.
package enum PolkitAction: String, Sendable {
    /// Using pcscd at all.
    case service = "org.debian.pcsc-lite.access_pcsc"
    /// Connecting to a card.
    case card = "org.debian.pcsc-lite.access_card"
}

/// The calls to pcscd that can fail.
package enum PCSCCall: String, Sendable {
    case establishContext, listReaders, getStatusChange, connect, reconnect, transmit, control
}

extension ReaderFault {
    package init(_ error: PCSCTransportError) {
        self =
            switch error {
            case .serviceNotRunning: .serviceNotRunning
            case .serviceLost: .serviceLost
            case .serviceIncompatible: .serviceIncompatible
            case .accessDenied(.service): .serviceAccessDenied
            case .accessDenied(.card): .cardAccessDenied
            case .tooManyClients: .tooManyClients
            case .noReader: .noReader
            case .readerMissing: .readerMissing
            case .readerInUse: .readerInUse
            case .readerBlocked: .readerBlocked
            // Who asks for a fault was not cancelled: its time for the call was over.
            case .cancelled: .serviceHung
            case .noCard, .cardLost, .linkLost, .cardMute, .cardReset, .protocolMismatch, .notConnected,
                .commandLength, .answerTooLong:
                .failed
            case .unexpected(let code, let call): Self(.failed, PeerRefusal(code, call))
            }
    }
}

extension PeerRefusal {
    /// A code of PC/SC, with the library's words for it.
    fileprivate init(_ code: UInt32, _ call: PCSCCall) {
        let text = unsafe pcsc_stringify_error(LONG(code)).map { unsafe String(cString: $0) }
        self.init(
            call: call.rawValue, name: "0x\(String(code, radix: 16, uppercase: true))", message: text ?? "")
    }
}
