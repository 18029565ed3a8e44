/// A name out of our own settings, such as a lane's, or a document type: a few letters and digits, no text of a document.
package struct ReceiptLabel: Hashable, Sendable, CustomStringConvertible {
    package static let maximumLength = 64

    package let text: String

    /// Nil unless it is 1 to 64 of `A-Z a-z 0-9 . _ - + ( )`.
    package init?(_ text: String) {
        guard (1...Self.maximumLength).contains(text.utf8.count), text.utf8.allSatisfy(Self.allows) else {
            return nil
        }
        self.text = text
    }

    private static func allows(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: ".-_+()".utf8.contains(byte)
        }
    }

    package var description: String { text }
}
