internal import CBOR
package import MdocModel

/// What somebody wants to drive.
package enum DrivingClass: Hashable, Sendable {
    /// A vehicle category of ISO/IEC 18013-1, such as B.
    case category(String)
    /// A class of the issuing state (AAMVA), such as C.
    case domesticClass(String)
}

/// The answer to "may the holder drive this today?".
package enum DrivingAnswer: Equatable, Sendable, RedactedDescription {
    /// Yes, to the end of this day, within these restrictions; a person has to look at them.
    case yes(until: FullDate, restrictions: [DrivingRestriction])
    case no(DrivingRefusal)
    case cannotTell(DrivingUnknown)

    package enum DrivingRefusal: Equatable, Sendable {
        /// The document grants other categories or classes.
        case notGranted
        /// Granted from this day on.
        case notYet(from: FullDate)
        /// Granted to the end of this day.
        case expired(on: FullDate)
        /// The document itself was in date to the end of this day.
        case documentExpired(on: FullDate)
    }

    package enum DrivingUnknown: Equatable, Sendable {
        /// The element with the privileges did not come.
        case notReturned
        /// The privileges, or a date that counts, are not what they should be.
        case malformed
        /// The document's own expiry date did not come. It is needed even if the privilege has one.
        case expiryDateNotReturned
    }
}

extension DrivingAnswer {
    /// Until when and with what restrictions, or why not.
    package var reason: String {
        switch self {
        case .yes(let day, let restrictions):
            (["until \(day)"] + restrictions.map { "restriction \($0.text)" }).joined(separator: ", ")
        case .no(.notGranted): "the document grants other categories or classes"
        case .no(.notYet(let day)): "granted from \(day) on"
        case .no(.expired(let day)): "granted until \(day)"
        case .no(.documentExpired(let day)): "the document expired on \(day)"
        case .cannotTell(.notReturned): "the driving privileges were not returned"
        case .cannotTell(.malformed):
            "the driving privileges, or a date that counts, are malformed"
        case .cannotTell(.expiryDateNotReturned): "the expiry date was not shared"
        }
    }
}

extension DrivingClass {
    /// The category, or the class as an intent names it.
    package var text: String {
        switch self {
        case .category(let code): code
        case .domesticClass(let code): "class \(code)"
        }
    }
}
