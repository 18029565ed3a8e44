internal import COSE
package import OpenSSLCrypto
internal import PKIX

/// A P-256 public key that verifies fleet documents.
package struct FleetKey: Hashable, Sendable {
    /// The identifier of a fleet key: the first 16 bytes of the SHA-256 over its COSE_Key (RFC 9679).
    package struct ID: Hashable, Sendable {
        package static let size = COSEKey.shortThumbprintSize

        package let bytes: [UInt8]

        package init?(_ bytes: some Collection<UInt8>) {
            guard bytes.count == Self.size else { return nil }
            self.bytes = Array(bytes)
        }

        fileprivate init(point: [UInt8]) {
            bytes = COSEKey.shortThumbprint(ofP256: point)
        }
    }

    package let id: ID
    /// The uncompressed point, 04‖x‖y.
    private let point: [UInt8]

    /// Creates a fleet key. Throws `unsupportedKey` unless `key` is on P-256.
    package init(_ key: borrowing PublicKey) throws(OpenSSLCryptoError) {
        guard key.curve == .p256 else { throw .unsupportedKey }
        point = key.encodedPoint
        id = ID(point: point)
    }

    /// Reads a fleet key from a PEM text (RFC 7468 13). Throws `pemMalformed` unless the text has exactly one
    /// `PUBLIC KEY`.
    package init(pem: [UInt8]) throws(OpenSSLCryptoError) {
        let blocks = try PEM.decode(pem[...], label: "PUBLIC KEY")
        guard blocks.count == 1, let info = try? SubjectPublicKeyInfo(der: blocks[0][...]) else {
            throw .pemMalformed
        }
        try self.init(info.publicKey())
    }

    package func key() throws(OpenSSLCryptoError) -> PublicKey {
        try PublicKey(curve: .p256, uncompressedPoint: point[...])
    }
}

/// The fleet keys in a kiosk's own file, in order of precedence. A key can withdraw only later keys. The
/// first key can therefore stay in a safe while a later key signs every day: a thief of the later key cannot
/// withdraw the first key.
package struct FleetKeyring: Sendable {
    package static let mostKeys = 8

    package let keys: [FleetKey]
    package private(set) var withdrawn: Set<FleetKey.ID>

    package init(_ keys: [FleetKey], withdrawn: Set<FleetKey.ID> = []) {
        self.keys = keys
        self.withdrawn = withdrawn
    }

    /// Returns the key with this identifier. Throws if the key is unknown or withdrawn.
    func key(_ id: FleetKey.ID) throws(FleetDocumentError) -> FleetKey {
        guard let key = keys.first(where: { $0.id == id }) else { throw .keyUnknown }
        guard !withdrawn.contains(id) else { throw .keyWithdrawn }
        return key
    }

    /// Withdraws keys permanently, on behalf of `signer`. Throws if one of these keys is `signer` or comes
    /// before `signer`.
    mutating func withdraw(_ ids: [FleetKey.ID], by signer: FleetKey.ID) throws(FleetDocumentError) {
        guard let place = keys.firstIndex(where: { $0.id == signer }) else { throw .keyUnknown }
        for id in ids {
            guard !keys.prefix(through: place).contains(where: { $0.id == id }) else {
                throw .withdrawalNotAllowed
            }
        }
        withdrawn.formUnion(ids)
    }
}
