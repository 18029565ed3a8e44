public import Foundation

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
