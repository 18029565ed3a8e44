internal import MdocModel
package import MdocSession
package import ReaderService

extension PresentationFailure {
    /// The report on a presentation that came to no answer. Throws where the reader is what is missing.
    package func report() throws(ReaderUnavailable) -> TransactionReport {
        switch self {
        case .readerUnavailable(let id): throw ReaderUnavailable(id: id)
        case .engagementOverdue(nil):
            return incomplete(
                .engagementOverdue, "no phone was engaged in time: hold it to the reader until it asks")
        case .engagementOverdue(let lastTap?) where lastTap.fault == .noWalletYet:
            return incomplete(
                .engagementOverdue, "the phone showed no wallet: unlock it and open the ID, then tap")
        case .engagementOverdue(let lastTap?):
            return incomplete(
                .engagementFailed, "no phone was engaged; at the last tap \(lastTap.explanation)")
        case .engagement(let error):
            return .malformed(TransactionError(.engagementMisshapen, error.explanation))
        case .noUsableRetrieval:
            return incomplete(
                .noUsableRetrieval, "the phone offers no way to answer that this reader has")
        case .linkLost:
            return incomplete(.linkLost, "the phone left before its answer was complete: tap again")
        case .messageTooLong(let announced, let limit):
            return incomplete(
                .messageTooLong, "the phone announced a message of \(announced) bytes, \(limit) are allowed")
        case .transfer(let reason):
            if case .messageTooLong = reason.fault { return incomplete(.messageTooLong, reason.explanation) }
            return incomplete(.transferFailed, reason.explanation)
        case .radioUnavailable(let id): return incomplete(.radioUnavailable, BluetoothAdvice.text(forID: id))
        case .connectionOverdue:
            return incomplete(
                .connectionOverdue, "the phone did not connect over Bluetooth in time: tap again")
        case .connection(let id):
            return incomplete(.connectionFailed, BluetoothAdvice.text(forConnection: id))
        case .bluetooth(.failed(_, .messageTooLong)):
            return incomplete(.messageTooLong, "the phone sent more than is allowed")
        case .bluetooth(let reason): return incomplete(.transferFailed, reason.explanation)
        case .benchLink(let error): return .malformed(TransactionError(.linkMisshapen, error.explanation))
        case .requestNotSigned(let identity):
            return incomplete(
                .requestNotSigned,
                "the key of \(Terminal.safe(identity, limit: 80)) does not sign: nothing was asked")
        case .session(.decryptionFailed):
            return .rejected(
                TransactionError(.sessionDecryption, SessionError.decryptionFailed.explanation))
        case .session(.misshapen(let error)):
            return .malformed(TransactionError(.sessionMisshapen, error.explanation))
        case .session(let error): return incomplete(.sessionNotSetUp, error.explanation)
        case .status(let status): return .incomplete(TransactionError(status))
        case .sessionOver:
            return incomplete(
                .sessionStatus20,
                "the phone ended the session with its first answer (status 20): order the rest on its own")
        case .consentOverdue: return incomplete(.consentOverdue, "the holder did not answer in time")
        case .cancelled: return incomplete(.cancelled, "stopped")
        }
    }

    private func incomplete(_ id: TransactionError.ID, _ detail: String) -> TransactionReport {
        .incomplete(TransactionError(id, detail))
    }
}

extension BenchLinkError {
    package var explanation: String {
        switch self {
        case .misshapen(let error): "the first frame is no greeting: \(error.explanation)"
        case .engagement(let error): error.explanation
        }
    }
}

extension NFCEndReason {
    /// What happened, and in which phase (Q12).
    package var explanation: String { "NFC ended in \(phase.rawValue): \(fault.explanation)" }
}

extension NFCFault {
    fileprivate var explanation: String {
        switch self {
        case .noWalletYet: "the phone shows no wallet"
        case .cardLost: "the phone left the field"
        case .status(let word): "the phone answered \(word)"
        case .deadlinePassed: "it took too long"
        case .stepBudgetSpent: "more commands than a transaction needs"
        case .notReady(let polls, _): "the phone had nothing ready after \(polls) looks"
        case .noProgress: "the phone sent nothing twice in a row"
        case .surplusBytes: "the phone sent more than was due"
        case .capabilityContainerInvalid: "the tag's capability container is not one"
        case .messageTooLong(let announced, let limit):
            "a message of \(announced) bytes, \(limit) are allowed"
        case .messageMalformed: "the NDEF message is not one"
        case .messageUnexpected: "an NDEF message that was not due"
        case .noHandoverService: "the phone offers no handover service"
        case .serviceStatus: "the phone refused the handover service"
        case .noDeviceEngagement: "the handover holds no device engagement"
        case .noUsableCarrier: "the phone offers no carrier that this reader has"
        case .unofferedCarrier: "the phone chose a carrier that was not offered"
        case .dataObjectMalformed: "the answer is no data object 53"
        case .dataObjectIncomplete: "the answer ended before it was complete"
        case .outOfTurn: "a command out of turn"
        }
    }
}
