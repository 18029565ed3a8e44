package import MdocModel
package import MdocVerification
package import WalletPresentation

/// An error outside the checks of a document, or the absence of a requested document or element. The detail
/// contains no element value.
package struct TransactionError: Equatable, Sendable {
    /// The stable ids of errors. Faults of a whole response have the ids of `ResponseFailure`.
    package enum ID: String, CaseIterable, Sendable {
        /// A file given to the command does not have the expected format.
        case inputMalformed = "input.malformed"
        /// The decrypted answer is not a DeviceResponse.
        case responseMalformed = "response.malformed"
        /// The bytes are not SessionData, or have neither data nor status.
        case sessionMalformed = "session.malformed"
        /// The message does not decrypt: the key, transcript or counter differs, or bytes were changed.
        case sessionDecryption = "session.decryption"
        /// The phone could not decrypt the reader's message.
        case sessionStatus10 = "session.status_10"
        /// The phone could not decode the reader's message.
        case sessionStatus11 = "session.status_11"
        /// The phone ended the session without data. The holder may have declined.
        case sessionStatus20 = "session.status_20"
        /// The phone ended the session with a status that no standard defines.
        case sessionStatusOther = "session.status_other"
        /// The holder returned nothing. This is an outcome and not a fault.
        case declined = "declined"
        /// No PC/SC reader can be used.
        case readerUnavailable = "reader.unavailable"
        /// No phone was engaged in time.
        case engagementOverdue = "engagement.overdue"
        /// Phones were tapped, but every engagement ended before it was complete.
        case engagementFailed = "engagement.failed"
        /// The engagement is malformed.
        case engagementMalformed = "engagement.malformed"
        /// The phone and this reader have no retrieval method in common.
        case noUsableRetrieval = "engagement.no_retrieval"
        /// The first frame on the bench link (a TCP connection to a software wallet) is not a greeting.
        case linkMalformed = "link.malformed"
        /// The phone left, or the connection broke, before the answer was complete.
        case linkLost = "link.lost"
        /// The phone announced a message above the maximum size.
        case messageTooLong = "message.too_long"
        /// The NFC transfer ended before the answer was complete.
        case transferFailed = "transfer.failed"
        /// No Bluetooth link to the phone was made in time.
        case connectionOverdue = "connection.overdue"
        /// The Bluetooth connection to the phone failed, or could not be used.
        case connectionFailed = "connection.failed"
        /// Bluetooth cannot be used although it is needed, or it failed while it was in use.
        case radioUnavailable = "radio.unavailable"
        /// The request had to be signed, and signing failed.
        case requestNotSigned = "request.not_signed"
        /// No session could be set up with the phone's key, or OpenSSL failed.
        case sessionNotSetUp = "session.not_set_up"
        /// The holder did not answer in time.
        case consentOverdue = "consent.overdue"
        /// The transaction was cancelled by this program or its user.
        case cancelled = "cancelled"
        /// A test issuer signed a document, and the configuration accepts no test documents.
        case documentTest = "document.test"
        /// The second answer in a session contains a different document than the first answer. The two
        /// documents may belong to different persons.
        case otherDocument = "document.other"
        /// A requested document was not returned.
        case documentNotReturned = "document.not_returned"
        /// A requested element was not returned.
        case elementNotReturned = "element.not_returned"
    }

    /// The cause of an error, which gives its id.
    package enum Cause: Hashable, Sendable {
        /// An error with one of the ids in `ID`.
        case transaction(ID)
        /// A fault of the whole response.
        case response(ResponseFailure)
        /// A failed rule that applies only to a presentation through an app or a web page.
        case channel(ChannelFailure)
        /// A presentation through an app or a web page that could not be opened, with the id of its error.
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

    /// Creates the error of a response that failed as a whole.
    ///
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

    /// All ids of errors of a transaction and of a response.
    package static let knownIDs = ResponseFailure.allCases.map(\.rawValue) + ID.allCases.map(\.rawValue)
}

extension TransactionError {
    /// Creates the error of a session that the phone ended with this status and without an answer.
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
