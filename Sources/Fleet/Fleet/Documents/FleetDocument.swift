internal import CBOR
internal import COSE
internal import JSON
package import MdocModel
internal import MdocTrust
package import OpenSSLCrypto

/// The instructions of a chain of shops to its kiosks at one level (chain, site, group or kiosk). A document
/// is a COSE_Sign1 (RFC 9052 4.2). It is signed with a fleet key, which is stored on no hub. The parsed value
/// is unverified; a kiosk puts only a `VerifiedFleetDocument` in force.
package struct FleetDocument: Equatable, Sendable {
    /// The maximum size of a document, in bytes.
    package static let maximumSize = 1 << 20
    /// The highest permitted version: the largest integer that JSON represents exactly (RFC 8259 6).
    package static let highestVersion = JSONValue.largestExactInteger
    private static let type = "countersign fleet document"
    /// The label of the COSE header `kid`, the identifier of the signing key (RFC 9052 3.1).
    private static let keyIDLabel: Int64 = 4

    package let chain: FleetName
    package let level: FleetLevel
    package let name: FleetName
    /// The version, from 1 to `highestVersion`. A new document has a higher version than the former document
    /// of its level and name.
    package let version: Int64
    package let created: Timestamp
    /// The changes of the configuration: a JSON Merge Patch (RFC 7396).
    package var configuration: [UInt8]?
    /// A trust bundle, signed by the key that signs the document.
    package var trust: [UInt8]?
    /// The brands that replace the kiosk's brands.
    package var brands: FleetBrands?
    /// The keys that this document withdraws. Kiosks accept no new document with the signature of a withdrawn
    /// key.
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

    /// Signs the document and returns its encoding.
    package func sign(with key: borrowing PrivateKey) throws(OpenSSLCryptoError) -> [UInt8] {
        try Self.sign(payload, with: key)
    }

    /// Signs any payload in the form of a document. Tests make malformed documents with this function.
    package static func sign(
        _ payload: [UInt8], with key: borrowing PrivateKey
    ) throws(OpenSSLCryptoError) -> [UInt8] {
        let id = try FleetKey(key.publicKey()).id
        return try COSESigner.es256(keyID: id.bytes)
            .sign1(payload, detached: false, with: key, algorithm: .ecdsa(.sha256))
    }

    /// The signed bytes: a CBOR map that always has the same ten members. A member without content is an
    /// empty byte string or array.
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

    /// Parses a document without checking its signature.
    ///
    /// - Returns: The document, the identifier of the signing key from the document's header, and the
    ///   signature.
    static func parse(
        _ bytes: [UInt8]
    ) throws(FleetDocumentError) -> (document: FleetDocument, signer: FleetKey.ID, signature: COSESign1) {
        guard bytes.count <= maximumSize else { throw .tooLong }
        do {
            let limits = CBORLimits(bytes: maximumSize)
            let sign1 = try COSESign1(CBORItem.parse(bytes[...], limits: limits), limits: limits)
            // `sign` writes no CBOR tag. A document with the tag would be a second encoding with another
            // digest.
            guard !sign1.isTagged, let payload = sign1.payload,
                let signer = try sign1.headers[keyIDLabel].flatMap({ FleetKey.ID(try $0.byteString()) })
            else { throw FleetDocumentError.malformed }
            return (try FleetDocument(CBORItem.parse(payload, limits: limits)), signer, sign1)
        } catch {
            throw .malformed
        }
    }

    /// Reads the payload of a document. Throws if the payload is not a map with exactly the members of
    /// `payload`.
    private init(_ item: CBORItem) throws {
        let map = try item.map()
        // A missing name is read as an empty text, which is no `FleetName` and no `FleetLevel`.
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

/// A fleet document whose signature was verified by a key that was not withdrawn.
///
/// This value is passed from the download to `AcceptedDocuments.accept` as a proof: its only initialiser
/// verifies the signature, so later steps need not verify it again. The proof does not say whether the
/// document is for this kiosk or newer than the last document; `AcceptedDocuments` decides that.
///
/// - A kiosk makes the proof in `FleetAgent.receiveDocument`, and when it restores its stored documents at
///   the start.
/// - `countersign-hub document put` makes the proof with the public keys of the hub's file, before it stores
///   a document.
/// - `encoded` are the received bytes, which are stored and hashed unchanged.
///
/// A hub cannot make a valid document, because it has only the public keys.
package struct VerifiedFleetDocument: Sendable {
    package let document: FleetDocument
    package let signer: FleetKey.ID
    package let encoded: [UInt8]

    /// The SHA-256 of the document's bytes.
    package var digest: [UInt8] { Digest(.sha256, of: encoded[...]).bytes }

    /// Parses a document and verifies its signature. The key is the one whose identifier is in the document,
    /// and it must be in the keyring.
    ///
    /// - Throws: `malformed`, `tooLong`, `keyUnknown`, `keyWithdrawn`, or `changed` for a signature that does
    ///   not verify.
    package init(_ bytes: [UInt8], by keyring: FleetKeyring) throws(FleetDocumentError) {
        let (document, signer, signature) = try FleetDocument.parse(bytes)
        let key = try keyring.key(signer)
        // Tests count this work, to check that a signature is not verified more often than necessary.
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
    /// The work of verifying a fleet document's signature, which tests count.
    static let fleetDocumentVerified = Self("fleet document verified")
    /// The work of building the configuration from the documents of all levels, which tests count.
    static let fleetConfigurationBuilt = Self("fleet configuration built")
}
