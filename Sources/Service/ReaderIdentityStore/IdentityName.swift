/// What an operator calls an identity: fit for a folder's name and for a line of text. 1 to 64 of the letters and digits
/// of ASCII, `-`, `_` and `.`, the first a letter or a digit.
package struct IdentityName: Hashable, Comparable, Sendable {
    package let text: String

    /// Nil if the text is not a valid name.
    package init?(_ text: String) {
        guard (1...64).contains(text.utf8.count), let first = text.utf8.first, first.isASCIIAlphanumeric,
            text.utf8.allSatisfy({ $0.isASCIIAlphanumeric || "-_.".utf8.contains($0) })
        else { return nil }
        self.text = text
    }

    package static func < (one: IdentityName, other: IdentityName) -> Bool { one.text < other.text }
}

extension UInt8 {
    /// Whether it is a letter or a digit of ASCII.
    package var isASCIIAlphanumeric: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
