/// An encoded item in tag 24, `#6.24(bstr .cbor Content)` (RFC 8949 3.4.5.1). ISO/IEC 18013-5 gives such
/// items names with "Bytes", for example `DeviceEngagementBytes`.
///
/// Digests, MACs, signatures and transcripts are calculated over these bytes, never over a parsed value that
/// is encoded again. This value therefore keeps the bytes of a received item, and encodes an item for sending
/// only once.
package struct EncodedCBOR<Content>: Sendable {
    /// The whole encoding, with the tag and the head of the byte string.
    package let bytes: ArraySlice<UInt8>
    /// The number of bytes before the content. Not used if the byte string is in chunks.
    private let headCount: Int
    /// The joined content of a byte string of indefinite length; `nil` for a definite length.
    private let chunks: [UInt8]?

    /// The encoding of the embedded item.
    package var content: ArraySlice<UInt8> { chunks.map { $0[...] } ?? bytes.dropFirst(headCount) }

    /// Whether the byte string was received in chunks.
    package var isChunked: Bool { chunks != nil }

    /// Creates a value from a received item with tag 24. The content is not parsed yet.
    package init(_ item: CBORItem) throws(CBORError) {
        let string = try item.tagged(24)
        let content = try string.byteString()
        bytes = item.encoded
        chunks = string.hasIndefiniteLength ? Array(content) : nil
        headCount = item.encoded.count - content.count
    }

    /// Embeds an encoded item in tag 24.
    package init(embedding content: [UInt8]) {
        // The tag and the head of the byte string take at most 11 bytes.
        var encoder = CBOREncoder(reservingCapacity: content.count + 11)
        encoder.tag(24)
        encoder.byteString(content)
        bytes = encoder.bytes[...]
        headCount = encoder.bytes.count - content.count
        chunks = nil
    }

    /// Parses the embedded item, and adds its departures from preferred serialization to `form`.
    package func item(
        limits: CBORLimits = .standard, noting form: inout EncodingForm
    ) throws(CBORError) -> CBORItem {
        try CBORItem.parse(content, limits: limits, noting: &form)
    }

    /// Parses the embedded item.
    package func item(limits: CBORLimits = .standard) throws(CBORError) -> CBORItem {
        try CBORItem.parse(content, limits: limits)
    }
}

extension EncodedCBOR {
    /// Returns the bytes before the content: the tag, and the head of a byte string of `contentCount` bytes.
    /// Callers that hash content in parts hash these bytes first.
    package static func head(contentCount: Int) -> [UInt8] {
        var encoder = CBOREncoder(reservingCapacity: 11)
        encoder.tag(24)
        encoder.byteStringHead(count: contentCount)
        return encoder.bytes
    }
}
