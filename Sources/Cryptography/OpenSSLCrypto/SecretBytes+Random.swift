internal import COpenSSL

extension SecretBytes {
    /// `count` bytes of OpenSSL's generator for private values, for a symmetric key.
    package static func random(_ count: Int) throws(OpenSSLCryptoError) -> SecretBytes {
        try unsafe SecretBytes(count: count) { target throws(OpenSSLCryptoError) in
            let bytes = unsafe target.baseAddress?.assumingMemoryBound(to: UInt8.self)
            guard unsafe RAND_priv_bytes_ex(nil, bytes, target.count, 0) == 1 else {
                throw cleared(.openSSLFailed)
            }
        }
    }
}
