/// One well-formed and valid data item (RFC 8949) as a slice of the buffer it came in. Nothing is copied; what an
/// item holds is read from its bytes when asked.
package struct CBORItem: Sendable {
    /// The item's complete encoding, as received.
    package let encoded: ArraySlice<UInt8>

    /// An item whose bytes a walker has checked.
    init(checked encoded: ArraySlice<UInt8>) {
        self.encoded = encoded
    }

    /// The one item that `bytes` hold: well-formed, valid text, no key twice, nothing after it.
    package static func parse(
        _ bytes: ArraySlice<UInt8>, limits: CBORLimits = .standard
    ) throws(CBORError) -> CBORItem {
        var form: EncodingForm = []
        return try parse(bytes, limits: limits, noting: &form)
    }

    /// As `parse(_:limits:)`, and adds to `form` how the encoding departs from preferred serialization.
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

    /// The checked item at `index` of a checked buffer, and the index after it.
    static func item(in bytes: ArraySlice<UInt8>, at index: Int) -> (item: CBORItem, end: Int) {
        let end = bytes.startIndex + CBORWalker.endOfChecked(bytes.span, from: index - bytes.startIndex)
        return (CBORItem(checked: bytes[index..<end]), end)
    }

    var head: CBORHead { CBORHead(checked: encoded.span, at: 0) }

    /// The index of the item's first byte in the received buffer.
    package var offset: Int { encoded.startIndex }
}

/// How an encoding departs from preferred serialization (RFC 8949 4.1). Reading accepts these forms; the
/// structures of ISO/IEC 18013-5 are to be written without them.
package struct EncodingForm: OptionSet, Sendable {
    package let rawValue: UInt8

    /// No departure.
    package init() {
        rawValue = 0
    }

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let indefiniteLength = EncodingForm(rawValue: 1)
    /// An integer, length or tag in more bytes than needed.
    package static let longerHead = EncodingForm(rawValue: 2)
}
