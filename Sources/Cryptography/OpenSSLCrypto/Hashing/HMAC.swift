internal import COpenSSL

/// Returns the HMAC-SHA-256 (RFC 2104, FIPS 198-1) over the concatenation of `parts`: 32 bytes.
package func hmacSHA256(
    key: borrowing SecretBytes, over parts: [ArraySlice<UInt8>]
) throws(OpenSSLCryptoError) -> [UInt8] {
    var tag = [UInt8](repeating: 0, count: HashAlgorithm.sha256.digestSize)
    guard unsafe tag.withUnsafeMutableBytes({ unsafe writeHMACSHA256(key: key, over: parts, to: $0) }) else {
        throw cleared(.openSSLFailed)
    }
    return tag
}

/// Writes the HMAC-SHA-256 over the concatenation of `parts`.
///
/// - Parameter target: memory of 32 bytes.
/// - Returns: `false` if OpenSSL failed.
func writeHMACSHA256(
    key: borrowing SecretBytes, over parts: [ArraySlice<UInt8>], to target: UnsafeMutableRawBufferPointer
) -> Bool {
    let context = unsafe EVP_MAC_CTX_new(OpenSSLAlgorithms.hmac)
    defer { unsafe EVP_MAC_CTX_free(context) }
    let begun = unsafe key.withUnsafeBytes { secret in
        let parameters = unsafe [OSSL_PARAM.text("digest", "SHA256"), .end]
        let key = unsafe secret.baseAddress?.assumingMemoryBound(to: UInt8.self)
        return unsafe EVP_MAC_init(context, key, secret.count, parameters) == 1
    }
    let fed =
        begun
        && parts.allSatisfy { part in
            unsafe part.withUnsafeBufferPointer {
                unsafe EVP_MAC_update(context, $0.baseAddress, $0.count) == 1
            }
        }
    let output = unsafe target.baseAddress?.assumingMemoryBound(to: UInt8.self)
    var written = 0
    return unsafe fed && EVP_MAC_final(context, output, &written, target.count) == 1
        && written == target.count
}
