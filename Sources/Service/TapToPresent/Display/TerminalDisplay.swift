internal import MdocVerification
internal import Glibc
internal import ReaderStore

/// A terminal: text on its alternate screen, removed when the operator has decided.
struct TerminalDisplay: DisplayChannel {
    let path: String

    private static let begin = "\u{1b}[?1049h\u{1b}[2J\u{1b}[H"
    private static let end = "\u{1b}[2J\u{1b}[?1049l"

    func show(
        _ result: ShownResult, asking isAsking: Bool, during time: DisplayTime, shown: () -> Void
    ) throws(MobileDocumentReaderError) -> ResultShowing.ValidationOutcome {
        let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0, isatty(descriptor) == 1 else {
            if descriptor >= 0 { close(descriptor) }
            throw .serviceUnavailable(.displayUnavailable(.terminalAbsent))
        }
        let line = DisplayLine(owning: descriptor)
        defer { _ = line.write(Array(Self.end.utf8), during: DisplayTime(.seconds(1))) }
        let text = Self.begin + Self.text(of: result, isAsking: isAsking)
        guard line.write(Array(text.utf8), during: time) else {
            throw .serviceUnavailable(.displayUnavailable(.terminalLost))
        }
        shown()
        while true {
            switch line.line(during: time) {
            case .timeOver: return .dismissed
            case .closed: throw .serviceUnavailable(.displayUnavailable(.terminalLost))
            case .line(let word):
                if isAsking, let outcome = Self.outcome(of: word) { return outcome }
            }
        }
    }

    private static func outcome(of word: String) -> ResultShowing.ValidationOutcome? {
        switch word.lowercased() {
        case "y", "yes": .approved
        case "n", "no": .rejected
        case "": .dismissed
        default: nil
        }
    }

    private static func text(of result: ShownResult, isAsking: Bool) -> String {
        var lines: [String] = []
        if let brand = result.brand { lines.append(safe(brand)) }
        if result.isTest { lines.append("TEST DOCUMENT: it proves nothing.") }
        let name = [result.givenName, result.familyName].compactMap(\.self).map(safe)
        if !name.isEmpty { lines.append(name.joined(separator: " ")) }
        if let age = result.age { lines.append("Age \(age)") }
        for (years, answer) in result.ages { lines.append("At least \(years): \(answer.rawValue)") }
        lines.append(
            result.portrait == nil
                ? "There is no portrait to compare\(result.portraitFault.map { ": \($0)" } ?? "")."
                : "A portrait came; this display does not show it.")
        if isAsking {
            let isConfirmed = result.asked.validationMode == .confirm
            lines.append(isConfirmed ? "Does the person match? y, n, or Enter for neither: " : "Enter: ")
        }
        return lines.joined(separator: "\r\n")
    }

    /// Without what a terminal would obey, or show in another order.
    private static func safe(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.prefix(200).map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate: "?"
                    default: scalar
                    }
                }))
    }
}
