/// An item embedded as tag 24, `#6.24(bstr .cbor Content)` (RFC 8949 3.4.5.1): what ISO/IEC 18013-5 calls "…Bytes".
///
/// Digests, MACs, signatures and transcripts are computed over these bytes, never over a value that was
/// parsed: made from received bytes it keeps them, made for sending it is encoded once.
package struct EncodedCBOR<Content>: Sendable {
    /// The whole encoding, tag and byte-string head included.
    package let bytes: ArraySlice<UInt8>
    private let headCount: Int
    /// The content of a byte string of indefinite length, put together.
    private let chunks: [UInt8]?

    /// The encoding of the item inside.
    package var content: ArraySlice<UInt8> { chunks.map { $0[...] } ?? bytes.dropFirst(headCount) }

    /// Whether the byte string came in chunks.
    package var isChunked: Bool { chunks != nil }

    /// A received tag-24 item; its content is not looked at yet.
    package init(_ item: CBORItem) throws(CBORError) {
        let string = try item.tagged(24)
        let content = try string.byteString()
        bytes = item.encoded
        chunks = string.hasIndefiniteLength ? Array(content) : nil
        headCount = item.encoded.count - content.count
    }

    package init(embedding content: [UInt8]) {
        var encoder = CBOREncoder(reservingCapacity: content.count + 11)
        encoder.tag(24)
        encoder.byteString(content)
        bytes = encoder.bytes[...]
        headCount = encoder.bytes.count - content.count
        chunks = nil
    }

    /// The item inside, checked; `form` gets its departures from preferred serialization.
    package func item(
        limits: CBORLimits = .standard, noting form: inout EncodingForm
    ) throws(CBORError) -> CBORItem {
        try CBORItem.parse(content, limits: limits, noting: &form)
    }

    package func item(limits: CBORLimits = .standard) throws(CBORError) -> CBORItem {
        try CBORItem.parse(content, limits: limits)
    }
}

extension EncodedCBOR {
    /// The tag and byte-string head before content of this size, for content that is hashed in parts.
    package static func head(contentCount: Int) -> [UInt8] {
        var encoder = CBOREncoder(reservingCapacity: 11)
        encoder.tag(24)
        encoder.byteStringHead(count: contentCount)
        return encoder.bytes
    }
}
