/// How diagnostic notation (RFC 8949 8) is laid out. The default is that of the RFC's own examples: one line,
/// everything written, nothing opened.
package struct DiagnosticNotation: Sendable {
    /// Whether arrays and maps of more than a few bytes are written on several lines.
    package var isIndented = false
    /// Of a longer byte string only this many bytes are written, and its size beside them.
    package var longestByteString = Int.max
    /// Of a longer text only this many bytes are written, and its size beside them.
    package var longestText = Int.max
    /// Where more is to be written, the notation is cut; in bytes.
    package var longestNotation = Int.max
    /// Whether the item in tag 24 is written as an item, `24(<<…>>)` (RFC 8610 G.3), and not as bytes.
    package var opensTag24 = false
    /// The positions in an array whose byte strings hold an encoded item, and are written as one.
    package var embeddedItems: @Sendable (CBORItem) -> [Int] = { _ in [] }
    /// What to write beside a byte string with this content.
    package var comment: @Sendable (ArraySlice<UInt8>) -> String? = { _ in nil }

    package init() {}
}
