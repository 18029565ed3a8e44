internal import ErrorMapping
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
                try mapping(PrivateKey(pem: pem), IdentityStoreError.keyUnusable)
            }
        } catch .fileRefused(_, errno: PrivateFile.absent) {
            return try replace()
        } catch {
            throw .keyFile(error)
        }
    }

    /// A new key in place of the one that is there. To be called while the store is held for a change.
    func replace() throws(ReaderStoreError) -> PrivateKey {
        do throws(IdentityStoreError) {
            let key = try mapping(PrivateKey.generate(.p256), IdentityStoreError.keyUnusable)
            let pem = try mapping(key.unprotectedPEM(), IdentityStoreError.keyUnusable)
            try pem.withUnprotectedBytes { bytes throws(IdentityStoreError) in
                try PrivateFile.replace(path, with: bytes)
            }
            return key
        } catch {
            throw .keyFile(error)
        }
    }
}
