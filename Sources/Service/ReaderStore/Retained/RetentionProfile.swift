package import MdocModel
package import RequestPlanner

/// A rule for retention: which elements are kept, and for how long. One profile determines the
/// `intentToRetain` bits of the request (through `choice`), the elements that are stored, and their deadline.
package struct RetentionProfile: Hashable, Sendable, CustomStringConvertible {
    /// The number of days for `age+id-number` and `consented` if the name contains no number.
    private static let usualDays = 30
    /// The maximum number of days: ten years.
    private static let mostDays = 3_650

    package let choice: RetentionChoice
    /// The maximum retention in days of 24 hours; 0 if nothing is kept.
    package let days: Int
    /// Whether the holder's consent must be recorded; without it nothing is kept.
    package let needsConsent: Bool

    package static let none = RetentionProfile(.none, 0)
    /// The profile that keeps only a receipt, which has no personal data and no deadline.
    package static let receipt = RetentionProfile(.receipt, 0)
    package static let ageAndIDNumber = RetentionProfile(.ageAndIDNumber, usualDays)
    package static let consented = RetentionProfile(.consented, usualDays, needsConsent: true)

    init(_ choice: RetentionChoice, _ days: Int, needsConsent: Bool = false) {
        self.choice = choice
        self.days = days
        self.needsConsent = needsConsent
    }

    /// Returns a profile that keeps the requested elements except the portrait, on a legal ground other than
    /// consent, such as a contract; `nil` unless `days` is from 1 to 3650.
    package static func days(_ days: Int) -> RetentionProfile? {
        RetentionProfile("days(\(days))")
    }

    /// Parses the name of a profile: `none`, `receipt`, `age+id-number`, `consented` or `days(7)`. The number
    /// of days is required for `days`, and optional for `age+id-number` and `consented`, as in
    /// `consented(7)`.
    package init?(_ name: String) {
        let parts = name.split(separator: "(", maxSplits: 1, omittingEmptySubsequences: false)
        guard let word = parts.first else { return nil }
        let days = parts.count == 2 ? Self.number(parts[1]) : nil
        guard parts.count == 1 || days != nil else { return nil }
        switch (word, days) {
        case ("none", nil): self = Self.none
        case ("receipt", nil): self = Self.receipt
        case ("age+id-number", _): self.init(.ageAndIDNumber, days ?? Self.usualDays)
        case ("consented", _): self.init(.consented, days ?? Self.usualDays, needsConsent: true)
        // `RetentionChoice.consented` only selects the elements to keep: all but the portrait. The profile
        // `days` keeps them without consent (`needsConsent` is false).
        case ("days", let days?): self.init(.consented, days)
        default: return nil
        }
    }

    /// Parses a number and its closing parenthesis, such as `7)`. Leading zeros and signs are refused, so
    /// each profile has one name.
    private static func number(_ text: Substring) -> Int? {
        guard text.hasSuffix(")"), let number = Int(text.dropLast()), "\(number))" == text,
            (1...mostDays).contains(number)
        else { return nil }
        return number
    }

    /// Returns the deadline of data that is retained at `now`: `days` days later, rounded down to a full
    /// hour. Each removal rewrites all retained data. With deadlines at full hours, a single removal deletes
    /// all data of one hour.
    package func deadline(from now: Timestamp) -> Timestamp {
        let end = now.secondsSince1970 + Int64(days) * 86_400
        return Timestamp(secondsSince1970: end - end % 3600)
    }

    /// The name that `init(_:)` parses.
    package var name: String {
        switch (choice, needsConsent) {
        case (.none, _): "none"
        case (.receipt, _): "receipt"
        case (.ageAndIDNumber, _): "age+id-number" + suffix
        case (.consented, true): "consented" + suffix
        case (.consented, false): "days(\(days))"
        }
    }

    private var suffix: String { days == Self.usualDays ? "" : "(\(days))" }

    package var description: String { name }
}
