internal import ReaderReports
internal import RequestPlanner

/// What is kept of an answer, as an order names it.
enum Retention: Equatable, Sendable {
    case none
    /// A receipt without personal data.
    case receipt
    /// The answers about age and the document's number.
    case ageAndIDNumber
    /// What was asked, for so many days.
    case days(Int)

    private static let longest = 3650

    init(_ text: JSONText) throws(JSONFault) {
        switch try text.string(upTo: 32) {
        case "none": self = .none
        case "receipt": self = .receipt
        case "age+id-number": self = .ageAndIDNumber
        case let words:
            guard words.hasPrefix("days("), words.hasSuffix(")"),
                let days = Int(words.dropFirst(5).dropLast()), (1...Self.longest).contains(days)
            else {
                throw text.wrong("\"none\", \"receipt\", \"age+id-number\" or \"days(N)\" is due")
            }
            self = .days(days)
        }
    }

    var name: String {
        switch self {
        case .none: "none"
        case .receipt: "receipt"
        case .ageAndIDNumber: "age+id-number"
        case .days(let days): "days(\(days))"
        }
    }

    /// What the holder is told of it.
    var choice: RetentionChoice {
        switch self {
        case .none: .none
        case .receipt: .receipt
        case .ageAndIDNumber: .ageAndIDNumber
        case .days: .consented
        }
    }
}
