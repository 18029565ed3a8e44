/// Makes text safe to show on a terminal, in a log or on a page.
package enum Terminal {
    /// Returns foreign text, for example from a phone, a certificate or a file, as one line that is safe to
    /// show. Characters that control the terminal or hide other text are replaced.
    ///
    /// - Parameter limit: the maximum number of characters. A longer text ends with "…".
    package static func safe(_ text: some StringProtocol, limit: Int = 160) -> String {
        let text = String(text)
        if text.utf8.count <= limit, text.isPrintableASCII { return text }
        var result = ""
        var count = 0
        for scalar in text.unicodeScalars {
            guard count < limit else { return result + "…" }
            result.unicodeScalars.append(scalar.prints ? scalar : "\u{fffd}")
            count += 1
        }
        return result
    }

    /// Returns a text of several lines without its control characters. Line breaks and the four colour
    /// sequences of Countersign's own commands stay.
    package static func unsteered(_ text: String) -> String {
        guard !text.utf8.allSatisfy({ (0x20..<0x7f).contains($0) || $0 == UInt8(ascii: "\n") }) else {
            return text
        }
        var result = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.first {
            if let colour = colours.first(where: { rest.starts(with: $0.unicodeScalars) }) {
                result.append(contentsOf: colour.unicodeScalars)
                rest.removeFirst(colour.unicodeScalars.count)
                continue
            }
            result.append(scalar.prints || scalar == "\n" ? scalar : "\u{fffd}")
            rest.removeFirst()
        }
        return String(result)
    }

    /// The control sequences that begin and end a coloured word (ECMA-48 8.3.117).
    private static let colours = ["\u{1b}[1;31m", "\u{1b}[1;32m", "\u{1b}[1;33m", "\u{1b}[0m"]
}
