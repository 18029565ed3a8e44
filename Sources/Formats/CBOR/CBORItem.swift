/// A well-formed and valid CBOR data item (RFC 8949), as a slice of the received buffer.
///
/// `parse` checks all bytes once with a ``CBORWalker``: well-formedness, UTF-8, duplicate keys, and the
/// limits for size and depth. An item therefore never contains malformed CBOR, and a function that reads its
/// content throws only if the item has another type than the function requires, or a number outside the
/// required range.
///
/// Nothing is decoded in advance and nothing is copied. ``value``, ``array()``, ``map()`` and the other
/// functions read the content from the bytes on each call and return further items as slices of the same
/// buffer. ``encoded`` is the encoding as received, for digests and signatures. Only strings of indefinite
/// length are joined into new memory.
///
/// ``offset`` is the item's position in the buffer, so that an error can state the position. The description
/// of an item never shows its content (Q200).
package struct CBORItem: Sendable {
    /// The complete encoding of the item as received.
    package let encoded: ArraySlice<UInt8>

    /// Creates an item from bytes that a `CBORWalker` has checked.
    init(checked encoded: ArraySlice<UInt8>) {
        self.encoded = encoded
    }

    /// Parses bytes that are exactly one item.
    ///
    /// - Throws: a ``CBORError`` if the bytes are not well-formed, have invalid text or duplicate keys,
    ///   exceed the limits, or continue after the item.
    package static func parse(
        _ bytes: ArraySlice<UInt8>, limits: CBORLimits = .standard
    ) throws(CBORError) -> CBORItem {
        var form: EncodingForm = []
        return try parse(bytes, limits: limits, noting: &form)
    }

    /// Parses bytes that are exactly one item, and adds the departures from preferred serialization to `form`
    /// (Q141).
    package static func parse(
        _ bytes: ArraySlice<UInt8>, limits: CBORLimits = .standard, noting form: inout EncodingForm
    ) throws(CBORError) -> CBORItem {
        guard bytes.count <= limits.bytes else { throw .tooLong(limit: limits.bytes) }
        var walker = CBORWalker(base: bytes.startIndex, depthLimit: limits.depth)
        let end = try walker.end(of: bytes.span, from: 0)
        guard end == bytes.count else { throw .trailingBytes(at: bytes.startIndex + end) }
        form.formUnion(walker.form)
        return CBORItem(checked: bytes)
    }

    /// Returns the item at `index` of a checked buffer, and the index after it.
    static func item(in bytes: ArraySlice<UInt8>, at index: Int) -> (item: CBORItem, end: Int) {
        let end = bytes.startIndex + CBORWalker.endOfChecked(bytes.span, from: index - bytes.startIndex)
        return (CBORItem(checked: bytes[index..<end]), end)
    }

    var head: CBORHead { CBORHead(checked: encoded.span, at: 0) }

    /// The index of the item's first byte in the received buffer.
    package var offset: Int { encoded.startIndex }
}

/// The departures of an encoding from preferred serialization (RFC 8949 4.1). Such encodings are accepted
/// when reading, although the structures of ISO/IEC 18013-5 should not have them (Q141).
package struct EncodingForm: OptionSet, Sendable {
    package let rawValue: UInt8

    /// Creates an empty set: preferred serialization.
    package init() {
        rawValue = 0
    }

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// A string, array or map has an indefinite length.
    package static let indefiniteLength = EncodingForm(rawValue: 1)
    /// An integer, length or tag has more bytes than needed.
    package static let longerHead = EncodingForm(rawValue: 2)
}
