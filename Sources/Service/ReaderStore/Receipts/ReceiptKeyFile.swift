internal import OpenSSLCrypto
internal import ReaderIdentityStore

/// The file of the key that signs receipts, beside the store: EC P-256 in PEM, its owner's alone.
struct ReceiptKeyFile {
    let path: String

    init(in folder: StoreFolder) {
        path = "\(folder.path)/receipt-key.pem"
    }

    /// The key, created if absent. Call it while the store is held for a change.
    func key() throws(ReaderStoreError) -> PrivateKey {
        do throws(IdentityStoreError) {
            return try PrivateFile.withSecret(path) { pem throws(IdentityStoreError) in
                do throws(OpenSSLCryptoError) {
                    return try PrivateKey(pem: pem)
                } catch {
                    throw .keyUnusable(error)
                }
            }
        } catch .fileRefused(_, errno: PrivateFile.absent) {
            return try replace()
        } catch {
            throw .keyFile(error)
        }
    }

    /// A new key in place of the one that is there. To be called while the store is held for a change.
    func replace() throws(ReaderStoreError) -> PrivateKey {
        let key = try naming { () throws(OpenSSLCryptoError) in try PrivateKey.generate(.p256) }
        let pem = try naming { () throws(OpenSSLCryptoError) in try key.unprotectedPEM() }
        do throws(IdentityStoreError) {
            try pem.withUnprotectedBytes { bytes throws(IdentityStoreError) in
                try PrivateFile.replace(path, with: bytes)
            }
        } catch {
            throw .keyFile(error)
        }
        return key
    }

    private func naming<Result: ~Copyable>(
        _ body: () throws(OpenSSLCryptoError) -> Result
    ) throws(ReaderStoreError) -> Result {
        do throws(OpenSSLCryptoError) {
            return try body()
        } catch {
            throw .keyFile(.keyUnusable(error))
        }
    }
}
