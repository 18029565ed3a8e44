package import MdocModel
package import MdocVerification
package import WalletPresentation

/// What went wrong, or did not come, outside the checks of a document. The details hold no element value.
package struct TransactionError: Equatable, Sendable {
    /// The stable ids, beside those of `ResponseFailure`.
    package enum ID: String, CaseIterable, Sendable {
        /// A file given to the command is not what it claims to be.
        case inputMalformed = "input.malformed"
        case responseMalformed = "response.malformed"
        /// The bytes are not SessionData, or are without data and status.
        case sessionMalformed = "session.malformed"
        /// The message does not decrypt: another key, transcript or counter, or changed bytes.
        case sessionDecryption = "session.decryption"
        /// The mdoc could not decrypt what the reader sent.
        case sessionStatus10 = "session.status_10"
        /// The mdoc could not decode what the reader sent.
        case sessionStatus11 = "session.status_11"
        /// The mdoc ended the session without data: its holder may have declined.
        case sessionStatus20 = "session.status_20"
        /// The mdoc ended the session with a status that no standard defines.
        case sessionStatusOther = "session.status_other"
        /// The holder returned nothing: an outcome, not a fault.
        case declined = "declined"
        /// There is no reader that phones can be presented to.
        case readerUnavailable = "reader.unavailable"
        case engagementOverdue = "engagement.overdue"
        /// Phones came, and each broke off its engagement.
        case engagementFailed = "engagement.failed"
        /// The engagement is not one.
        case engagementMalformed = "engagement.malformed"
        /// The phone offers no way of retrieval that this reader has.
        case noUsableRetrieval = "engagement.no_retrieval"
        /// The first frame of the bench link is not one.
        case linkMalformed = "link.malformed"
        /// The phone left, or the connection broke, before the answer was complete.
        case linkLost = "link.lost"
        /// The phone announced a message beyond the cap.
        case messageTooLong = "message.too_long"
        /// The NFC transfer ended before the answer was complete.
        case transferFailed = "transfer.failed"
        /// No phone connected over Bluetooth, or could be connected to, in time.
        case connectionOverdue = "connection.overdue"
        case connectionFailed = "connection.failed"
        /// Bluetooth ended under the transaction, or is not there though it is needed.
        case radioUnavailable = "radio.unavailable"
        /// The request had to be signed and could not be.
        case requestNotSigned = "request.not_signed"
        /// The phone's key cannot be agreed with, or OpenSSL failed.
        case sessionNotSetUp = "session.not_set_up"
        /// The holder did not answer in time.
        case consentOverdue = "consent.overdue"
        /// The transaction was interrupted on our side.
        case cancelled = "cancelled"
        /// A test issuer signed a document, and the configuration accepts no test documents.
        case documentTest = "document.test"
        /// The second answer of a session is of another document, with another key, than the first.
        case otherDocument = "document.other"
        case documentNotReturned = "document.not_returned"
        case elementNotReturned = "element.not_returned"
    }

    package enum Cause: Hashable, Sendable {
        case transaction(ID)
        /// A response that is not to be relied on as a whole.
        case response(ResponseFailure)
        case channel(ChannelFailure)
        /// A presentation of an app or a page that was not opened, by the id of its error.
        case unopened(String)

        package var id: String {
            switch self {
            case .transaction(let id): id.rawValue
            case .response(let failure): failure.rawValue
            case .channel(let failure): failure.rawValue
            case .unopened(let id): id
            }
        }
    }

    package let cause: Cause
    package let detail: String

    package var id: String { cause.id }

    package init(_ id: ID, _ detail: String) {
        cause = .transaction(id)
        self.detail = detail
    }

    private init(_ cause: Cause, _ detail: String) {
        self.cause = cause
        self.detail = detail
    }

    func adding(_ advice: String) -> TransactionError {
        TransactionError(cause, "\(detail); \(advice)")
    }

    /// - Parameter status: the status of the DeviceResponse, if it has one.
    package init(_ failure: ResponseFailure, status: UInt64?) {
        cause = .response(failure)
        detail = failure.explanation(status: status)
    }

    package init(_ failure: ChannelFailure) {
        cause = .channel(failure)
        detail = failure.explanation
    }

    package init(_ error: WalletPresentationError) {
        cause = .unopened(error.id)
        detail = error.explanation
    }

    package init(_ notReturned: NotReturned) {
        switch notReturned {
        case .document: cause = .transaction(.documentNotReturned)
        case .element: cause = .transaction(.elementNotReturned)
        }
        detail = notReturned.explanation
    }

    package static let knownIDs = ResponseFailure.allCases.map(\.rawValue) + ID.allCases.map(\.rawValue)
}

extension TransactionError {
    /// The mdoc ended the session with this status, and without an answer.
    package init(_ status: SessionStatus) {
        switch status {
        case .encryptionError:
            self.init(.sessionStatus10, "the phone could not decrypt the request (status 10)")
        case .decodingError: self.init(.sessionStatus11, "the phone could not decode the request (status 11)")
        case .termination:
            self.init(
                .sessionStatus20,
                "the phone ended the session without data (status 20): its holder may have declined")
        default:
            self.init(
                .sessionStatusOther,
                "the phone ended the session with status \(status.rawValue), which ISO/IEC 18013-5 does not define"
            )
        }
    }
}
