package import CBOR
package import COSE

/// Who asks (ISO/IEC 18013-5 9.1.4): a reader authentication key with its certificates, under the name its operator
/// gave it.
package struct ReaderIdentity: Sendable {
    package let name: String
    package let key: COSECertifiedKey

    package init(name: String, key: COSECertifiedKey) {
        self.name = name
        self.key = key
    }

    /// readerAuth of one document: over its bytes as they are sent, and over this session's transcript.
    package func readerAuth(
        _ items: EncodedCBOR<ItemsRequest>, in transcript: SessionTranscript
    ) throws(COSEError) -> [UInt8] {
        try key.sign1(
            detachedPayload: readerAuthenticationBytes(transcript: transcript, itemsRequest: items))
    }

    /// The one signature of readerAuthAll, over all documents.
    package func readerAuthAll(
        _ items: [EncodedCBOR<ItemsRequest>], _ info: EncodedCBOR<DeviceRequestInfo>?,
        in transcript: SessionTranscript
    ) throws(COSEError) -> [UInt8] {
        try key.sign1(
            detachedPayload: readerAuthenticationAllBytes(
                transcript: transcript, itemsRequests: items, deviceRequestInfo: info))
    }
}
