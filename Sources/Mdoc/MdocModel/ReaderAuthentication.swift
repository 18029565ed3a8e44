package import CBOR

/// Returns ReaderAuthenticationBytes (ISO/IEC 18013-5 9.1.4.4) as parts, which are hashed one after the
/// other.
package func readerAuthenticationBytes(
    transcript: SessionTranscript, itemsRequest: EncodedCBOR<ItemsRequest>
) -> [ArraySlice<UInt8>] {
    let opening = CBOREncoder.encode { encoder in
        encoder.array(count: 3)
        encoder.text("ReaderAuthentication")
    }
    // The signature covers the transcript exactly as it was sent and received (Q44).
    let count = opening.count + transcript.encoded.count + itemsRequest.bytes.count
    return [
        EncodedCBOR<Never>.head(contentCount: count)[...], opening[...], transcript.encoded,
        itemsRequest.bytes,
    ]
}

/// Returns ReaderAuthenticationAllBytes (second edition) as parts, which are hashed one after the other. The
/// bytes cover every document of the request, and its DeviceRequestInfo or null.
package func readerAuthenticationAllBytes(
    transcript: SessionTranscript, itemsRequests: [EncodedCBOR<ItemsRequest>],
    deviceRequestInfo: EncodedCBOR<DeviceRequestInfo>?
) -> [ArraySlice<UInt8>] {
    let opening = CBOREncoder.encode { encoder in
        encoder.array(count: 4)
        encoder.text("ReaderAuthenticationAll")
    }
    let list = CBOREncoder.encode { $0.array(count: itemsRequests.count) }
    // A request without DeviceRequestInfo is signed with null in its place.
    let info = deviceRequestInfo?.bytes ?? CBOREncoder.encode { $0.null() }[...]
    let parts =
        [opening[...], transcript.encoded, list[...]] + itemsRequests.map(\.bytes) + [info]
    let count = parts.reduce(0) { $0 + $1.count }
    return [EncodedCBOR<Never>.head(contentCount: count)[...]] + parts
}
