internal import COpenSSL

extension PrivateKey {
    /// Signs the concatenation of `parts`. `form` is ignored for EdDSA. Throws `algorithmDoesNotFitKey` if
    /// `algorithm` cannot be used on the curve of the key.
    package borrowing func sign(
        _ parts: [ArraySlice<UInt8>], algorithm: SignatureAlgorithm, form: SignatureForm
    ) throws(OpenSSLCryptoError) -> [UInt8] {
        guard algorithm.fits(curve) else { throw .algorithmDoesNotFitKey }
        switch algorithm {
        case .ecdsa(let hash):
            let digest = Digest(hash, ofParts: parts)
            let der = try residence == .tpm ? handle.signInTPM(digest, hash) : sign(digest)
            return form == .der ? der : try fixedWidth(der[...])
        case .eddsa:
            return try signEdwards([UInt8](parts.joined()))
        }
    }

    /// Returns the ECDSA signature of a digest in DER.
    private borrowing func sign(_ digest: Digest) throws(OpenSSLCryptoError) -> [UInt8] {
        let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, handle.pointer, nil)
        defer { unsafe EVP_PKEY_CTX_free(context) }
        guard unsafe EVP_PKEY_sign_init(context) == 1 else { throw cleared(.openSSLFailed) }
        var signature = [UInt8](repeating: 0, count: ECDSASignature.capacity)
        var written = signature.count
        let signed = unsafe digest.withUnsafeBytes { digest in
            let hash = unsafe digest.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return unsafe EVP_PKEY_sign(context, &signature, &written, hash, digest.count) == 1
        }
        guard signed else { throw cleared(.openSSLFailed) }
        signature.removeLast(signature.count - written)
        return signature
    }

    /// Returns r‖s of an ECDSA signature in DER.
    private borrowing func fixedWidth(_ der: ArraySlice<UInt8>) throws(OpenSSLCryptoError) -> [UInt8] {
        // The new value is not used. It is created because its initialiser checks the encoding strictly,
        // which `numbers` does not do.
        _ = try ECDSASignature(der, form: .der, curve: curve)
        let (r, s) = try ECDSASignature.numbers(ofDER: der)
        var result = [UInt8](repeating: 0, count: 2 * curve.coordinateSize)
        result.replaceSubrange(curve.coordinateSize - r.count..<curve.coordinateSize, with: r)
        result.replaceSubrange(2 * curve.coordinateSize - s.count..<2 * curve.coordinateSize, with: s)
        return result
    }

    /// Returns the EdDSA signature of a whole message.
    private borrowing func signEdwards(_ message: [UInt8]) throws(OpenSSLCryptoError) -> [UInt8] {
        let context = unsafe EVP_MD_CTX_new()
        defer { unsafe EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: 2 * curve.coordinateSize)
        var written = signature.count
        guard unsafe EVP_DigestSignInit_ex(context, nil, nil, nil, nil, handle.pointer, nil) == 1,
            unsafe EVP_DigestSign(context, &signature, &written, message, message.count) == 1,
            written == signature.count
        else { throw cleared(.openSSLFailed) }
        return signature
    }
}
