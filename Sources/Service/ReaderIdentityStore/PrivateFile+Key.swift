internal import ErrorMapping
package import OpenSSLCrypto

extension PrivateFile {
    /// The private key in a file that is its owner's alone: itself, or as this machine's TPM wrapped it.
    package static func key(_ path: String) throws(IdentityStoreError) -> PrivateKey {
        try withSecret(path) { pem throws(IdentityStoreError) in
            try mapping(
                isWrappedKey(pem) ? PrivateKey(wrappedPEM: pem) : PrivateKey(pem: pem),
                IdentityStoreError.keyUnusable)
        }
    }

    /// Writes a private key to a file that is not there yet: itself, or as this machine's TPM wrapped it.
    package static func create(_ path: String, _ key: borrowing PrivateKey) throws(IdentityStoreError) {
        let pem = try mapping(
            key.residence == .tpm ? SecretBytes(copying: key.wrappedPEM()[...]) : key.unprotectedPEM(),
            IdentityStoreError.keyUnusable)
        try pem.withUnprotectedBytes { bytes throws(IdentityStoreError) in
            try create(path, bytes)
        }
    }

    static func isWrappedKey(_ pem: ArraySlice<UInt8>) -> Bool {
        PEM.hasBlock(PrivateKey.wrappedLabel, in: pem)
    }
}
