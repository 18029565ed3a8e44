/// A text of the journal that may come again and again, such as the fault of a device that is opened every two seconds.
///
/// Texts that differ in their digits alone, such as a time to wait, are the same text.
///
/// The text is written when it comes first. While no other text follows, it is written again at its 10th, 100th and
/// 1000th repetition and so on, with the number.
struct RepeatedText: Sendable {
    private var last: String?
    /// The number of times for which `last` came again.
    private var repetitions = 0
    /// The number of repetitions that was written last.
    private var written = 0

    /// Records a text, and returns the lines to write.
    mutating func record(_ text: String) -> [String] {
        guard last.map({ Self.withoutDigits($0) == Self.withoutDigits(text) }) == true else {
            let before = end()
            last = text
            return before + [text]
        }
        last = text
        repetitions += 1
        guard repetitions == max(10, written * 10) else { return [] }
        written = repetitions
        return [Self.line(text, repetitions)]
    }

    /// Ends the repetitions, because what the text says is over. Returns the line with their number, unless it was
    /// written already.
    mutating func end() -> [String] {
        defer { self = RepeatedText() }
        guard let last, repetitions > written else { return [] }
        return [Self.line(last, repetitions)]
    }

    private static func withoutDigits(_ text: String) -> String { text.filter { !$0.isNumber } }

    private static func line(_ text: String, _ repetitions: Int) -> String {
        "\(text) (repetitions: \(repetitions))"
    }
}
