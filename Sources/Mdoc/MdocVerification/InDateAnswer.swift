internal import CBOR
package import MdocModel

/// The answer to the question "is the document itself in date today?", by its `expiry_date`.
package enum InDateAnswer: Equatable, Sendable, RedactedDescription {
    /// Yes, until the end of this day.
    case yes(until: FullDate)
    /// No. This day was the last day of the document.
    case no(expiredOn: FullDate)
    case cannotTell(InDateUnknown)

    /// The reason that the question has no answer.
    package enum InDateUnknown: Equatable, Sendable {
        /// The element with the expiry date was not returned.
        case notReturned
        /// The element was returned, but its value is not a date.
        case malformed
    }
}

extension VerifiedDocument {
    /// Whether the document is in date by its issuer-signed `expiry_date`, according to `ExpiryDates`.
    ///
    /// The validity of the MSO is checked separately.
    ///
    /// - Parameter day: The current day in the time zone of the premises (Q161).
    package func isInDate(on day: FullDate) -> InDateAnswer {
        let own = elements.filter {
            $0.signedBy == .issuer && $0.name.identifier == ExpiryDates.identifier
        }
        return ExpiryDates(own.map { ($0.name, $0.value) }, of: docType).answer(on: day, at: now)
    }
}

extension InDateAnswer {
    /// The reason for the answer, in words for users. If the answer is yes, the text contains the last day
    /// instead.
    package var reason: String {
        switch self {
        case .yes(let day): "until \(day)"
        case .no(let day): "the document expired on \(day)"
        case .cannotTell(.notReturned): "the expiry date was not shared"
        case .cannotTell(.malformed): "the expiry date is malformed"
        }
    }
}
