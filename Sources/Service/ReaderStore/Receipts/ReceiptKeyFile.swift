internal import COSE
internal import ErrorMapping
package import OpenSSLCrypto
internal import PKIX
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

/// The public half of a key that signs receipts.
package struct ReceiptPublicKey: Hashable, Sendable {
    /// What a receipt calls its key: the first 16 bytes of the SHA-256 over its COSE_Key (RFC 9679).
    package struct ID: Hashable, Sendable {
        package static let size = COSEKey.shortThumbprintSize

        package let bytes: [UInt8]

        init?(_ bytes: ArraySlice<UInt8>) {
            guard bytes.count == Self.size else { return nil }
            self.bytes = Array(bytes)
        }

        /// Of the key at the point 04‖x‖y on P-256.
        fileprivate init(point: [UInt8]) {
            bytes = COSEKey.shortThumbprint(ofP256: point)
        }
    }

    package let id: ID
    /// 04‖x‖y on P-256.
    package let point: [UInt8]

    /// Throws `receiptKeyUnusable` for a key on another curve.
    package init(_ key: borrowing PublicKey) throws(ReaderStoreError) {
        guard key.curve == .p256 else { throw .receiptKeyUnusable }
        point = key.encodedPoint
        id = ID(point: point)
    }

    /// Throws `receiptKeyUnusable` for anything but a point of P-256.
    package init(point: [UInt8]) throws(ReaderStoreError) {
        do throws(OpenSSLCryptoError) {
            try self.init(trusting: PublicKey(curve: .p256, uncompressedPoint: point[...]))
        } catch {
            throw .receiptKeyUnusable
        }
    }

    private init(trusting key: borrowing PublicKey) {
        point = key.encodedPoint
        id = ID(point: point)
    }

    package func key() throws(OpenSSLCryptoError) -> PublicKey {
        try PublicKey(curve: .p256, uncompressedPoint: point[...])
    }

    /// `PUBLIC KEY` (RFC 7468 13).
    package func pem() throws(OpenSSLCryptoError) -> [UInt8] {
        PEM.encode(try key().subjectPublicKeyInfo[...], label: "PUBLIC KEY")
    }
}
