/// What is kept of a check: an order says it, and the customer's page.
enum SetupRetention: String, CaseIterable {
    case nothing = "none"
    case receipt, days

    var words: String {
        switch self {
        case .nothing: "no data and no receipt; for a day, that there was a check and its answer"
        case .receipt: "a receipt of each check, without data about the person"
        case .days: "a receipt, and what was asked but for the portrait, sealed and for some days"
        }
    }

    func kept(for days: Int) -> String {
        switch self {
        case .nothing: "No data about you. For a day, that there was a check and its answer."
        case .receipt: "A receipt of the check, without data about you."
        case .days: "What you agree to share, for \(days) \(days == 1 ? "day" : "days")."
        }
    }

    /// The word of an order.
    func word(for days: Int) -> String { self == .days ? "days(\(days))" : rawValue }
}
