package import CBOR
package import COSE

/// A reader's identity (ISO/IEC 18013-5 9.1.4): a key for reader authentication with its certificates, and
/// the name that the operator gave it.
package struct ReaderIdentity: Sendable {
    package let name: String
    package let key: COSECertifiedKey

    package init(name: String, key: COSECertifiedKey) {
        self.name = name
        self.key = key
    }

    /// Makes the signature readerAuth for one document of the request, over its encoded ItemsRequest and this
    /// session's transcript.
    package func readerAuth(
        _ items: EncodedCBOR<ItemsRequest>, in transcript: SessionTranscript
    ) throws(COSEError) -> [UInt8] {
        try key.sign1(
            detachedPayload: readerAuthenticationBytes(transcript: transcript, itemsRequest: items))
    }

    /// Makes the signature readerAuthAll, over all documents of the request, its DeviceRequestInfo and this
    /// session's transcript.
    package func readerAuthAll(
        _ items: [EncodedCBOR<ItemsRequest>], _ info: EncodedCBOR<DeviceRequestInfo>?,
        in transcript: SessionTranscript
    ) throws(COSEError) -> [UInt8] {
        try key.sign1(
            detachedPayload: readerAuthenticationAllBytes(
                transcript: transcript, itemsRequests: items, deviceRequestInfo: info))
    }
}
