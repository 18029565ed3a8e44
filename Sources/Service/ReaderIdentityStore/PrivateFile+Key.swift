package import OpenSSLCrypto

extension PrivateFile {
    /// The private key in a file that is its owner's alone: itself, or as this machine's TPM wrapped it.
    package static func key(_ path: String) throws(IdentityStoreError) -> PrivateKey {
        try withSecret(path) { pem throws(IdentityStoreError) in
            do throws(OpenSSLCryptoError) {
                return isWrappedKey(pem) ? try PrivateKey(wrappedPEM: pem) : try PrivateKey(pem: pem)
            } catch {
                throw .keyUnusable(error)
            }
        }
    }

    static func isWrappedKey(_ pem: ArraySlice<UInt8>) -> Bool {
        pem.starts(with: "-----BEGIN \(PrivateKey.wrappedLabel)-----".utf8)
    }
}
