internal import MdocModel
internal import PresentationService
internal import ReaderStore

/// The query of `GET /v1/presentations`.
extension PresentationListQuery {
    /// The maximum number of presentations on one page.
    private static let most = 100
    private static let names: Set = ["reference", "lane", "outcome", "from", "until", "limit", "cursor"]

    /// Parses the query.
    ///
    /// - Throws: `listQueryRefused` for an unknown or repeated name, for a malformed value, or for
    ///   `reference` together with other names.
    init(_ values: [(name: String, value: String)]) throws(APIProblem) {
        let named = Dictionary(values.map { ($0.name, $0.value) }) { first, _ in first }
        // A repeated name leaves `named` with fewer entries than `values`, and is refused.
        guard named.count == values.count, Self.names.isSuperset(of: named.keys) else {
            throw .listQueryRefused
        }
        let reference = try Self.value(named["reference"]) { (1...128).contains($0.utf8.count) ? $0 : nil }
        let lane = try Self.value(named["lane"]) { (1...64).contains($0.utf8.count) ? $0 : nil }
        let outcome = try Self.value(named["outcome"], Outcome.init)
        let from = try Self.value(named["from"], Self.instant)
        let until = try Self.value(named["until"], Self.instant)
        let limit = try Self.value(named["limit"], Self.limit) ?? 20
        let cursor = try Self.value(named["cursor"], PresentationCursor.init)
        guard reference == nil || named.count == 1 else { throw .listQueryRefused }
        self.init(
            reference: reference, lane: lane, outcome: outcome, from: from, until: until, limit: limit,
            cursor: cursor)
    }

    private static func instant(_ text: String) -> Timestamp? {
        guard let date = DateText(text.utf8), case .instant(let instant) = date.value else { return nil }
        return instant
    }

    private static func limit(_ text: String) -> Int? {
        Int(text).flatMap { (1...most).contains($0) ? $0 : nil }
    }

    /// Parses a value if it is present.
    private static func value<Value>(
        _ text: String?, _ read: (String) -> Value?
    ) throws(APIProblem) -> Value? {
        guard let text else { return nil }
        guard let value = read(text) else { throw .listQueryRefused }
        return value
    }
}
