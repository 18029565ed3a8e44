package import CBOR
package import OpenSSLCrypto

/// A COSE_Mac0 (RFC 9052 6.2), with or without tag 17. It is not verified until `verify` returns.
package struct COSEMac0: Sendable {
    package let headers: COSEHeaders
    /// The embedded payload; `nil` if the payload is detached.
    package let payload: ArraySlice<UInt8>?
    package let authenticationTag: ArraySlice<UInt8>
    /// Whether tag 17 was present. ISO/IEC 18013-5 requires an untagged object, so the tag is a deviation
    /// (Q147).
    package let isTagged: Bool

    package static let tag: UInt64 = 17

    package init(_ item: CBORItem, limits: CBORLimits = .standard) throws(COSEError) {
        let fields = try COSEFields(item.untagged(Self.tag), of: .mac0, limits: limits)
        // Removing a tag shortens the item, so a difference in size shows that there was a tag.
        isTagged = item.untagged(Self.tag).encoded.count != item.encoded.count
        headers = fields.headers
        payload = fields.payload
        authenticationTag = fields.last
    }

    /// Verifies HMAC 256/256 over a detached payload, given in parts. Tags are compared in constant time
    /// (Q199).
    package func verify(
        with key: borrowing SecretBytes, detachedPayload: [ArraySlice<UInt8>]
    ) throws(COSEError) {
        guard payload == nil else { throw .payloadMisplaced }
        let algorithm = try headers.algorithm()
        guard algorithm == .hmac256 else { throw .algorithmNotAllowed(algorithm.identifier) }
        let message = signedBytes(context: "MAC0", protected: headers.protected, payload: detachedPayload)
        let expected: [UInt8]
        do throws(OpenSSLCryptoError) {
            expected = try hmacSHA256(key: key, over: message)
        } catch {
            throw .cryptography(error)
        }
        guard authenticationTag.count == expected.count else { throw .signatureMalformed }
        guard constantTimeEquals(authenticationTag, expected[...]) else { throw .signatureInvalid }
    }
}
