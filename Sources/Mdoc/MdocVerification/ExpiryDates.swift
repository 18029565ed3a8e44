internal import CBOR
internal import MdocModel

/// The `expiry_date` elements of one document in all its namespaces. Only this type decides whether a
/// document is in date, that is, not past its expiry date.
///
/// - Only the date in the main namespace of the document's type can show that the document is in date.
/// - A past date in any namespace shows that the document is not in date.
/// - For a type without a data model the main namespace is unknown. Then the date of any namespace can show
///   either.
struct ExpiryDates {
    static let identifier = "expiry_date"

    private let dates: [DateText?]
    /// Whether a date was returned that can show that the document is in date.
    private let canProve: Bool

    init(_ elements: [(name: ElementName, value: CBORItem)], of docType: String) {
        dates = elements.map { try? DateText($0.value) }
        let main = ElementName.inMainNameSpace(Self.identifier, of: docType)
        let isKnown = DataModel(docType: docType) != nil
        // For a type without a data model the main namespace is not known, so a date in any namespace is
        // used.
        canProve = isKnown ? elements.contains { $0.name == main } : !elements.isEmpty
    }

    /// Whether the document is in date. A `full-date` counts until the end of that day; a `tdate` is an
    /// instant.
    ///
    /// - Parameters:
    ///   - day: The current day in the time zone of the premises (Q161).
    ///   - now: The time of verification.
    func answer(on day: FullDate, at now: Timestamp) -> InDateAnswer {
        if let past = dates.compactMap(\.self).first(where: { $0.isPast(on: day, at: now) }) {
            return .no(expiredOn: past.day)
        }
        guard canProve else { return .cannotTell(.notReturned) }
        // A date that cannot be read may be a past date.
        guard !dates.contains(where: { $0 == nil }), let first = dates.compactMap(\.self?.day).min() else {
            return .cannotTell(.malformed)
        }
        // The day of an instant is taken in UTC. East of Greenwich, that day may be over although the instant
        // has not come. The last day in the answer must not be before today.
        return .yes(until: max(first, day))
    }
}

extension DateText {
    fileprivate func isPast(on day: FullDate, at now: Timestamp) -> Bool {
        switch value {
        case .day(let last): last < day
        case .instant(let end): end < now
        }
    }
}
