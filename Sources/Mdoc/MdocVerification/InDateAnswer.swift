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
    /// Whether the document is in date by the issuer-signed `expiry_date` in the namespace of its type.
    ///
    /// A `full-date` counts to the end of that day; a `tdate` is an instant, compared with the time of verification.
    /// The validity of the MSO is another matter.
    ///
    /// - Parameter day: the day where the document is shown, in the zone of the premises (Q161).
    package func isInDate(on day: FullDate) -> InDateAnswer {
        guard let value = issuerSigned(.inMainNameSpace("expiry_date", of: docType)) else {
            return .cannotTell(.notReturned)
        }
        guard let date = try? DateText(value) else { return .cannotTell(.malformed) }
        let isPast =
            switch date.value {
            case .day(let last): last < day
            case .instant(let end): end < now
            }
        // West of Greenwich an instant may be on another day than in UTC.
        return isPast ? .no(expiredOn: date.day) : .yes(until: max(date.day, day))
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
