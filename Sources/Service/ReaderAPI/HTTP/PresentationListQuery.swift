internal import MdocModel
internal import ReaderStore

/// Which presentations are listed, and which page of them: the query of `GET /v1/presentations`.
struct PresentationListQuery {
    /// The most of one page.
    static let most = 100
    private static let names: Set = ["reference", "lane", "outcome", "from", "until", "limit", "cursor"]

    let reference: String?
    let lane: String?
    let outcome: Outcome?
    /// The first second in which they were ordered.
    let from: Timestamp?
    /// The second before which they were ordered.
    let until: Timestamp?
    let limit: Int
    let cursor: PresentationCursor?

    init(_ values: [(name: String, value: String)]) throws(APIProblem) {
        let named = Dictionary(values.map { ($0.name, $0.value) }) { first, _ in first }
        guard named.count == values.count, Self.names.isSuperset(of: named.keys) else {
            throw .listQueryRefused
        }
        reference = try Self.value(named["reference"]) { (1...128).contains($0.utf8.count) ? $0 : nil }
        lane = try Self.value(named["lane"]) { (1...64).contains($0.utf8.count) ? $0 : nil }
        outcome = try Self.value(named["outcome"], Outcome.init)
        from = try Self.value(named["from"], Self.instant)
        until = try Self.value(named["until"], Self.instant)
        limit = try Self.value(named["limit"], Self.limit) ?? 20
        cursor = try Self.value(named["cursor"], PresentationCursor.init)
        guard reference == nil || named.count == 1 else { throw .listQueryRefused }
    }

    private static func instant(_ text: String) -> Timestamp? {
        guard let date = DateText(text.utf8), case .instant(let instant) = date.value else { return nil }
        return instant
    }

    private static func limit(_ text: String) -> Int? {
        Int(text).flatMap { (1...most).contains($0) ? $0 : nil }
    }

    /// Whether one is among those that are asked for, cursor aside.
    func takes(lane: String, outcome: Outcome?, created: Timestamp) -> Bool {
        self.lane ?? lane == lane && (self.outcome == nil || self.outcome == outcome)
            && from ?? created <= created && until.map { created < $0 } ?? true
    }

    private static func value<Value>(
        _ text: String?, _ read: (String) -> Value?
    ) throws(APIProblem) -> Value? {
        guard let text else { return nil }
        guard let value = read(text) else { throw .listQueryRefused }
        return value
    }
}

/// A place in the list, which is in the order of time from the newest on: that of the last presentation of a page.
struct PresentationCursor: Comparable {
    let created: Timestamp
    let id: String

    init(created: Timestamp, id: String) {
        self.created = created
        self.id = id
    }

    /// As `text` wrote it; nil for other texts.
    init?(_ text: String) {
        let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let seconds = Int64(parts[0]), seconds >= 0, "\(seconds)" == parts[0],
            (1...64).contains(parts[1].utf8.count)
        else { return nil }
        self.init(created: Timestamp(secondsSince1970: seconds), id: String(parts[1]))
    }

    var text: String { "\(created.secondsSince1970)-\(id)" }

    static func < (one: Self, other: Self) -> Bool {
        (one.created, one.id) < (other.created, other.id)
    }
}
