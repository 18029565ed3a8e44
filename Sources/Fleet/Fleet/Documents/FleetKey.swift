internal import COSE
package import OpenSSLCrypto
internal import PKIX

/// The public half of a key that signs the documents of a fleet: P-256.
package struct FleetKey: Hashable, Sendable {
    /// The first 16 bytes of the SHA-256 over its COSE_Key (RFC 9679).
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
    /// 04‖x‖y.
    private let point: [UInt8]

    /// Throws `unsupportedKey` for a key on another curve.
    package init(_ key: borrowing PublicKey) throws(OpenSSLCryptoError) {
        guard key.curve == .p256 else { throw .unsupportedKey }
        point = key.encodedPoint
        id = ID(point: point)
    }

    /// From a `PUBLIC KEY` in PEM (RFC 7468 13). Throws `pemMalformed` for anything else.
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

/// The keys that a kiosk's own file names, in order of precedence. A key withdraws those after it and no others: whoever has
/// stolen the key of every day cannot withdraw the one in the safe.
package struct FleetKeyring: Sendable {
    package static let mostKeys = 8

    package let keys: [FleetKey]
    package private(set) var withdrawn: Set<FleetKey.ID>

    package init(_ keys: [FleetKey], withdrawn: Set<FleetKey.ID> = []) {
        self.keys = keys
        self.withdrawn = withdrawn
    }

    /// The key of this id, which may still sign.
    func key(_ id: FleetKey.ID) throws(FleetDocumentError) -> FleetKey {
        guard let key = keys.first(where: { $0.id == id }) else { throw .keyUnknown }
        guard !withdrawn.contains(id) else { throw .keyWithdrawn }
        return key
    }

    /// What `signer` withdraws is withdrawn for good.
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
