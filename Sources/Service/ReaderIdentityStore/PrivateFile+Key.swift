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

    /// Writes a private key to a file that is not there yet: itself, or as this machine's TPM wrapped it.
    package static func create(_ path: String, _ key: borrowing PrivateKey) throws(IdentityStoreError) {
        let pem: SecretBytes
        do throws(OpenSSLCryptoError) {
            pem =
                key.residence == .tpm
                ? SecretBytes(copying: try key.wrappedPEM()[...]) : try key.unprotectedPEM()
        } catch {
            throw .keyUnusable(error)
        }
        try pem.withUnprotectedBytes { bytes throws(IdentityStoreError) in
            try create(path, bytes)
        }
    }

    static func isWrappedKey(_ pem: ArraySlice<UInt8>) -> Bool {
        pem.starts(with: "-----BEGIN \(PrivateKey.wrappedLabel)-----".utf8)
    }
}
