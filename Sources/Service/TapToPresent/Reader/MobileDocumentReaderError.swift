public import Foundation
internal import MdocModel
internal import MdocVerification
internal import ReaderService
internal import Transport

/// Why a reader cannot be prepared, or a document was not read: ProximityReader's eleven cases, each with what lies
/// under it where that is known.
///
/// A case reads and compares as if it had no reason: `catch MobileDocumentReaderError.cancelled` and
/// `error == .cancelled` hold whatever the reason is.
public enum MobileDocumentReaderError: Error, Sendable {
    /// The request ended before there was an answer: the task was cancelled, the operator or the holder said no, or
    /// nobody came in time.
    case cancelled(Reason?)
    /// The request asks nothing, too much or what the document does not have.
    case invalidRequest(Reason?)
    /// The phone's answer, or how it came, is not valid.
    case invalidResponse(Reason?)
    /// The reader token is not valid; make a valid one and prepare again.
    case invalidToken(Reason?)
    /// The network cannot be reached. Nothing in this library needs it today: kept so that code from there compiles.
    case networkUnavailable(Reason?)
    /// This reader may not make the request.
    case notAllowed(Reason?)
    /// This computer, or the phone, cannot do what is asked.
    case notSupported(Reason?)
    /// A part of the reader is not there: pcscd, the reader, the trust store.
    case serviceUnavailable(Reason?)
    /// The session is over; prepare again with a new token.
    case sessionExpired(Reason?)
    /// Another read is under way; try later.
    case systemBusy(Reason?)
    case unknown(Reason?)

    /// What lies under it; nil if nothing more is known.
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

/// The cases without a reason.
extension MobileDocumentReaderError {
    /// `cancelled`, to throw and to compare with.
    public static var cancelled: Self { .cancelled(nil) }
    /// `invalidRequest`, to throw and to compare with.
    public static var invalidRequest: Self { .invalidRequest(nil) }
    /// `invalidResponse`, to throw and to compare with.
    public static var invalidResponse: Self { .invalidResponse(nil) }
    /// `invalidToken`, to throw and to compare with.
    public static var invalidToken: Self { .invalidToken(nil) }
    /// `networkUnavailable`, to throw and to compare with.
    public static var networkUnavailable: Self { .networkUnavailable(nil) }
    /// `notAllowed`, to throw and to compare with.
    public static var notAllowed: Self { .notAllowed(nil) }
    /// `notSupported`, to throw and to compare with.
    public static var notSupported: Self { .notSupported(nil) }
    /// `serviceUnavailable`, to throw and to compare with.
    public static var serviceUnavailable: Self { .serviceUnavailable(nil) }
    /// `sessionExpired`, to throw and to compare with.
    public static var sessionExpired: Self { .sessionExpired(nil) }
    /// `systemBusy`, to throw and to compare with.
    public static var systemBusy: Self { .systemBusy(nil) }
    /// `unknown`, to throw and to compare with.
    public static var unknown: Self { .unknown(nil) }
}

extension MobileDocumentReaderError: Hashable {
    /// By the case alone.
    public static func == (one: Self, other: Self) -> Bool { one.ordinal == other.ordinal }

    /// By the case alone.
    public func hash(into hasher: inout Hasher) { hasher.combine(ordinal) }

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
    /// What happened, and what to do, in words.
    public var errorDescription: String? {
        switch self {
        case .cancelled: "The request was cancelled."
        case .invalidRequest: "The request is not valid."
        case .invalidResponse: "The phone's answer is not valid."
        case .invalidToken: "The reader token is not valid: make a valid one and prepare again."
        case .networkUnavailable: "The network cannot be reached: check the connection."
        case .notAllowed: "This reader is not allowed to make the request."
        case .notSupported: "Reading is not supported."
        case .serviceUnavailable: "The reader is not available."
        case .sessionExpired: "The session is over: make a new token and prepare again."
        case .systemBusy: "Another document is being read: try again later."
        case .unknown: "The document could not be read."
        }
    }

    /// What lies under it, in words.
    public var failureReason: String? { reason?.description }
}

extension MobileDocumentReaderError {
    /// What lies under an error. Holds nothing personal; an `id` names a condition of a part of the reader and is
    /// stable.
    public enum Reason: Hashable, Sendable {
        // The request

        case nothingRequested
        /// An element occurs twice in the request, or is both to be kept and not to be kept.
        case elementTwice
        /// The kind of document has no such element.
        case elementNotOfDocument
        /// National ID cards of this region cannot be asked for.
        case regionNotSupported
        /// An age is not in 0 to 99.
        case ageOutOfRange
        /// At most two ages may be asked about in one request (ISO/IEC 18013-5 7.2.5).
        case moreThanTwoAges
        /// One kind of document is asked for twice.
        case documentTwice
        /// The policy that was named accepts more than the setup's for what is asked.
        case policyAcceptsMore

        // The token

        /// An app gets elements only in a session that was prepared with a reader token.
        case tokenRequired
        case tokenRefused(id: String)

        // The reader

        case readInProgress
        /// The contactless reader, or pcscd.
        case readerUnavailable(id: String)
        /// Bluetooth is needed and is not there.
        case radioUnavailable(id: String)
        /// The store cannot be used, or nobody is trusted yet (`store.empty`).
        case storeUnavailable(id: String)
        /// The roots of the setup are not valid.
        case rootsUnusable(id: String)
        /// The registry of brands cannot be read.
        case brandsUnavailable
        /// The identity that is to sign cannot be used.
        case identityUnavailable(id: String)
        /// The computer's clock was never set.
        case clockNotSet
        /// A display request, and nothing to show its result on.
        case displayMissing
        /// The display cannot be used.
        case displayUnavailable(id: String)

        // The phone

        case taskCancelled
        /// The holder declined, or the wallet does not know this reader.
        case holderDeclined
        /// No phone was engaged in time.
        case engagementOverdue
        /// The holder did not answer in time.
        case consentOverdue
        case engagementMalformed
        /// The phone offers no way to answer that this reader has.
        case noUsableRetrieval
        /// The phone did not connect over Bluetooth, or could not be connected to.
        case connectionFailed(id: String)
        /// The phone left before its answer was complete, or the transfer broke.
        case transferIncomplete
        case messageTooLong
        /// The request had to be signed and could not be, and so was not sent.
        case requestNotSigned
        /// The session's messages do not decode or decrypt.
        case sessionBroken
        /// The phone ended the session with this status.
        case phoneStatus(Int)

        // The answer

        /// It is not a DeviceResponse.
        case responseMalformed
        /// A check failed, or could not be made.
        case rejected(MobileDocumentVerdict)
        /// The daemon of the clerk's page ended the presentation for these reasons, by their stable names.
        case ended(ids: [String])
        /// A fault of this library.
        case internalFault
    }
}

extension MobileDocumentReaderError.Reason: CustomStringConvertible {
    /// In words, for an operator or a log.
    public var description: String {
        switch self {
        case .nothingRequested: "nothing is asked for"
        case .elementTwice: "an element is asked for twice"
        case .elementNotOfDocument: "the document has no such element"
        case .regionNotSupported: "national ID cards of this region cannot be asked for"
        case .ageOutOfRange: "an age is not from 0 to 99"
        case .moreThanTwoAges: "more than two ages are asked about"
        case .documentTwice: "one kind of document is asked for twice"
        case .policyAcceptsMore:
            "the policy is less strict than that of the setup for this purpose: name a stricter one"
        case .tokenRequired: "the session was prepared without a reader token"
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
        case .noUsableRetrieval: "the phone offers no way to answer that this reader supports"
        case .connectionFailed(let id): "no connection to the phone could be made (\(id))"
        case .transferIncomplete: "the phone left before its answer was complete"
        case .messageTooLong: "the phone sent a longer message than is allowed"
        case .requestNotSigned: "the request could not be signed"
        case .sessionBroken: "the session's messages do not decode or decrypt"
        case .phoneStatus(let status): "the phone ended the session with status \(status)"
        case .responseMalformed: "the answer is not a DeviceResponse"
        case .rejected(let verdict): "the answer was rejected (\(verdict.failures.joined(separator: ", ")))"
        case .ended(let ids): "the presentation ended without a decision (\(ids.joined(separator: ", ")))"
        case .internalFault: "an error of this library: report it"
        }
    }
}

extension MobileDocumentReaderError {
    /// The error for a result that gives the app nothing.
    init(withoutAnswer result: Result<Judgement, PresentationFailure>) {
        switch result {
        case .failure(let failure): self = MobileDocumentReaderError(failure)
        case .success(let judgement):
            let verdict = MobileDocumentVerdict(judgement)
            self = verdict.isVerified ? .unknown(.internalFault) : .invalidResponse(.rejected(verdict))
        }
    }

    init(_ failure: PresentationFailure) {
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
