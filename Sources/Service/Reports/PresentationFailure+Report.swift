internal import JSON
internal import MdocModel
internal import MdocSession
package import ReaderService
internal import ReaderStore
package import Transport

extension PresentationFailure {
    /// Returns the report on a presentation without an answer.
    ///
    /// - Throws: the fault of the reader if no reader could be used.
    package func report() throws(ReaderFault) -> TransactionReport {
        switch self {
        case .declined:
            return .incomplete(
                TransactionError(
                    .declined,
                    "nothing was returned: the holder declined, has no such document, or the wallet does not know this reader"
                ), .declined)
        case .responseMalformed(let error):
            return .malformed(TransactionError(.responseMalformed, error.explanation))
        // The command line exits with this fault. The daemon converts the fault into a report
        // (`unavailable`).
        case .readerUnavailable(let fault): throw fault
        case .engagementOverdue(let lastTap): return Self.withoutEngagement(after: lastTap)
        case .engagement(let error):
            return .malformed(TransactionError(.engagementMalformed, error.explanation))
        case .noUsableRetrieval:
            return Self.incomplete(
                .noUsableRetrieval,
                "this reader supports none of the ways in which the phone can send its answer")
        case .linkLost:
            return Self.incomplete(
                .linkLost, "the phone disconnected before its answer was complete: tap again")
        case .messageTooLong(let announced, let limit):
            return Self.incomplete(
                .messageTooLong,
                "the phone announced a message of \(announced) bytes; at most \(limit) are allowed")
        case .transfer(let reason):
            if case .messageTooLong = reason.fault {
                return Self.incomplete(.messageTooLong, reason.explanation)
            }
            return Self.incomplete(.transferFailed, reason.explanation)
        case .radioUnavailable(let fault): return Self.incomplete(.radioUnavailable, fault.advice)
        case .connectionOverdue:
            return Self.incomplete(
                .connectionOverdue, "the phone did not connect over Bluetooth in time: tap again")
        case .connection(let fault): return Self.incomplete(.connectionFailed, fault.advice)
        case .bluetooth(.failed(_, .messageTooLong)):
            return Self.incomplete(.messageTooLong, "the phone sent a longer message than is allowed")
        case .bluetooth(let reason): return Self.incomplete(.transferFailed, reason.explanation)
        case .benchLink(let error): return .malformed(TransactionError(.linkMalformed, error.explanation))
        case .requestNotSigned(let identity):
            return Self.incomplete(
                .requestNotSigned,
                "the key of identity \(Terminal.safe(identity, limit: 80)) cannot sign the request, which was not sent: run countersign identity lint to see why"
            )
        case .session(let error): return Self.withoutSession(error)
        case .status(let status): return .incomplete(TransactionError(status))
        case .sessionOver:
            return Self.incomplete(
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
            return Self.incomplete(.consentOverdue, "the holder did not answer in time: start again")
        case .cancelled:
            return .incomplete(
                TransactionError(.cancelled, "the presentation was cancelled"), .cancelled)
        }
    }

    /// Returns the report on a presentation in which no phone was engaged in time.
    private static func withoutEngagement(after lastTap: NFCEndReason?) -> TransactionReport {
        guard let lastTap else {
            return incomplete(
                .engagementOverdue,
                "no phone was held to the reader in time: keep the phone there until it shows the request")
        }
        return lastTap.fault == .noWalletYet
            ? incomplete(
                .engagementOverdue, "the phone showed no wallet: unlock it and open the ID, then tap")
            : incomplete(
                .engagementFailed, "no tap succeeded in time; at the last tap, \(lastTap.explanation)")
    }

    /// Returns the report on a presentation whose session could not be set up or whose messages were faulty.
    private static func withoutSession(_ error: SessionError) -> TransactionReport {
        switch error {
        case .decryptionFailed: .rejected(TransactionError(.sessionDecryption, error.explanation))
        case .malformed(let cause):
            .malformed(TransactionError(.sessionMalformed, cause.explanation))
        default: incomplete(.sessionNotSetUp, error.explanation)
        }
    }

    private static func incomplete(_ id: TransactionError.ID, _ detail: String) -> TransactionReport {
        .incomplete(TransactionError(id, detail))
    }
}
