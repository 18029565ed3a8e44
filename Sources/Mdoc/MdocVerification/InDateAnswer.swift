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
    /// The validity of the MSO is another matter. An `expiry_date` of another namespace that is past refutes as well; where the
    /// type of the document is not known, its namespace is not known either, and every one counts.
    ///
    /// - Parameter day: the day where the document is shown, in the zone of the premises (Q161).
    package func isInDate(on day: FullDate) -> InDateAnswer {
        let main = ElementName.inMainNameSpace("expiry_date", of: docType)
        let values = elements.filter { $0.signedBy == .issuer && $0.name.identifier == main.identifier }
        let dates = values.map { try? DateText($0.value) }
        if let past = dates.compactMap(\.self).first(where: { isPast($0, on: day) }) {
            return .no(expiredOn: past.day)
        }
        // Where its type is known, the date of the main namespace alone says that the document is in date.
        let isKnown = DataModel(docType: docType) != nil
        guard isKnown ? has(main) : !values.isEmpty else { return .cannotTell(.notReturned) }
        guard !dates.contains(where: { $0 == nil }), let first = dates.compactMap(\.self?.day).min() else {
            return .cannotTell(.malformed)
        }
        // West of Greenwich an instant may be on another day than in UTC.
        return .yes(until: max(first, day))
    }

    private func isPast(_ date: DateText, on day: FullDate) -> Bool {
        switch date.value {
        case .day(let last): last < day
        case .instant(let end): end < now
        }
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
