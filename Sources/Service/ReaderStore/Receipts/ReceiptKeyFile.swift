internal import COSE
internal import ErrorMapping
package import OpenSSLCrypto
internal import PKIX
internal import ReaderIdentityStore

/// The file of the private key that signs receipts: EC P-256 in PEM, in the store's folder, readable only by
/// its owner.
struct ReceiptKeyFile {
    let path: String

    init(in folder: StoreFolder) {
        path = "\(folder.path)/receipt-key.pem"
    }

    /// Returns the key, created if absent. Call this function inside a write transaction of the store, so
    /// that two processes do not create different keys.
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

    /// Creates a new key in place of the existing one. Call this function inside a write transaction of the
    /// store.
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

/// The public half of a key that signs receipts.
package struct ReceiptPublicKey: Hashable, Sendable {
    /// The id of a key in a receipt: the first 16 bytes of the SHA-256 over its COSE_Key (RFC 9679).
    package struct ID: Hashable, Sendable {
        package static let size = COSEKey.shortThumbprintSize

        package let bytes: [UInt8]

        init?(_ bytes: ArraySlice<UInt8>) {
            guard bytes.count == Self.size else { return nil }
            self.bytes = Array(bytes)
        }

        /// Computes the id of the key with the uncompressed point 04‖x‖y on P-256.
        fileprivate init(point: [UInt8]) {
            bytes = COSEKey.shortThumbprint(ofP256: point)
        }
    }

    package let id: ID
    /// The uncompressed point 04‖x‖y on P-256.
    package let point: [UInt8]

    /// Creates the value from a key. Throws `receiptKeyUnusable` for a key on another curve.
    package init(_ key: borrowing PublicKey) throws(ReaderStoreError) {
        guard key.curve == .p256 else { throw .receiptKeyUnusable }
        point = key.encodedPoint
        id = ID(point: point)
    }

    /// Creates the value from an uncompressed point. Throws `receiptKeyUnusable` for anything but a point on
    /// P-256.
    package init(point: [UInt8]) throws(ReaderStoreError) {
        do throws(OpenSSLCryptoError) {
            try self.init(trusting: PublicKey(curve: .p256, uncompressedPoint: point[...]))
        } catch {
            throw .receiptKeyUnusable
        }
    }

    /// Creates the value from a key that is known to be on P-256.
    private init(trusting key: borrowing PublicKey) {
        point = key.encodedPoint
        id = ID(point: point)
    }

    package func key() throws(OpenSSLCryptoError) -> PublicKey {
        try PublicKey(curve: .p256, uncompressedPoint: point[...])
    }

    /// Returns the key in PEM with the label `PUBLIC KEY` (RFC 7468 13).
    package func pem() throws(OpenSSLCryptoError) -> [UInt8] {
        PEM.encode(try key().subjectPublicKeyInfo[...], label: "PUBLIC KEY")
    }
}
