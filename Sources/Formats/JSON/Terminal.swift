/// Where text is shown: a terminal, a log or a page.
package enum Terminal {
    /// Text from a phone, a certificate or a file, fit for one line: nothing that steers the terminal or hides
    /// what follows, and at most `limit` characters.
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
}
