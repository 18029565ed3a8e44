internal import COpenSSL

/// Returns `count` random bytes for public values, such as identifiers and serial numbers.
package func randomBytes(_ count: Int) throws(OpenSSLCryptoError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    guard unsafe RAND_bytes_ex(nil, &bytes, count, 0) == 1 else { throw cleared(.openSSLFailed) }
    return bytes
}

extension SecretBytes {
    /// Returns `count` random bytes for a symmetric key, from OpenSSL's generator for private values.
    package static func random(_ count: Int) throws(OpenSSLCryptoError) -> SecretBytes {
        try unsafe SecretBytes(count: count) { target throws(OpenSSLCryptoError) in
            let bytes = unsafe target.baseAddress?.assumingMemoryBound(to: UInt8.self)
            guard unsafe RAND_priv_bytes_ex(nil, bytes, target.count, 0) == 1 else {
                throw cleared(.openSSLFailed)
            }
        }
    }
}
