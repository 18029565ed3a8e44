internal import COpenSSL

extension PrivateKey {
    /// Reads a key from unencrypted PEM: PKCS #8 (RFC 5958) or `EC PRIVATE KEY` (RFC 5915), on a named curve.
    ///
    /// - Throws: `pemMalformed` if there is no such key or it is encrypted, `unsupportedKey` for another kind
    ///   of key.
    package init(pem: ArraySlice<UInt8>) throws(OpenSSLCryptoError) {
        guard pem.count <= PEM.maximumSize else { throw .tooLong }
        let decoded = unsafe pem.withUnsafeBytes { bytes in
            let source = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count))
            defer { unsafe BIO_free(source) }
            // The callback gives no passphrase. Without a callback, OpenSSL would ask for it on the terminal.
            return unsafe PEM_read_bio_PrivateKey_ex(source, nil, { _, _, _, _ in -1 }, nil, nil, nil)
        }
        let handle = try unsafe KeyHandle(owning: decoded, orThrow: .pemMalformed)
        guard let curve = handle.curve else { throw cleared(.unsupportedKey) }
        // The key is created again from the scalar, because the public half in the file may belong to another
        // key.
        self = try handle.privateNumber(of: curve).withUnprotectedBytes {
            scalar throws(OpenSSLCryptoError) in try PrivateKey(curve: curve, scalar: scalar)
        }
    }

    /// Calls `body` with the scalar (big-endian) or raw key, of `curve.coordinateSize` bytes. The slice is
    /// overwritten afterwards. A copy that `body` keeps is not overwritten. Throws `keyStaysInTPM` for a key
    /// in the TPM.
    package borrowing func withUnprotectedScalar<R>(
        _ body: (ArraySlice<UInt8>) throws(OpenSSLCryptoError) -> R
    ) throws(OpenSSLCryptoError) -> R {
        guard residence == .memory else { throw .keyStaysInTPM }
        return try handle.privateNumber(of: curve).withUnprotectedBytes(body)
    }

    /// Returns the key as unencrypted PKCS #8 PEM, for a file that the caller protects. Throws
    /// `keyStaysInTPM` for a key in the TPM.
    package borrowing func unprotectedPEM() throws(OpenSSLCryptoError) -> SecretBytes {
        guard residence == .memory else { throw .keyStaysInTPM }
        // A memory BIO overwrites its buffer when it is freed.
        let sink = unsafe BIO_new(BIO_s_mem())
        defer { unsafe BIO_free(sink) }
        guard unsafe PEM_write_bio_PKCS8PrivateKey(sink, handle.pointer, nil, nil, 0, nil, nil) == 1 else {
            throw cleared(.openSSLFailed)
        }
        return try unsafe SecretBytes(count: BIO_ctrl_pending(sink)) { target throws(OpenSSLCryptoError) in
            guard unsafe BIO_read(sink, target.baseAddress, Int32(target.count)) == Int32(target.count) else {
                throw cleared(.openSSLFailed)
            }
        }
    }
}

extension KeyHandle {
    /// The curve of a decoded key; `nil` for other kinds of keys and for curves without a name.
    var curve: Curve? {
        Curve.allCases.first { candidate in
            guard unsafe EVP_PKEY_is_a(pointer, candidate.openSSLKeyType.cString) == 1 else { return false }
            return candidate.family != .weierstrass || groupName == "\(candidate.openSSLName)"
        }
    }

    private var groupName: String? {
        var name = [CChar](repeating: 0, count: 64)
        guard unsafe EVP_PKEY_get_group_name(pointer, &name, name.count, nil) == 1 else { return nil }
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Returns the scalar, or the raw key, of `curve.coordinateSize` bytes.
    fileprivate func privateNumber(of curve: Curve) throws(OpenSSLCryptoError) -> SecretBytes {
        try unsafe SecretBytes(count: curve.coordinateSize) { target throws(OpenSSLCryptoError) in
            let found: Bool
            if curve.family == .weierstrass {
                found = unsafe number(OSSL_PKEY_PARAM_PRIV_KEY, size: target.count, into: target)
            } else {
                var written = target.count
                let bytes = unsafe target.baseAddress?.assumingMemoryBound(to: UInt8.self)
                found = unsafe EVP_PKEY_get_raw_private_key(pointer, bytes, &written) == 1
            }
            guard found else { throw cleared(.openSSLFailed) }
        }
    }
}
