package import MdocModel
package import RequestPlanner

/// What a place keeps, and for how long. One choice drives three things: the `intentToRetain` bits of the request (by
/// `choice`), what is written, and when it is purged.
package struct RetentionProfile: Hashable, Sendable, CustomStringConvertible {
    /// Days where the profile names none.
    private static let usualDays = 30
    /// The longest that anything is kept, in days: ten years.
    private static let mostDays = 3_650

    package let choice: RetentionChoice
    /// For how many days of 24 hours at most; 0 where nothing is kept.
    package let days: Int
    /// Whether somebody has to record that the holder agreed; otherwise nothing is kept.
    package let needsConsent: Bool

    package static let none = RetentionProfile(.none, 0)
    /// A receipt, which has no personal data and no deadline.
    package static let receipt = RetentionProfile(.receipt, 0)
    package static let ageAndIDNumber = RetentionProfile(.ageAndIDNumber, usualDays)
    package static let consented = RetentionProfile(.consented, usualDays, needsConsent: true)

    init(_ choice: RetentionChoice, _ days: Int, needsConsent: Bool = false) {
        self.choice = choice
        self.days = days
        self.needsConsent = needsConsent
    }

    /// What was asked, without the portrait, for so many days, on other grounds than consent, such as a contract; nil unless
    /// 1 to 3650.
    package static func days(_ days: Int) -> RetentionProfile? {
        RetentionProfile("days(\(days))")
    }

    /// By its name: `none`, `receipt`, `age+id-number`, `consented`, or one of the last two or `days` with a number of
    /// days, such as `days(7)`.
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
        case ("days", let days?): self.init(.consented, days)
        default: return nil
        }
    }

    /// `7)`, in the one form that a number has.
    private static func number(_ text: Substring) -> Int? {
        guard text.hasSuffix(")"), let number = Int(text.dropLast()), "\(number))" == text,
            (1...mostDays).contains(number)
        else { return nil }
        return number
    }

    /// When data retained at `now` must be deleted: at the last full hour before its days are over, never later.
    /// Each removal rewrites all retained data, so everything that expires in one hour is removed at once.
    package func deadline(from now: Timestamp) -> Timestamp {
        let end = now.secondsSince1970 + Int64(days) * 86_400
        return Timestamp(secondsSince1970: end - end % 3600)
    }

    /// What `init(_:)` takes.
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
