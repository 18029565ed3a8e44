internal import CBOR
package import MdocModel

/// The kind of vehicle in a question about driving.
package enum DrivingClass: Hashable, Sendable {
    /// A vehicle category of ISO/IEC 18013-1, such as B.
    case category(String)
    /// A class of the issuing state (AAMVA), such as C.
    case domesticClass(String)
}

/// The answer to the question "may the holder drive this today?".
package enum DrivingAnswer: Equatable, Sendable, RedactedDescription {
    /// Yes, until the end of this day. The program does not evaluate the restrictions, so a person must check
    /// them.
    case yes(until: FullDate, restrictions: [DrivingRestriction])
    case no(DrivingRefusal)
    case cannotTell(DrivingUnknown)

    /// The reason that the holder may not drive the vehicle.
    package enum DrivingRefusal: Equatable, Sendable {
        /// The document has no entry for this vehicle.
        case notGranted
        /// The holder may drive the vehicle only from this day on.
        case notYet(from: FullDate)
        /// The holder was allowed to drive the vehicle until the end of this day.
        case expired(on: FullDate)
        /// The document itself expired at the end of this day.
        case documentExpired(on: FullDate)
    }

    /// The reason that the question has no answer.
    package enum DrivingUnknown: Equatable, Sendable {
        /// The element with the driving privileges was not returned.
        case notReturned
        /// The privileges, or a date that the answer depends on, cannot be read.
        case malformed
        /// The document's own expiry date was not returned. It is needed even if the privilege has a date
        /// (Q221).
        case expiryDateNotReturned
    }
}

extension DrivingAnswer {
    /// The reason for the answer, in words for users. If the answer is yes, the text contains the last day
    /// and the restrictions instead.
    package var reason: String {
        switch self {
        case .yes(let day, let restrictions):
            (["until \(day)"] + restrictions.map { "restriction \($0.text)" }).joined(separator: ", ")
        case .no(.notGranted): "the document does not grant this category or class"
        case .no(.notYet(let day)): "granted from \(day) on"
        case .no(.expired(let day)): "granted until \(day)"
        case .no(.documentExpired(let day)): "the document expired on \(day)"
        case .cannotTell(.notReturned): "the driving privileges were not returned"
        case .cannotTell(.malformed):
            "the driving privileges, or a date on which the answer depends, are malformed"
        case .cannotTell(.expiryDateNotReturned): "the expiry date was not shared"
        }
    }
}

extension DrivingClass {
    /// The category, or the class in the form that an intent uses.
    package var text: String {
        switch self {
        case .category(let code): code
        case .domesticClass(let code): "class \(code)"
        }
    }
}
