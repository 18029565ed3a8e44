public import Foundation
internal import MdocModel
internal import MdocVerification
internal import ReaderService
internal import Transport

/// The error for a reader that cannot be prepared or a document that was not read.
///
/// The eleven cases are those of Apple's framework ProximityReader. Each case can contain a ``Reason``, which
/// gives the cause in detail.
///
/// Two errors are equal if their cases are equal: `catch MobileDocumentReaderError.cancelled` and `error ==
/// .cancelled` match for every reason.
public enum MobileDocumentReaderError: Error, Sendable {
    /// The request ended without an answer: the task was cancelled, the operator or the holder declined, or a
    /// timeout passed.
    case cancelled(Reason?)
    /// The request asks for nothing, for too much, or for an element that the document type does not have.
    case invalidRequest(Reason?)
    /// The phone's answer is not valid, or its transfer failed.
    case invalidResponse(Reason?)
    /// The reader token is not valid. Make a valid token and prepare the reader again.
    case invalidToken(Reason?)
    /// The network cannot be reached. This library does not throw this case; it exists for code written for
    /// ProximityReader.
    case networkUnavailable(Reason?)
    /// The reader is not allowed to make the request.
    case notAllowed(Reason?)
    /// This computer or the phone cannot do what the request requires.
    case notSupported(Reason?)
    /// A required part is missing or not working, such as pcscd, the NFC reader or the trust store.
    case serviceUnavailable(Reason?)
    /// The reader token has expired. Prepare the reader again with a new token.
    case sessionExpired(Reason?)
    /// Another read is in progress. Try again later.
    case systemBusy(Reason?)
    /// Any other error.
    case unknown(Reason?)

    /// The detailed cause, or `nil` if it is not known.
    public var reason: Reason? {
        switch self {
        case .cancelled(let reason), .invalidRequest(let reason), .invalidResponse(let reason),
            .invalidToken(let reason), .networkUnavailable(let reason), .notAllowed(let reason),
            .notSupported(let reason), .serviceUnavailable(let reason), .sessionExpired(let reason),
            .systemBusy(let reason), .unknown(let reason):
            reason
        }
    }
}

/// Constants for the cases without a reason, for code that throws an error or compares two errors.
extension MobileDocumentReaderError {
    /// The case `cancelled` without a reason.
    public static var cancelled: Self { .cancelled(nil) }
    /// The case `invalidRequest` without a reason.
    public static var invalidRequest: Self { .invalidRequest(nil) }
    /// The case `invalidResponse` without a reason.
    public static var invalidResponse: Self { .invalidResponse(nil) }
    /// The case `invalidToken` without a reason.
    public static var invalidToken: Self { .invalidToken(nil) }
    /// The case `networkUnavailable` without a reason.
    public static var networkUnavailable: Self { .networkUnavailable(nil) }
    /// The case `notAllowed` without a reason.
    public static var notAllowed: Self { .notAllowed(nil) }
    /// The case `notSupported` without a reason.
    public static var notSupported: Self { .notSupported(nil) }
    /// The case `serviceUnavailable` without a reason.
    public static var serviceUnavailable: Self { .serviceUnavailable(nil) }
    /// The case `sessionExpired` without a reason.
    public static var sessionExpired: Self { .sessionExpired(nil) }
    /// The case `systemBusy` without a reason.
    public static var systemBusy: Self { .systemBusy(nil) }
    /// The case `unknown` without a reason.
    public static var unknown: Self { .unknown(nil) }
}

extension MobileDocumentReaderError: Hashable {
    /// Compares the cases and ignores the reasons.
    public static func == (one: Self, other: Self) -> Bool { one.ordinal == other.ordinal }

    /// Hashes the case and ignores the reason.
    public func hash(into hasher: inout Hasher) { hasher.combine(ordinal) }

    /// The number of the case, by which errors are compared and hashed.
    private var ordinal: Int {
        switch self {
        case .cancelled: 0
        case .invalidRequest: 1
        case .invalidResponse: 2
        case .invalidToken: 3
        case .networkUnavailable: 4
        case .notAllowed: 5
        case .notSupported: 6
        case .serviceUnavailable: 7
        case .sessionExpired: 8
        case .systemBusy: 9
        case .unknown: 10
        }
    }
}

extension MobileDocumentReaderError: LocalizedError {
    /// A message that says what happened and what to do.
    public var errorDescription: String? {
        switch self {
        case .cancelled: "The request was cancelled."
        case .invalidRequest: "The request is not valid."
        case .invalidResponse: "The phone's answer is not valid."
        case .invalidToken: "The reader token is not valid: make a valid token and prepare the reader again."
        case .networkUnavailable: "The network cannot be reached: check the connection."
        case .notAllowed: "This reader is not allowed to make the request."
        case .notSupported: "This computer or the phone does not support the request."
        case .serviceUnavailable: "The reader is not available."
        case .sessionExpired: "The session has expired: make a new token and prepare the reader again."
        case .systemBusy: "Another document is being read: try again later."
        case .unknown: "The document could not be read."
        }
    }

    /// The detailed cause as a message.
    public var failureReason: String? { reason?.description }
}

extension MobileDocumentReaderError {
    /// The detailed cause of an error. Contains no personal data. An associated `id` is the stable id of the
    /// exact cause, such as `store.empty`.
    public enum Reason: Hashable, Sendable {
        // The request

        /// The request contains no element or document.
        case nothingRequested
        /// An element occurs twice in the request, or is in both of the request's element lists (retained and
        /// not retained).
        case elementTwice
        /// The requested document type has no such element.
        case elementNotOfDocument
        /// National ID cards of this region are not supported.
        case regionNotSupported
        /// An age is not from 0 to 99 years.
        case ageOutOfRange
        /// The request asks about more than two ages (ISO/IEC 18013-5 7.2.5 permits two).
        case moreThanTwoAges
        /// A document type is requested twice.
        case documentTwice
        /// The given revocation policy is less strict than the setup's policy for the request's purpose.
        case policyAcceptsMore

        // The token

        /// The app requested elements in a session without a reader token.
        case tokenRequired
        /// The reader token was refused.
        case tokenRefused(id: String)

        // The reader

        /// Another document is being read with the same devices.
        case readInProgress
        /// The NFC reader or pcscd cannot be used.
        case readerUnavailable(id: String)
        /// Bluetooth is needed and cannot be used.
        case radioUnavailable(id: String)
        /// The store cannot be used, or it contains no trusted issuer (`store.empty`).
        case storeUnavailable(id: String)
        /// The issuer roots in the setup are malformed or not acceptable.
        case rootsUnusable(id: String)
        /// The brand registry cannot be read.
        case brandsUnavailable
        /// The identity that should sign the request cannot be used.
        case identityUnavailable(id: String)
        /// The computer's clock is not set.
        case clockNotSet
        /// The setup has no display for the result of a display request.
        case displayMissing
        /// The display cannot be used.
        case displayUnavailable(id: String)

        // The phone

        /// The task was cancelled.
        case taskCancelled
        /// The holder declined or has no such document, or the wallet refused because it does not know this
        /// reader.
        case holderDeclined
        /// No phone was tapped or scanned in time.
        case engagementOverdue
        /// The holder did not answer in time.
        case consentOverdue
        /// The phone's engagement is malformed.
        case engagementMalformed
        /// The phone and this reader have no retrieval method in common.
        case noUsableRetrieval
        /// No Bluetooth connection between the phone and this reader could be made.
        case connectionFailed(id: String)
        /// The phone left before its answer was complete, or the transfer failed.
        case transferIncomplete
        /// The phone sent a message that is longer than the limit.
        case messageTooLong
        /// The request must be signed and signing failed, so it was not sent.
        case requestNotSigned
        /// The session's messages cannot be decoded or decrypted.
        case sessionBroken
        /// The phone ended the session with this status.
        case phoneStatus(Int)

        // The answer

        /// The answer is not a DeviceResponse.
        case responseMalformed
        /// A check of the answer failed or could not be made.
        case rejected(MobileDocumentVerdict)
        /// The private daemon of the clerk's page ended the presentation. `ids` contains the stable names of
        /// the reasons.
        case ended(ids: [String])
        /// An error in this library.
        case internalFault
    }
}

extension MobileDocumentReaderError.Reason: CustomStringConvertible {
    /// A message for an operator or a log.
    public var description: String {
        switch self {
        case .nothingRequested: "the request contains no element"
        case .elementTwice: "an element is requested twice"
        case .elementNotOfDocument: "the document type has no such element"
        case .regionNotSupported: "national ID cards of this region are not supported"
        case .ageOutOfRange: "an age is not from 0 to 99"
        case .moreThanTwoAges: "the request asks about more than two ages"
        case .documentTwice: "a document type is requested twice"
        case .policyAcceptsMore:
            "the policy is less strict than the setup's policy for this purpose: name a stricter policy"
        case .tokenRequired: "the request needs a reader token: prepare the session with one"
        case .tokenRefused(let id): "the token was refused (\(id))"
        case .readInProgress: "another document is being read"
        case .readerUnavailable(let id): "the contactless reader cannot be used (\(id))"
        case .radioUnavailable(let id): "Bluetooth cannot be used (\(id))"
        case .storeUnavailable(let id): "the store cannot be used, or no issuer is trusted (\(id))"
        case .rootsUnusable(let id): "the roots cannot be used (\(id))"
        case .brandsUnavailable: "the registry of brands cannot be read"
        case .identityUnavailable(let id): "the reader identity cannot be used (\(id))"
        case .clockNotSet: "the computer's clock is not set"
        case .displayMissing: "there is no display to show the result on"
        case .displayUnavailable(let id):
            "\(DisplayFault(rawValue: id)?.explanation ?? "the display cannot be used") (\(id))"
        case .taskCancelled: "the task was cancelled"
        case .holderDeclined:
            "the holder declined, has no such document, or the wallet does not know this reader"
        case .engagementOverdue: "no phone was tapped or scanned in time"
        case .consentOverdue: "the holder did not answer in time"
        case .engagementMalformed: "the phone's engagement is malformed"
        case .noUsableRetrieval:
            "this reader supports none of the ways in which the phone can send its answer"
        case .connectionFailed(let id): "no connection to the phone could be made (\(id))"
        case .transferIncomplete: "the phone left before its answer was complete"
        case .messageTooLong: "the phone sent a message that is too long"
        case .requestNotSigned: "the request could not be signed"
        case .sessionBroken: "the session's messages do not decode or decrypt"
        case .phoneStatus(let status): "the phone ended the session with status \(status)"
        case .responseMalformed: "the answer is not a DeviceResponse"
        case .rejected(let verdict): "the answer was rejected (\(verdict.failures.joined(separator: ", ")))"
        case .ended(let ids): "the presentation ended without a decision (\(ids.joined(separator: ", ")))"
        case .internalFault: "this library has an error: please report it"
        }
    }
}

extension MobileDocumentReaderError {
    /// Creates the error for a presentation whose result contains no answer for the app.
    init(withoutAnswer result: Result<Judgement, PresentationFailure>) {
        switch result {
        case .failure(let failure): self = MobileDocumentReaderError(failure)
        case .success(let judgement):
            // A verified answer reaches this line only through a bug in this library.
            let verdict = MobileDocumentVerdict(judgement)
            self = verdict.isVerified ? .unknown(.internalFault) : .invalidResponse(.rejected(verdict))
        }
    }

    /// Converts the failure of a presentation.
    init(_ failure: PresentationFailure) {
        // This library uses no bench link (a TCP connection to a software wallet) and sends no second request
        // in a session. Failures of a bench link or of a second request therefore get the nearest reason.
        self =
            switch failure {
            case .declined: .cancelled(.holderDeclined)
            case .responseMalformed: .invalidResponse(.responseMalformed)
            case .readerUnavailable(let fault): Self(fault)
            case .radioUnavailable(let fault): .serviceUnavailable(.radioUnavailable(id: fault.id.rawValue))
            case .engagementOverdue: .cancelled(.engagementOverdue)
            case .consentOverdue: .cancelled(.consentOverdue)
            case .cancelled: .cancelled(.taskCancelled)
            case .engagement, .benchLink: .invalidResponse(.engagementMalformed)
            case .noUsableRetrieval: .notSupported(.noUsableRetrieval)
            case .connectionOverdue:
                .invalidResponse(.connectionFailed(id: ConnectionFaultID.timedOut.rawValue))
            case .connection(let fault): .invalidResponse(.connectionFailed(id: fault.id.rawValue))
            case .messageTooLong: .invalidResponse(.messageTooLong)
            case .transfer, .bluetooth, .linkLost: .invalidResponse(.transferIncomplete)
            case .requestNotSigned: .serviceUnavailable(.requestNotSigned)
            case .session, .sessionOver, .otherDocument: .invalidResponse(.sessionBroken)
            case .status(let status): .invalidResponse(.phoneStatus(Int(clamping: status.rawValue)))
            }
    }

    /// Converts a fault of the NFC reader or of pcscd.
    init(_ fault: ReaderFault) {
        let reason = Reason.readerUnavailable(id: fault.id.rawValue)
        self =
            switch fault.id {
            case .readerInUse, .tooManyClients: .systemBusy(reason)
            case .serviceAccessDenied, .cardAccessDenied: .notAllowed(reason)
            default: .serviceUnavailable(reason)
            }
    }
}
