internal import CBOR
internal import MdocModel

/// The `expiry_date` elements of one document, in all of its namespaces: the one rule of whether a document is in date.
///
/// The date in the namespace of the document's type says that it is in date. One of any namespace that is past refutes that.
/// Where the type is not known, its namespace is not known either, and every date counts.
struct ExpiryDates {
    static let identifier = "expiry_date"

    private let dates: [DateText?]
    /// Whether a date came that can say that the document is in date.
    private let canProve: Bool

    init(_ elements: [(name: ElementName, value: CBORItem)], of docType: String) {
        dates = elements.map { try? DateText($0.value) }
        let main = ElementName.inMainNameSpace(Self.identifier, of: docType)
        let isKnown = DataModel(docType: docType) != nil
        canProve = isKnown ? elements.contains { $0.name == main } : !elements.isEmpty
    }

    /// Whether the document is in date. A `full-date` counts to the end of that day; a `tdate` is an instant.
    ///
    /// - Parameters:
    ///   - day: the day where the document is shown, in the zone of the premises (Q161).
    ///   - now: the time of verification.
    func answer(on day: FullDate, at now: Timestamp) -> InDateAnswer {
        if let past = dates.compactMap(\.self).first(where: { $0.isPast(on: day, at: now) }) {
            return .no(expiredOn: past.day)
        }
        guard canProve else { return .cannotTell(.notReturned) }
        guard !dates.contains(where: { $0 == nil }), let first = dates.compactMap(\.self?.day).min() else {
            return .cannotTell(.malformed)
        }
        // West of Greenwich an instant may be on another day than in UTC.
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
