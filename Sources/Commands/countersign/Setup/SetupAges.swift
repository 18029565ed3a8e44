internal import JSON

/// The ages of the buttons on a kiosk's page: one to three different ages.
struct SetupAges {
    private static let range: ClosedRange<Int64> = 12...99
    private static let most = 3

    /// The requirement that faulty ages do not meet.
    static let requirement =
        "must be one to \(most) different ages from \(range.lowerBound) to \(range.upperBound)"

    /// The ages in ascending order, at least one.
    let years: [Int]

    private init?(_ years: [Int]) {
        guard (1...Self.most).contains(years.count), Set(years).count == years.count,
            years.allSatisfy({ Self.range.contains(Int64($0)) })
        else { return nil }
        self.years = years.sorted()
    }

    /// Reads ages as a user types them, such as `16, 18`. Returns `nil` if the text has other words, or if
    /// the ages do not meet the requirement.
    init?(_ text: String) {
        let words = text.split { $0 == "," || $0.isWhitespace }
        let years = words.compactMap { Int($0) }
        guard years.count == words.count else { return nil }
        self.init(years)
    }

    /// Reads the ages of a file of answers, a list of numbers.
    ///
    /// - Throws: A fault of the whole list, so that the fault names the question.
    init(_ answer: JSONText) throws(JSONFault) {
        var years: [Int] = []
        do throws(JSONFault) {
            for number in try answer.array(upTo: Self.most) {
                years.append(Int(try number.integer(in: Self.range)))
            }
        } catch {
            throw answer.wrong(Self.requirement)
        }
        guard let ages = Self(years) else { throw answer.wrong(Self.requirement) }
        self = ages
    }

    /// Returns the default ages for pages in this language. In Germany customers may buy wine at 16 and
    /// spirits at 18.
    static func standard(for language: String?) -> SetupAges {
        SetupAges(sorted: language == "de" ? [16, 18] : [18, 21])
    }

    private init(sorted years: [Int]) {
        self.years = years
    }

    /// The ages as a user types them.
    var text: String { years.map { "\($0)" }.joined(separator: ", ") }

    /// The ages as a list of numbers in a file of answers.
    var json: JSONValue { .array(years.map { .integer(Int64($0)) }) }

    /// The largest age.
    var highest: Int { years[years.count - 1] }
}
