/// The operator's own words in place of those of the customer's page. What an outcome is called is not among them: a head
/// keeps its meaning on every screen.
package struct PageTexts: Equatable, Sendable {
    /// The languages of the pages.
    package enum Language: String, CaseIterable, Sendable {
        case ar, de, en, es, fr, it, pt, zh
    }

    /// The keys whose words may be replaced, as `strings.json` has them.
    package static let keys: Set<String> = Set(
        [
            "idle", "armed", "phoneLocked", "notAnID", "tapAgain", "confirmThenTapAgain", "offerQR",
            "mayLift",
            "connectingPhone", "checkBluetooth", "look", "keep", "receiving", "keepOn", "yes", "compare",
            "decide",
            "notConfirmed", "declined", "cancelled", "failed", "unavailable",
        ].map { "customer.\($0).text" } + ["customer.idle.head"])

    package private(set) var words: [String: [String: String]] = [:]

    package init() {}

    /// - Parameter key: one of `keys`.
    package mutating func replace(_ key: String, in language: Language, by text: String) {
        words[language.rawValue, default: [:]][key] = text
    }
}
