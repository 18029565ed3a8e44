internal import COpenSSL

/// HKDF with SHA-256, extract and expand (RFC 5869, 2). `count` is at most 255 · 32 bytes, `info` at most
/// OpenSSL's 2048; beyond either it throws `tooLong`.
package func hkdfSHA256(
    secret: borrowing SecretBytes, salt: ArraySlice<UInt8>, info: ArraySlice<UInt8>, count: Int
) throws(OpenSSLCryptoError) -> SecretBytes {
    guard (1...255 * HashAlgorithm.sha256.digestSize).contains(count), info.count <= 2048 else {
        throw .tooLong
    }
    return try unsafe SecretBytes(count: count) { output throws(OpenSSLCryptoError) in
        let derived = unsafe info.withUnsafeBytes { unsafe derive(secret, salt, $0, into: output) }
        guard derived else { throw cleared(.openSSLFailed) }
    }
}

/// HKDF with SHA-256 (RFC 5869, 2) whose info is the bytes of a literal, as "SKReader".
package func hkdfSHA256(
    secret: borrowing SecretBytes, salt: ArraySlice<UInt8>, info: StaticString, count: Int
) throws(OpenSSLCryptoError) -> SecretBytes {
    let bytes = info.withUTF8Buffer { unsafe [UInt8]($0) }
    return try hkdfSHA256(secret: secret, salt: salt, info: bytes[...], count: count)
}

private func derive(
    _ secret: borrowing SecretBytes, _ salt: ArraySlice<UInt8>, _ info: UnsafeRawBufferPointer,
    into output: UnsafeMutableRawBufferPointer
) -> Bool {
    let context = unsafe EVP_KDF_CTX_new(OpenSSLAlgorithms.hkdf)
    defer { unsafe EVP_KDF_CTX_free(context) }
    let target = unsafe output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    return unsafe secret.withUnsafeBytes { secret in
        unsafe salt.withUnsafeBytes { salt in
            let parameters = unsafe [
                OSSL_PARAM.text("digest", "SHA256"), .octets("key", secret), .octets("salt", salt),
                .octets("info", info), .end,
            ]
            return unsafe EVP_KDF_derive(context, target, output.count, parameters) == 1
        }
    }
}
