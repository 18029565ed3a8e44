package import CBOR
package import OpenSSLCrypto

/// A COSE_Sign1 (RFC 9052 4.2), with or without tag 18. It is not verified until `verify` returns.
package struct COSESign1: Sendable {
    package let headers: COSEHeaders
    /// The embedded payload; `nil` if the payload is detached.
    package let payload: ArraySlice<UInt8>?
    package let signature: ArraySlice<UInt8>
    /// Whether tag 18 was present. ISO/IEC 18013-5 requires an untagged object, so the tag is a deviation
    /// (Q147).
    package let isTagged: Bool

    package static let tag: UInt64 = 18

    package init(_ item: CBORItem, limits: CBORLimits = .standard) throws(COSEError) {
        let fields = try COSEFields(item.untagged(Self.tag), of: .sign1, limits: limits)
        // Removing a tag shortens the item, so a difference in size shows that there was a tag.
        isTagged = item.untagged(Self.tag).encoded.count != item.encoded.count
        headers = fields.headers
        payload = fields.payload
        signature = fields.last
    }

    /// Verifies the signature over the embedded payload with empty external data.
    package func verify(with key: borrowing PublicKey) throws(COSEError) {
        guard let payload else { throw .payloadMisplaced }
        try verify(with: key, over: [payload])
    }

    /// Verifies the signature over a detached payload, given in parts.
    package func verify(
        with key: borrowing PublicKey, detachedPayload: [ArraySlice<UInt8>]
    ) throws(COSEError) {
        guard payload == nil else { throw .payloadMisplaced }
        try verify(with: key, over: detachedPayload)
    }

    /// Verifies the signature over the parts of the payload. The algorithm must fit the key's curve.
    private func verify(
        with key: borrowing PublicKey, over payload: [ArraySlice<UInt8>]
    ) throws(COSEError) {
        let algorithm = try headers.algorithm()
        guard let signatureAlgorithm = algorithm.signatureAlgorithm(on: key.curve) else {
            throw .algorithmNotAllowed(algorithm.identifier)
        }
        let message = signedBytes(context: "Signature1", protected: headers.protected, payload: payload)
        do throws(OpenSSLCryptoError) {
            try key.verify(signature, form: .fixedWidth, algorithm: signatureAlgorithm, over: message)
        } catch .signatureInvalid {
            throw .signatureInvalid
        } catch .signatureMalformed {
            throw .signatureMalformed
        } catch {
            throw .cryptography(error)
        }
    }
}

/// The four fields that COSE_Sign1 and COSE_Mac0 share.
struct COSEFields {
    let headers: COSEHeaders
    let payload: ArraySlice<UInt8>?
    /// The signature of a COSE_Sign1, or the tag of a COSE_Mac0.
    let last: ArraySlice<UInt8>

    /// Reads the array of exactly four fields.
    init(_ item: CBORItem, of structure: COSEStructure, limits: CBORLimits) throws(COSEError) {
        var fields: [CBORItem] = []
        do throws(CBORError) {
            for field in try item.array() {
                // The `catch` below replaces every `CBORError`, so any of its cases may be thrown here.
                guard fields.count < 4 else { throw CBORError.outOfRange(at: field.offset) }
                fields.append(field)
            }
            guard fields.count == 4 else { throw CBORError.missingMember(at: item.offset) }
            payload = fields[2].isNullOrUndefined ? nil : try fields[2].byteString()
            last = try fields[3].byteString()
        } catch {
            throw .malformed(structure)
        }
        headers = try COSEHeaders(
            protected: fields[0], unprotected: fields[1], of: structure, limits: limits)
    }
}

/// Returns the Sig_structure or MAC_structure (RFC 9052 4.4, 6.3) with empty external data, in parts: first
/// everything before the payload, then the parts of the payload, which are not copied.
func signedBytes(
    context: String, protected: ArraySlice<UInt8>, payload: [ArraySlice<UInt8>]
) -> [ArraySlice<UInt8>] {
    // 32 bytes are enough for the context string and the CBOR heads.
    var encoder = CBOREncoder(reservingCapacity: protected.count + 32)
    encoder.array(count: 4)
    encoder.text(context)
    encoder.byteString(protected)
    encoder.byteString(EmptyCollection())
    encoder.byteStringHead(count: payload.reduce(0) { $0 + $1.count })
    return [encoder.bytes[...]] + payload
}
