internal import COpenSSL

/// Derives key material by HKDF with SHA-256, extract and expand (RFC 5869 2).
///
/// - Parameters:
///   - info: at most 2048 bytes, a limit of OpenSSL.
///   - count: the number of bytes to derive, from 1 to 255 · 32.
/// - Throws: `tooLong` if `info` or `count` exceeds its limit.
package func hkdfSHA256(
    secret: borrowing SecretBytes, salt: ArraySlice<UInt8>, info: ArraySlice<UInt8>, count: Int
) throws(OpenSSLCryptoError) -> SecretBytes {
    guard (1...255 * HashAlgorithm.sha256.digestSize).contains(count), info.count <= 2048 else {
        throw .tooLong
    }
    return try unsafe SecretBytes(count: count) { output throws(OpenSSLCryptoError) in
        let derived = unsafe salt.withUnsafeBytes { salt in
            unsafe info.withUnsafeBytes { info in
                unsafe derive("EXTRACT_AND_EXPAND", secret, salt: salt, info: info, into: output)
            }
        }
        guard derived else { throw cleared(.openSSLFailed) }
    }
}

/// Derives key material by HKDF with SHA-256 (RFC 5869 2), with a literal as info, such as "SKReader".
package func hkdfSHA256(
    secret: borrowing SecretBytes, salt: ArraySlice<UInt8>, info: StaticString, count: Int
) throws(OpenSSLCryptoError) -> SecretBytes {
    let bytes = info.withUTF8Buffer { unsafe [UInt8]($0) }
    return try hkdfSHA256(secret: secret, salt: salt, info: bytes[...], count: count)
}

/// Performs HKDF-Extract with SHA-256 (RFC 5869 2.2): HMAC under the salt over the concatenation of `parts`.
/// Returns a pseudorandom key of 32 bytes.
func hkdfExtract(
    salt: borrowing SecretBytes, over parts: [ArraySlice<UInt8>]
) throws(OpenSSLCryptoError) -> SecretBytes {
    let size = HashAlgorithm.sha256.digestSize
    return try unsafe SecretBytes(count: size) { output throws(OpenSSLCryptoError) in
        guard unsafe writeHMACSHA256(key: salt, over: parts, to: output) else {
            throw cleared(.openSSLFailed)
        }
    }
}

/// Performs HKDF-Expand with SHA-256 (RFC 5869 2.3), with the same limits as `hkdfSHA256`.
func hkdfExpand(
    key: borrowing SecretBytes, info: ArraySlice<UInt8>, count: Int
) throws(OpenSSLCryptoError) -> SecretBytes {
    guard (1...255 * HashAlgorithm.sha256.digestSize).contains(count), info.count <= 2048 else {
        throw .tooLong
    }
    return try unsafe SecretBytes(count: count) { output throws(OpenSSLCryptoError) in
        let nothing = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
        let derived = unsafe info.withUnsafeBytes { info in
            unsafe derive("EXPAND_ONLY", key, salt: nothing, info: info, into: output)
        }
        guard derived else { throw cleared(.openSSLFailed) }
    }
}

/// Runs OpenSSL's HKDF in one of its modes. Returns `false` if OpenSSL failed.
private func derive(
    _ mode: StaticString, _ secret: borrowing SecretBytes, salt: UnsafeRawBufferPointer,
    info: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
) -> Bool {
    let context = unsafe EVP_KDF_CTX_new(OpenSSLAlgorithms.hkdf)
    defer { unsafe EVP_KDF_CTX_free(context) }
    let target = unsafe output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    return unsafe secret.withUnsafeBytes { secret in
        var parameters = unsafe [
            OSSL_PARAM.text("mode", mode), .text("digest", "SHA256"), .octets("key", secret),
        ]
        // An empty salt or info is left out, because OpenSSL refuses a parameter whose pointer is null.
        if unsafe !salt.isEmpty { unsafe parameters.append(.octets("salt", salt)) }
        if unsafe !info.isEmpty { unsafe parameters.append(.octets("info", info)) }
        unsafe parameters.append(.end)
        return unsafe EVP_KDF_derive(context, target, output.count, parameters) == 1
    }
}
