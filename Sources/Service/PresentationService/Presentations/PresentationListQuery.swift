package import MdocModel
package import ReaderStore

/// The filters of a list of presentations, and the position at which the requested page of the list begins.
package struct PresentationListQuery: Sendable {
    let reference: String?
    let lane: String?
    let outcome: Outcome?
    /// The earliest time of the orders in the list.
    let from: Timestamp?
    /// The end of the period: all orders in the list were made earlier.
    let until: Timestamp?
    let limit: Int
    /// The last presentation of the previous page; `nil` for the first page.
    let cursor: PresentationCursor?

    package init(
        reference: String?, lane: String?, outcome: Outcome?, from: Timestamp?,
        until: Timestamp?, limit: Int, cursor: PresentationCursor?
    ) {
        self.reference = reference
        self.lane = lane
        self.outcome = outcome
        self.from = from
        self.until = until
        self.limit = limit
        self.cursor = cursor
    }

    /// Whether a presentation passes the filters. The cursor is not compared.
    func matches(lane: String, outcome: Outcome?, created: Timestamp) -> Bool {
        // `??` binds tighter than `==` and `<=`. In place of an absent filter, the presentation's value is
        // compared with itself.
        self.lane ?? lane == lane && (self.outcome == nil || self.outcome == outcome)
            && from ?? created <= created && until.map { created < $0 } ?? true
    }
}

/// A position in a list of presentations: the place of the last presentation on a page of the list. The list
/// is sorted by time, newest first.
package struct PresentationCursor: Comparable, Sendable {
    let created: Timestamp
    let id: String

    init(created: Timestamp, id: String) {
        self.created = created
        self.id = id
    }

    /// Parses a cursor that `text` wrote, or returns `nil`.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        // The number is accepted only in the form that `text` writes, without a sign or leading zeros. In
        // place of the id, which has 32 digits, any text of up to 64 bytes is accepted, since positions are
        // only compared.
        guard parts.count == 2, let seconds = Int64(parts[0]), seconds >= 0, "\(seconds)" == parts[0],
            (1...64).contains(parts[1].utf8.count)
        else { return nil }
        self.init(created: Timestamp(secondsSince1970: seconds), id: String(parts[1]))
    }

    var text: String { "\(created.secondsSince1970)-\(id)" }

    package static func < (one: Self, other: Self) -> Bool {
        (one.created, one.id) < (other.created, other.id)
    }
}
