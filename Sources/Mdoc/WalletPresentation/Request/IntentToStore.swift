/// The time for which a returned value may be stored (PKIdentityIntentToStore).
package enum IntentToStore: Hashable, Sendable {
    case willNotStore
    /// The value may be stored without a limit of time.
    case mayStore
    /// The value may be stored for this many days, at least one (`mayStore(days:)`).
    case mayStoreForDays(UInt16)

    private static let daysPrefix = "mayStore(days:"

    /// Parses PassKit's name, such as `willNotStore`, `mayStore` or `mayStore(days:30)`; `nil` for other
    /// text.
    package init?(_ name: String) {
        switch name {
        case "willNotStore": self = .willNotStore
        case "mayStore": self = .mayStore
        default:
            // The last comparison refuses other spellings of a number, such as `+30` and `030`.
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

    /// The number of days for which a value may be stored: 0 if not at all, `nil` for an unlimited time.
    package var days: UInt16? {
        switch self {
        case .willNotStore: 0
        case .mayStoreForDays(let days): days
        case .mayStore: nil
        }
    }

    /// The intentToRetain of ISO/IEC 18013-5.
    package var retains: Bool { self != .willNotStore }

    /// Returns the stricter of the two intents.
    func stricter(_ other: IntentToStore) -> IntentToStore {
        // Without a number of days an intent is unlimited, so the other intent is at least as strict.
        guard let days, let otherDays = other.days else { return days == nil ? other : self }
        return days <= otherDays ? self : other
    }
}
