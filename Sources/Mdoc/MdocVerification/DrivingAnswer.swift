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
        case misshapen
        /// Neither the privilege nor the document says how long it is in date.
        case noExpiryDate
    }
}
