internal import CPCSCLite

extension PCSCTransportError {
    /// Throws the error for a status of PC/SC. Returns if the status is success.
    static func check(_ status: LONG, _ call: PCSCCall, reader: String = "") throws(PCSCTransportError) {
        if status != SCARD_S_SUCCESS { throw PCSCTransportError(status, call, reader: reader) }
    }

    /// Converts a status of PC/SC into an error.
    ///
    /// - Parameter isServed: whether pcscd serves this process already. pcscd refuses a client above its
    ///   limit with the same code as a client that polkit rejects; a process that is served was not rejected
    ///   by polkit.
    init(_ status: LONG, _ call: PCSCCall, reader: String = "", isServed: Bool = ContextHandle.isAnyOpen) {
        self =
            Self.ofService(status, call, isServed: isServed) ?? Self.ofReader(status, reader) ?? Self.ofCard(
                status, call)
            ?? .unexpected(code: UInt32(truncatingIfNeeded: status), during: call)
    }

    /// Returns the error that a status means for pcscd as a whole; `nil` if the status concerns a reader or a
    /// card.
    private static func ofService(_ status: LONG, _ call: PCSCCall, isServed: Bool) -> PCSCTransportError? {
        // Only the call that connects to pcscd shows that no pcscd runs. Later calls show that pcscd ended.
        let isFirst = call == .establishContext
        return switch status {
        case SCARD_E_NO_SERVICE: isFirst ? .serviceNotRunning : .serviceLost
        case SCARD_E_SERVICE_STOPPED:
            isFirst ? .serviceIncompatible(libraryVersion: PCSCLibrary.version) : .serviceLost
        // Each handle is released only once, by its owner. If pcscd does not know a handle, the handle
        // therefore belongs to an earlier pcscd that has ended.
        case SCARD_F_COMM_ERROR, SCARD_E_INVALID_HANDLE: .serviceLost
        case SCARD_W_SECURITY_VIOLATION: refused(call, isServed: isServed)
        case SCARD_E_CANCELLED: .cancelled
        default: nil
        }
    }

    /// Returns the error that SCARD_W_SECURITY_VIOLATION means for a call.
    ///
    /// pcscd asks polkit for a permission in two calls. For any other call the code means that pcscd ended
    /// during the call: with pcscd 1.9.9 the call was seen to return this code instead of SCARD_F_COMM_ERROR
    /// in about half of the cases.
    private static func refused(_ call: PCSCCall, isServed: Bool) -> PCSCTransportError {
        switch call {
        case .establishContext: isServed ? .tooManyClients : .accessDenied(.service)
        case .connect: .accessDenied(.card)
        default: .serviceLost
        }
    }

    /// Returns the error that a status means for a reader; `nil` for any other status.
    private static func ofReader(_ status: LONG, _ reader: String) -> PCSCTransportError? {
        switch status {
        case SCARD_E_NO_READERS_AVAILABLE: .noReader
        case SCARD_E_UNKNOWN_READER, SCARD_E_READER_UNAVAILABLE: .readerMissing(reader)
        case SCARD_E_SHARING_VIOLATION: .readerInUse
        default: nil
        }
    }

    /// Returns the error that a status means for a card; `nil` for any other status. During a command, the
    /// code for a missing card means that the card has just left.
    private static func ofCard(_ status: LONG, _ call: PCSCCall) -> PCSCTransportError? {
        switch status {
        case SCARD_E_NO_SMARTCARD: call == .transmit ? .cardLost : .noCard
        case SCARD_W_REMOVED_CARD: call == .transmit ? .cardLost : .noCard
        case SCARD_W_UNRESPONSIVE_CARD, SCARD_W_UNPOWERED_CARD, SCARD_W_UNSUPPORTED_CARD: .cardMute
        case SCARD_W_RESET_CARD: .cardReset
        case SCARD_E_PROTO_MISMATCH: .protocolMismatch
        case SCARD_E_NOT_TRANSACTED: call == .transmit ? .linkLost : nil
        case SCARD_E_INSUFFICIENT_BUFFER: call == .transmit ? .answerTooLong : nil
        default: nil
        }
    }
}
