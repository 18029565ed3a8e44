internal import CPCSCLite
package import Transport

/// An error of pcscd, a reader or a card.
package enum PCSCTransportError: Error, Equatable, Sendable {
    /// pcscd does not run. It may start later.
    case serviceNotRunning
    /// pcscd ended or restarted while it was in use. Every earlier context and card is invalid (Q134).
    case serviceLost
    /// pcscd and the client library use different versions of their protocol (Q139). The value is the
    /// library's version.
    case serviceIncompatible(libraryVersion: String)
    /// pcscd's polkit rules do not allow this user to perform the action (Q133). `.service` may also mean
    /// that other programs have used up pcscd's limit of clients, because pcscd returns the same code.
    case accessDenied(PolkitAction)
    /// pcscd accepts no further client, although it already serves this process. The default limit is 200
    /// (Q135).
    case tooManyClients
    /// pcscd lists no reader.
    case noReader
    /// The named reader is no longer listed, or its device was removed (Q136).
    case readerMissing(String)
    /// Another program, or another connection of this program, uses the reader.
    case readerInUse
    /// A cancelled call to the reader has not returned yet, so no new call can begin.
    case readerBlocked
    /// No card is on the reader.
    case noCard
    /// The card left during a command, or before it (Q132).
    case cardLost
    /// The command did not reach the card. The card may still be present, but the connection cannot be used
    /// any more.
    case linkLost
    /// A card is present and does not answer to power-up. The holder must lift the card and tap again (Q131).
    case cardMute
    /// Another program reset the card.
    case cardReset
    /// The card supports neither T=1 nor T=0.
    case protocolMismatch
    /// The connection has ended: by `disconnect`, by a cancelled exchange, or by an earlier error.
    case notConnected
    /// The length in bytes of a command that is shorter than 4 bytes or longer than `limit`.
    case commandLength(Int, limit: Int)
    /// The card's answer does not fit into pcscd's buffer.
    case answerTooLong
    case cancelled
    /// Any other code of PC/SC, with the call that returned it.
    case unexpected(code: UInt32, during: PCSCCall)
}

/// An action that pcscd performs only with polkit's permission.
package enum PolkitAction: String, Sendable {
    /// The use of pcscd.
    case service = "org.debian.pcsc-lite.access_pcsc"
    /// The connection to a card.
    case card = "org.debian.pcsc-lite.access_card"
}

/// A function of PC/SC that can fail.
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
            // The caller's task was not cancelled. The caller itself cancelled the call to pcscd when the
            // call's time limit had passed.
            case .cancelled: .serviceHung
            case .noCard, .cardLost, .linkLost, .cardMute, .cardReset, .protocolMismatch, .notConnected,
                .commandLength, .answerTooLong:
                .failed
            case .unexpected(let code, let call): Self(.failed, PeerRefusal(code, call))
            }
    }
}

extension PeerRefusal {
    /// Creates a refusal from a code of PC/SC, with the library's text for it.
    fileprivate init(_ code: UInt32, _ call: PCSCCall) {
        let text = unsafe pcsc_stringify_error(LONG(code)).map { unsafe String(cString: $0) }
        self.init(
            call: call.rawValue, name: "0x\(String(code, radix: 16, uppercase: true))", message: text ?? "")
    }
}
