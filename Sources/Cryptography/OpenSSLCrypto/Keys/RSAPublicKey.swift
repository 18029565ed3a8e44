internal import COpenSSL

/// An RSA public key for verification (RFC 8017), of 2048 to 8192 bits.
package struct RSAPublicKey: ~Copyable, Sendable {
    /// The size of the modulus in bits.
    package let bitCount: Int
    private let handle: KeyHandle

    private static let sizes = 2048...8192

    /// Creates a key from a DER `RSAPublicKey` (RFC 8017 A.1.1).
    ///
    /// - Parameters:
    ///   - der: the complete encoding.
    ///   - modulus: the modulus in `der`, big-endian without leading zeros.
    ///   - exponent: the exponent in `der`, big-endian without leading zeros.
    /// - Throws: `unsupportedKey` for a size outside 2048 to 8192 bits, an even modulus, or an exponent that
    ///   is even, 1, or longer than 32 bits.
    package init(
        der: ArraySlice<UInt8>, modulus: ArraySlice<UInt8>, exponent: ArraySlice<UInt8>
    ) throws(OpenSSLCryptoError) {
        // The first byte of the modulus may begin with zero bits.
        bitCount = 8 * modulus.count - (modulus.first?.leadingZeroBitCount ?? 0)
        guard Self.sizes.contains(bitCount), modulus.last.map({ $0 & 1 == 1 }) == true,
            (1...4).contains(exponent.count), exponent.last.map({ $0 & 1 == 1 }) == true,
            !exponent.elementsEqual([1])
        else { throw .unsupportedKey }
        handle = try unsafe KeyHandle(owning: Self.key(der), orThrow: .keyMalformed)
    }

    /// Parses the key; `nil` if OpenSSL failed.
    private static func key(_ der: ArraySlice<UInt8>) -> OpaquePointer? {
        unsafe der.withUnsafeBufferPointer {
            var start = $0.baseAddress
            return unsafe d2i_PublicKey(EVP_PKEY_RSA, nil, &start, $0.count)
        }
    }

    /// Verifies a signature over `message`. Throws `signatureInvalid` for a wrong signature.
    package borrowing func verify(
        _ signature: ArraySlice<UInt8>, algorithm: RSASignatureAlgorithm, over message: ArraySlice<UInt8>
    ) throws(OpenSSLCryptoError) {
        let digest = Digest(algorithm.hash, of: message)
        let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, handle.pointer, nil)
        defer { unsafe EVP_PKEY_CTX_free(context) }
        // `X509SignatureAlgorithm` accepts only a PSS whose salt is as long as the hash, as set below.
        let padding = algorithm.padding == .pss ? RSA_PKCS1_PSS_PADDING : RSA_PKCS1_PADDING
        guard unsafe EVP_PKEY_verify_init(context) == 1,
            unsafe EVP_PKEY_CTX_set_rsa_padding(context, padding) == 1,
            unsafe EVP_PKEY_CTX_set_signature_md(context, algorithm.hash.implementation) == 1,
            unsafe algorithm.padding == .pkcs1
                || EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1
        else { throw cleared(.openSSLFailed) }
        let verdict = unsafe signature.withUnsafeBufferPointer { signature in
            unsafe digest.withUnsafeBytes { digest in
                let hash = unsafe digest.baseAddress?.assumingMemoryBound(to: UInt8.self)
                return unsafe EVP_PKEY_verify(
                    context, signature.baseAddress, signature.count, hash, digest.count)
            }
        }
        guard verdict == 1 else { throw cleared(.signatureInvalid) }
    }
}

/// An RSA signature algorithm, as some roots and CRLs use it (RFC 8017 A.2; RFC 4055).
package struct RSASignatureAlgorithm: Hashable, Sendable {
    package enum Padding: Hashable, Sendable { case pkcs1, pss }

    package let hash: HashAlgorithm
    package let padding: Padding

    package init(_ hash: HashAlgorithm, _ padding: Padding) {
        self.hash = hash
        self.padding = padding
    }
}
