internal import COpenSSL

extension PrivateKey {
    /// Returns the shared secret of both keys: the x coordinate (ECDH, SP 800-56A 5.7.1.2) or the u
    /// coordinate (RFC 7748 6), of `curve.coordinateSize` bytes.
    ///
    /// The peer's point was checked against the curve when its `PublicKey` was created. A second validation
    /// is not needed. The Weierstrass curves have cofactor 1, so they have no points of small order. On a
    /// Montgomery curve a point of small order gives a result of zero, which is refused. On a Weierstrass
    /// curve a result of zero is valid.
    ///
    /// - Throws: `curvesDoNotAgree`, or `keyAgreementFailed` for a result of zero on a Montgomery curve.
    package borrowing func sharedSecret(
        with peer: borrowing PublicKey
    ) throws(OpenSSLCryptoError) -> SecretBytes {
        guard curve == peer.curve, curve.family != .edwards else { throw .curvesDoNotAgree }
        if residence == .tpm { return try handle.agreeInTPM(with: peer.handle, size: curve.coordinateSize) }
        let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, handle.pointer, nil)
        defer { unsafe EVP_PKEY_CTX_free(context) }
        // The argument 0 turns off the second validation of the peer's key.
        guard unsafe EVP_PKEY_derive_init(context) == 1,
            unsafe EVP_PKEY_derive_set_peer_ex(context, peer.handle.pointer, 0) == 1
        else { throw cleared(.openSSLFailed) }
        return try unsafe SecretBytes(count: curve.coordinateSize) { target throws(OpenSSLCryptoError) in
            var written = target.count
            let bytes = unsafe target.baseAddress?.assumingMemoryBound(to: UInt8.self)
            guard unsafe EVP_PKEY_derive(context, bytes, &written) == 1, written == target.count,
                unsafe curve.family == .weierstrass || !isZero(target)
            else { throw cleared(.keyAgreementFailed) }
        }
    }
}

/// Returns whether all bytes are zero, in a time that does not depend on the contents.
private func isZero(_ bytes: UnsafeMutableRawBufferPointer) -> Bool {
    unsafe bytes.reduce(0, |) == 0
}
