internal import CBOR
package import MdocModel

/// The answer to "is the document itself in date today?", by its `expiry_date`.
package enum InDateAnswer: Equatable, Sendable, RedactedDescription {
    /// Yes, to the end of this day.
    case yes(until: FullDate)
    /// No: this was its last day.
    case no(expiredOn: FullDate)
    case cannotTell(InDateUnknown)

    package enum InDateUnknown: Equatable, Sendable {
        /// The element with the expiry date did not come.
        case notReturned
        /// The element came, and its value is not a date.
        case malformed
    }
}

extension VerifiedDocument {
    /// Whether the document is in date by its issuer-signed `expiry_date`: see `ExpiryDates`. The validity of the MSO is
    /// another matter.
    ///
    /// - Parameter day: the day where the document is shown, in the zone of the premises (Q161).
    package func isInDate(on day: FullDate) -> InDateAnswer {
        let own = elements.filter {
            $0.signedBy == .issuer && $0.name.identifier == ExpiryDates.identifier
        }
        return ExpiryDates(own.map { ($0.name, $0.value) }, of: docType).answer(on: day, at: now)
    }
}

extension InDateAnswer {
    /// Until when, or why not.
    package var reason: String {
        switch self {
        case .yes(let day): "until \(day)"
        case .no(let day): "the document expired on \(day)"
        case .cannotTell(.notReturned): "the expiry date was not shared"
        case .cannotTell(.malformed): "the expiry date is malformed"
        }
    }
}
