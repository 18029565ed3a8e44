/// The format of `{standIn:…}`: `MM`, `DD` and `YYYY` or `YY`, each at most once, and signs.
struct DateFormat: Equatable, Sendable {
    private enum Token: Equatable {
        case month, day, year, shortYear
        case sign(Character)
    }

    /// The parts of a date with the texts that stand for them. `YYYY` comes before `YY`, which it contains.
    private static let names: [(text: String, token: Token)] = [
        ("YYYY", .year), ("YY", .shortYear), ("MM", .month), ("DD", .day),
    ]

    private let tokens: [Token]

    /// Reads a format, or returns `nil` if it has another sign, has a part twice, or has no part.
    init?(_ text: String) {
        var tokens: [Token] = []
        var rest = text[...]
        while let first = rest.first {
            if let name = Self.names.first(where: { rest.hasPrefix($0.text) }) {
                guard !tokens.contains(name.token) else { return nil }
                tokens.append(name.token)
                rest = rest.dropFirst(name.text.count)
            } else {
                guard "-/. ".contains(first) else { return nil }
                tokens.append(.sign(first))
                rest = rest.dropFirst()
            }
        }
        guard !tokens.isEmpty, !(tokens.contains(.year) && tokens.contains(.shortYear)) else { return nil }
        let hasPart = tokens.contains { if case .sign = $0 { false } else { true } }
        guard hasPart else { return nil }
        self.tokens = tokens
    }

    /// The date in this format, with zeros in front.
    func text(_ date: StandInDate) -> String {
        tokens.map { token in
            switch token {
            case .month: Self.digits(date.month, count: 2)
            case .day: Self.digits(date.day, count: 2)
            case .year: Self.digits(date.year, count: 4)
            case .shortYear: Self.digits(date.year % 100, count: 2)
            case .sign(let sign): String(sign)
            }
        }.joined()
    }

    private static func digits(_ number: Int, count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
    }
}

extension StandInDate {
    /// Whether the date exists in the Gregorian calendar, from 1900 to 9999.
    var exists: Bool {
        guard (1900...9999).contains(year), (1...12).contains(month) else { return false }
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        let days =
            switch month {
            case 2: isLeap ? 29 : 28
            case 4, 6, 9, 11: 30
            default: 31
            }
        return (1...days).contains(day)
    }
}
