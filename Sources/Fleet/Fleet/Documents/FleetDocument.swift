internal import CBOR
internal import COSE
internal import JSON
package import MdocModel
internal import MdocTrust
package import OpenSSLCrypto

/// What a chain wants of its kiosks at one level: a COSE_Sign1 (RFC 9052 4.2) by a fleet key, which the hub does not have.
/// Read, and obeyed only as a `VerifiedFleetDocument`.
package struct FleetDocument: Equatable, Sendable {
    /// The longest document that is read, in bytes.
    package static let maximumSize = 1 << 20
    /// The highest version: JSON has no higher number that is exact (RFC 8259 6).
    package static let highestVersion = JSONValue.largestExactInteger
    private static let type = "countersign fleet document"
    private static let keyIDLabel: Int64 = 4

    package let chain: FleetName
    package let level: FleetLevel
    package let name: FleetName
    /// From 1 to `highestVersion`; each document after it has a higher one.
    package let version: Int64
    package let created: Timestamp
    /// What changes in the configuration: a JSON Merge Patch (RFC 7396).
    package var configuration: [UInt8]?
    /// A trust bundle that the same key signed.
    package var trust: [UInt8]?
    /// What takes the place of the kiosk's brands.
    package var brands: FleetBrands?
    /// The keys that sign nothing from now on.
    package var withdrawn: [FleetKey.ID] = []

    package init(
        chain: FleetName, level: FleetLevel, name: FleetName, version: Int64, created: Timestamp
    ) {
        self.chain = chain
        self.level = level
        self.name = name
        self.version = version
        self.created = created
    }

    /// The document with its signature.
    package func sign(with key: borrowing PrivateKey) throws(OpenSSLCryptoError) -> [UInt8] {
        try Self.sign(payload, with: key)
    }

    /// Any payload, signed as that of a document is.
    package static func sign(
        _ payload: [UInt8], with key: borrowing PrivateKey
    ) throws(OpenSSLCryptoError) -> [UInt8] {
        let id = try FleetKey(key.publicKey()).id
        return try COSESigner.es256(keyID: id.bytes)
            .sign1(payload, detached: false, with: key, algorithm: .ecdsa(.sha256))
    }

    var payload: [UInt8] {
        CBOREncoder.encode { encoder in
            encoder.map(count: 10)
            encoder.text("type")
            encoder.text(Self.type)
            encoder.text("chain")
            encoder.text(chain.text)
            encoder.text("level")
            encoder.text(level.rawValue)
            encoder.text("name")
            encoder.text(name.text)
            encoder.text("version")
            encoder.integer(version)
            encoder.text("created")
            encoder.integer(created.secondsSince1970)
            encoder.text("configuration")
            encoder.byteString(configuration ?? [])
            encoder.text("trust")
            encoder.byteString(trust ?? [])
            encoder.text("withdrawn")
            encoder.array(count: withdrawn.count)
            for id in withdrawn { encoder.byteString(id.bytes) }
            encoder.text("brands")
            FleetBrands.encode(brands, to: &encoder)
        }
    }

    /// The document without its signature checked, and the key that is said to have signed it.
    static func parse(
        _ bytes: [UInt8]
    ) throws(FleetDocumentError) -> (document: FleetDocument, signer: FleetKey.ID, signature: COSESign1) {
        guard bytes.count <= maximumSize else { throw .tooLong }
        do {
            let limits = CBORLimits(bytes: maximumSize)
            let sign1 = try COSESign1(CBORItem.parse(bytes[...], limits: limits), limits: limits)
            guard !sign1.isTagged, let payload = sign1.payload,
                let signer = try sign1.headers[keyIDLabel].flatMap({ FleetKey.ID(try $0.byteString()) })
            else { throw FleetDocumentError.malformed }
            return (try FleetDocument(CBORItem.parse(payload, limits: limits)), signer, sign1)
        } catch {
            throw .malformed
        }
    }

    private init(_ item: CBORItem) throws {
        let map = try item.map()
        guard map.count == 10, let type = map["type"], type.isText("countersign fleet document"),
            let chain = try FleetName(map["chain"]?.text() ?? ""),
            let level = try FleetLevel(rawValue: map["level"]?.text() ?? ""),
            let name = try FleetName(map["name"]?.text() ?? ""),
            let version = try map["version"]?.integer(), (1...FleetDocument.highestVersion).contains(version),
            let created = try map["created"].flatMap({ Timestamp(received: try $0.integer()) }),
            let configuration = try map["configuration"]?.byteString(),
            let trust = try map["trust"]?.byteString(), let withdrawn = try map["withdrawn"]?.array(),
            let brands = map["brands"]
        else { throw FleetDocumentError.malformed }
        self.init(chain: chain, level: level, name: name, version: version, created: created)
        self.configuration = configuration.isEmpty ? nil : Array(configuration)
        self.trust = trust.isEmpty ? nil : Array(trust)
        self.brands = try FleetBrands.parse(brands)
        for entry in withdrawn {
            guard self.withdrawn.count < FleetKeyring.mostKeys,
                let id = FleetKey.ID(try entry.byteString())
            else { throw FleetDocumentError.malformed }
            self.withdrawn.append(id)
        }
    }
}

/// A document that a fleet key signed which is not withdrawn.
package struct VerifiedFleetDocument: Sendable {
    package let document: FleetDocument
    package let signer: FleetKey.ID
    package let encoded: [UInt8]

    /// The SHA-256 of its bytes.
    package var digest: [UInt8] { Digest(.sha256, of: encoded[...]).bytes }

    package init(_ bytes: [UInt8], by keyring: FleetKeyring) throws(FleetDocumentError) {
        let (document, signer, signature) = try FleetDocument.parse(bytes)
        let key = try keyring.key(signer)
        WorkCount.add(.fleetDocumentVerified)
        guard let publicKey = try? key.key(), (try? signature.verify(with: publicKey)) != nil else {
            throw .changed
        }
        self.document = document
        self.signer = signer
        encoded = bytes
    }
}

extension WorkCount.Work {
    /// The verification of the signature of a document by its fleet key.
    static let fleetDocumentVerified = Self("fleet document verified")
    /// The making of the configuration that the documents of all levels lead to.
    static let fleetConfigurationBuilt = Self("fleet configuration built")
}
