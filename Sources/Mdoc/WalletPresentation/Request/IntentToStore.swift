/// PKIdentityIntentToStore: for how long what comes may be kept.
package enum IntentToStore: Hashable, Sendable {
    case willNotStore
    /// As long as we like.
    case mayStore
    /// `mayStore(days:)`, at least one.
    case mayStoreForDays(UInt16)

    private static let daysPrefix = "mayStore(days:"

    /// By PassKit's name: `willNotStore`, `mayStore`, or `mayStore(days:30)`. Nil for any other text.
    package init?(_ name: String) {
        switch name {
        case "willNotStore": self = .willNotStore
        case "mayStore": self = .mayStore
        default:
            let digits = name.dropFirst(Self.daysPrefix.count).dropLast()
            guard name.hasPrefix(Self.daysPrefix), name.hasSuffix(")"), let days = UInt16(digits), days > 0,
                "\(days)" == digits
            else { return nil }
            self = .mayStoreForDays(days)
        }
    }

    package var name: String {
        switch self {
        case .willNotStore: "willNotStore"
        case .mayStore: "mayStore"
        case .mayStoreForDays(let days): "\(Self.daysPrefix)\(days))"
        }
    }

    /// The days for which a value may be kept: 0, or nil for an unlimited time.
    package var days: UInt16? {
        switch self {
        case .willNotStore: 0
        case .mayStoreForDays(let days): days
        case .mayStore: nil
        }
    }

    /// What ISO/IEC 18013-5 calls intentToRetain.
    package var retains: Bool { self != .willNotStore }

    /// The one of both that keeps less.
    func stricter(_ other: IntentToStore) -> IntentToStore {
        guard let days, let otherDays = other.days else { return days == nil ? other : self }
        return days <= otherDays ? self : other
    }
}
