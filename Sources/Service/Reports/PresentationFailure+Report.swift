internal import JSON
internal import MdocModel
internal import MdocSession
package import ReaderService
package import Transport

extension PresentationFailure {
    /// The report on a presentation without an answer. Throws if the reader is missing.
    package func report() throws(ReaderFault) -> TransactionReport {
        switch self {
        case .readerUnavailable(let fault): throw fault
        case .engagementOverdue(nil):
            return incomplete(
                .engagementOverdue,
                "no phone was held to the reader in time: keep it there until it shows the request")
        case .engagementOverdue(let lastTap?) where lastTap.fault == .noWalletYet:
            return incomplete(
                .engagementOverdue, "the phone showed no wallet: unlock it and open the ID, then tap")
        case .engagementOverdue(let lastTap?):
            return incomplete(
                .engagementFailed, "no tap succeeded in time; at the last one \(lastTap.explanation)")
        case .engagement(let error):
            return .malformed(TransactionError(.engagementMalformed, error.explanation))
        case .noUsableRetrieval:
            return incomplete(
                .noUsableRetrieval, "the phone offers no way to answer that this reader supports")
        case .linkLost:
            return incomplete(.linkLost, "the phone disconnected before its answer was complete: tap again")
        case .messageTooLong(let announced, let limit):
            return incomplete(
                .messageTooLong,
                "the phone announced a message of \(announced) bytes; at most \(limit) are allowed")
        case .transfer(let reason):
            if case .messageTooLong = reason.fault { return incomplete(.messageTooLong, reason.explanation) }
            return incomplete(.transferFailed, reason.explanation)
        case .radioUnavailable(let fault): return incomplete(.radioUnavailable, fault.advice)
        case .connectionOverdue:
            return incomplete(
                .connectionOverdue, "the phone did not connect over Bluetooth in time: tap again")
        case .connection(let fault): return incomplete(.connectionFailed, fault.advice)
        case .bluetooth(.failed(_, .messageTooLong)):
            return incomplete(.messageTooLong, "the phone sent a longer message than is allowed")
        case .bluetooth(let reason): return incomplete(.transferFailed, reason.explanation)
        case .benchLink(let error): return .malformed(TransactionError(.linkMalformed, error.explanation))
        case .requestNotSigned(let identity):
            return incomplete(
                .requestNotSigned,
                "the key of identity \(Terminal.safe(identity, limit: 80)) cannot sign the request, which was not sent: countersign identity lint"
            )
        case .session(.decryptionFailed):
            return .rejected(
                TransactionError(.sessionDecryption, SessionError.decryptionFailed.explanation))
        case .session(.malformed(let error)):
            return .malformed(TransactionError(.sessionMalformed, error.explanation))
        case .session(let error): return incomplete(.sessionNotSetUp, error.explanation)
        case .status(let status): return .incomplete(TransactionError(status))
        case .sessionOver:
            return incomplete(
                .sessionStatus20,
                "the phone ended the session with its first answer (status 20): request the other data in a new presentation"
            )
        case .otherDocument:
            return .rejected(
                TransactionError(
                    .otherDocument,
                    "the second answer is of another document than the first: ask the holder to show one document for both"
                ))
        case .consentOverdue:
            return incomplete(.consentOverdue, "the holder did not answer in time: start again")
        case .cancelled: return incomplete(.cancelled, "the presentation was cancelled")
        }
    }

    private func incomplete(_ id: TransactionError.ID, _ detail: String) -> TransactionReport {
        .incomplete(TransactionError(id, detail))
    }
}
