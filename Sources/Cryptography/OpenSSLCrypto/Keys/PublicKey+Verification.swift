internal import COpenSSL

extension PublicKey {
    /// Verifies a signature over the concatenation of `parts`.
    ///
    /// - Throws: `algorithmDoesNotFitKey` for an algorithm that the curve does not allow,
    ///   `signatureMalformed` for a wrong size or malformed DER, `signatureInvalid` for a wrong signature.
    package borrowing func verify(
        _ signature: ArraySlice<UInt8>, form: SignatureForm, algorithm: SignatureAlgorithm,
        over parts: [ArraySlice<UInt8>]
    ) throws(OpenSSLCryptoError) {
        guard algorithm.fits(curve) else { throw .algorithmDoesNotFitKey }
        switch algorithm {
        case .ecdsa(let hash):
            let signature = try ECDSASignature(signature, form: form, curve: curve)
            try verify(signature, of: Digest(hash, ofParts: parts))
        case .eddsa:
            guard signature.count == curve.signatureSize else { throw .signatureMalformed }
            // OpenSSL verifies EdDSA over a message in one piece. A single part is not copied.
            let message = parts.count == 1 ? parts[0] : [UInt8](parts.joined())[...]
            try verifyEdwards(signature, over: message)
        }
    }

    /// Verifies an ECDSA signature of a digest.
    private borrowing func verify(
        _ signature: borrowing ECDSASignature, of digest: Digest
    ) throws(OpenSSLCryptoError) {
        // Every public key on a Weierstrass curve has a shell.
        guard let context = unsafe handle.shell?.verification() else { throw cleared(.openSSLFailed) }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        let verdict = unsafe signature.withUnsafeDER { der in
            unsafe digest.withUnsafeBytes { digest in
                let hash = unsafe digest.baseAddress?.assumingMemoryBound(to: UInt8.self)
                return unsafe EVP_PKEY_verify(context, der.baseAddress, der.count, hash, digest.count)
            }
        }
        guard verdict == 1 else { throw cleared(.signatureInvalid) }
    }

    /// Verifies an EdDSA signature of a whole message.
    private borrowing func verifyEdwards(
        _ signature: ArraySlice<UInt8>, over message: ArraySlice<UInt8>
    ) throws(OpenSSLCryptoError) {
        let context = unsafe EVP_MD_CTX_new()
        defer { unsafe EVP_MD_CTX_free(context) }
        guard unsafe EVP_DigestVerifyInit_ex(context, nil, nil, nil, nil, handle.pointer, nil) == 1 else {
            throw cleared(.openSSLFailed)
        }
        let verdict = unsafe signature.withUnsafeBufferPointer { signature in
            unsafe message.withUnsafeBufferPointer { message in
                unsafe EVP_DigestVerify(
                    context, signature.baseAddress, signature.count, message.baseAddress, message.count)
            }
        }
        guard verdict == 1 else { throw cleared(.signatureInvalid) }
    }
}
