internal import ISO7816
internal import MdocModel

/// A trace of APDUs, one per line: `>` for to the card or `<` for from the card, then the bytes in hexadecimal. A
/// time may come before or after. Empty lines and lines that start with `#` are ignored.
struct APDUTrace {
    enum Direction {
        case toCard, fromCard
    }

    struct Entry {
        let line: Int
        let time: String
        let direction: Direction
        let bytes: [UInt8]
    }

    let entries: [Entry]

    /// Nil if the first line that counts is not one of a trace.
    init?(_ text: String) throws(InspectionError) {
        var entries: [Entry] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .enumerated()
        {
            let words = line.split(whereSeparator: \.isWhitespace)
            guard let first = words.first, first.first != "#" else { continue }
            guard let entry = Self.entry(words, line: index + 1) else {
                if entries.isEmpty { return nil }
                throw InspectionError("line \(index + 1) of the APDU trace is no APDU in hexadecimal")
            }
            entries.append(entry)
        }
        guard !entries.isEmpty else { return nil }
        self.entries = entries
    }

    private static func entry(_ words: [Substring], line: Int) -> Entry? {
        guard let mark = words.firstIndex(where: { $0.first == ">" || $0.first == "<" }) else { return nil }
        let inSameWord = words[mark].dropFirst()
        let after = (inSameWord.isEmpty ? [] : [inSameWord]) + words[(mark + 1)...]
        let digits = after.prefix { $0.utf8.allSatisfy { $0.isHexadecimalDigit } }
        guard let bytes = digits.joined().utf8.bytesOfHexadecimal, bytes.count >= 2 else {
            return nil
        }
        let time = (words[..<mark] + after.dropFirst(digits.count)).joined(separator: " ")
        return Entry(
            line: line, time: time, direction: words[mark].first == ">" ? .toCard : .fromCard, bytes: bytes)
    }
}

extension UInt8 {
    fileprivate var isHexadecimalDigit: Bool { self < 0x80 && Character(Unicode.Scalar(self)).isHexDigit }
}
