internal import Glibc
internal import JSON
internal import ReaderTokens

/// What is wrong with an answer; nil if nothing is.
enum AnswerFault {
    static func length(_ text: String, upTo limit: Int) -> String? {
        text.utf8.count <= limit ? nil : "must be a text of 1 to \(limit) bytes"
    }

    static func lane(_ name: String, upTo limit: Int) -> String? {
        let isPlain = name.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII
                && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "-"
                    || scalar == "_")
        }
        return isPlain && name.utf8.count <= limit
            ? nil : "must consist of letters, digits, - and _, \(limit) at most"
    }

    static func brand(_ text: String) -> String? {
        TokenText(text) == nil
            ? "must consist of letters, digits, -, _, . and :, and begin with a letter or digit" : nil
    }

    static func language(_ text: String) -> String? { word(text.lowercased(), of: SetupQuestion.languages) }

    static func word(_ text: String, of words: [String]) -> String? {
        words.contains(text)
            ? nil : "must be one of \(words.map { "\"\(Terminal.safe($0))\"" }.joined(separator: ", "))"
    }

    static func country(_ text: String) -> String? {
        text.utf8.count == 2 && text.uppercased().utf8.allSatisfy { (0x41...0x5a).contains($0) }
            ? nil : "must be two letters, such as US"
    }

    static func path(_ text: String) -> String? {
        unsafe access(text, R_OK) == 0 ? nil : "it does not exist, or cannot be read"
    }
}
