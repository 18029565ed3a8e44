internal import CBOR
package import OpenSSLCrypto
internal import PKIX

/// The headers of a COSE_Sign1 or COSE_Mac0 to be written.
package struct COSESigner: Sendable {
    /// The contents of the protected header's byte string.
    package var protected: [UInt8]
    /// The encoded unprotected header map.
    package var unprotected: [UInt8]

    /// Creates the headers of ISO/IEC 18013-5: `alg` protected, and the certificates unprotected, if there
    /// are any.
    package init(algorithm: COSEAlgorithm, x5chain: [ArraySlice<UInt8>] = []) {
        // Label 1 is `alg`, and 33 below is `x5chain` (RFC 9360 2).
        protected = CBOREncoder.encode {
            $0.map(count: 1)
            $0.integer(1)
            $0.integer(algorithm.identifier)
        }
        unprotected = CBOREncoder.encode { encoder in
            encoder.map(count: x5chain.isEmpty ? 0 : 1)
            guard let leaf = x5chain.first else { return }
            encoder.integer(33)
            // A single certificate is not in an array (RFC 9360 2).
            if x5chain.count == 1 { return encoder.byteString(leaf) }
            encoder.array(count: x5chain.count)
            for certificate in x5chain { encoder.byteString(certificate) }
        }
    }

    /// Returns headers for ES256 with the algorithm (`alg`) and the key's identifier (`kid`) (RFC 9052 3.1),
    /// both protected.
    package static func es256(keyID: [UInt8]) -> Self {
        var signer = Self(algorithm: .es256)
        // Label 1 is `alg`, and 4 is `kid`.
        signer.protected = CBOREncoder.encode { encoder in
            encoder.map(count: 2)
            encoder.integer(1)
            encoder.integer(COSEAlgorithm.es256.identifier)
            encoder.integer(4)
            encoder.byteString(keyID)
        }
        return signer
    }

    /// Returns an untagged COSE_Sign1 over `payload`, which is embedded unless `detached`.
    package func sign1(
        _ payload: [UInt8], detached: Bool, with key: borrowing PrivateKey, algorithm: SignatureAlgorithm
    ) throws(OpenSSLCryptoError) -> [UInt8] {
        let message = signedBytes(context: "Signature1", protected: protected[...], payload: [payload[...]])
        let signature = try key.sign(message, algorithm: algorithm, form: .fixedWidth)
        return object(payload: detached ? nil : payload, last: signature)
    }

    /// Returns an untagged COSE_Sign1 over a detached payload, given in parts.
    func sign1(
        detachedPayload parts: [ArraySlice<UInt8>], with key: borrowing PrivateKey,
        algorithm: SignatureAlgorithm
    ) throws(OpenSSLCryptoError) -> [UInt8] {
        let message = signedBytes(context: "Signature1", protected: protected[...], payload: parts)
        return object(payload: nil, last: try key.sign(message, algorithm: algorithm, form: .fixedWidth))
    }

    /// Returns an untagged COSE_Mac0 over a detached payload.
    package func mac0(
        detachedPayload payload: [UInt8], key: borrowing SecretBytes
    ) throws(OpenSSLCryptoError) -> [UInt8] {
        let message = signedBytes(context: "MAC0", protected: protected[...], payload: [payload[...]])
        return object(payload: nil, last: try hmacSHA256(key: key, over: message))
    }

    /// Encodes the four fields. The last field is the signature or the tag.
    private func object(payload: [UInt8]?, last: [UInt8]) -> [UInt8] {
        CBOREncoder.encode { encoder in
            encoder.array(count: 4)
            encoder.byteString(protected)
            encoder.encoded(unprotected)
            // A detached payload is null in the object.
            if let payload { encoder.byteString(payload) } else { encoder.null() }
            encoder.byteString(last)
        }
    }
}
