package import CBOR
package import COSE
internal import ErrorMapping
package import MdocModel
package import OpenSSLCrypto

/// A trust snapshot in one signed file, for shops without internet. The file is a COSE_Sign1 (RFC 9052 4.2)
/// over all roots and lists of the snapshot.
///
/// `countersign trust export-bundle` writes a bundle, and `countersign trust import-bundle` or a kiosk of a
/// fleet reads it. The signature proves only where the bundle comes from. `TrustChange.replaceAll(by:)` still
/// compares the sources of the bundle with the sources in use.
package struct TrustBundle: Sendable {
    /// The maximum size of a bundle in bytes.
    package static let maximumSize = 1 << 26
    /// The maximum number of sources in a bundle.
    package static let maximumSources = 1 << 14

    private static let type = "countersign trust bundle"
    private static let limits = CBORLimits(bytes: maximumSize)

    /// The time at which the bundle was made.
    package let created: Timestamp
    /// The snapshot of the sources in the bundle. The provenance of each source is the bundle.
    package let snapshot: TrustSnapshot

    /// Encodes and signs a bundle of all sources of `snapshot`.
    package static func export(
        _ snapshot: TrustSnapshot, created: Timestamp, signedWith key: borrowing PrivateKey
    ) throws(OpenSSLCryptoError) -> [UInt8] {
        let payload = CBOREncoder.encode { encoder in
            encoder.map(count: 4)
            encoder.text("type")
            encoder.text(type)
            encoder.text("created")
            encoder.integer(created.secondsSince1970)
            encoder.text("snapshot")
            encoder.byteString(snapshot.id.bytes)
            encoder.text("sources")
            encoder.array(count: snapshot.sources.count)
            for source in snapshot.sources {
                encoder.map(count: 4)
                encoder.text("kind")
                encoder.text(source.kind.rawValue)
                encoder.text("name")
                encoder.text(source.name)
                encoder.text("obtained")
                encoder.integer(source.obtained.secondsSince1970)
                encoder.text("bytes")
                encoder.byteString(source.bytes)
            }
        }
        guard let algorithm = key.curve.preferredSignatureAlgorithm,
            let identifier = COSEAlgorithm(signingWith: key.curve)
        else { throw .algorithmDoesNotFitKey }
        return try COSESigner(algorithm: identifier)
            .sign1(payload, detached: false, with: key, algorithm: algorithm)
    }

    /// Opens a bundle and verifies that `key` signed it. `requireUse(after:at:clockSkew:)` checks separately
    /// whether the bundle may be used now.
    package init(
        _ bytes: ArraySlice<UInt8>, signedBy key: borrowing PublicKey
    ) throws(TrustBundleError) {
        let payload = try Self.verifiedPayload(bytes, key)
        let contents = try mapping(
            Contents(CBORItem.parse(payload, limits: Self.limits)), TrustBundleError.malformed)
        guard contents.type == Self.type else { throw .typeWrong }
        created = contents.created
        snapshot = TrustSnapshot(contents.sources)
        // A snapshot leaves out repeated and superseded sources. A bundle that has such sources was not
        // exported from a snapshot.
        guard snapshot.id.bytes.elementsEqual(contents.snapshot),
            snapshot.sources.count == contents.sources.count
        else { throw .snapshotDiffers }
    }

    /// Opens a bundle, and verifies that `key` signed it and that it may be used at `now`.
    package init(
        _ bytes: ArraySlice<UInt8>, signedBy key: borrowing PublicKey, notOlderThan current: Timestamp?,
        at now: Timestamp, clockSkew: Int64 = 60
    ) throws(TrustBundleError) {
        try self.init(bytes, signedBy: key)
        try requireUse(after: current, at: now, clockSkew: clockSkew)
    }

    /// Checks that this bundle is not older than the bundle in use, and was not made in the future.
    ///
    /// - Parameter current: The time at which the bundle in use was made; `nil` if no bundle is in use, or if
    ///   an older bundle is allowed.
    package func requireUse(
        after current: Timestamp?, at now: Timestamp, clockSkew: Int64
    ) throws(TrustBundleError) {
        if let current, created < current { throw .older }
        guard created <= now.advanced(bySeconds: clockSkew) else { throw .notYetValid }
    }

    /// Verifies the signature with `key`, and returns the signed content.
    private static func verifiedPayload(
        _ bytes: ArraySlice<UInt8>, _ key: borrowing PublicKey
    ) throws(TrustBundleError) -> ArraySlice<UInt8> {
        let item = try mapping(CBORItem.parse(bytes, limits: limits), TrustBundleError.malformed)
        do throws(COSEError) {
            let signature = try COSESign1(item, limits: limits)
            try signature.verify(with: key)
            guard let payload = signature.payload else { throw COSEError.payloadMisplaced }
            return payload
        } catch {
            throw .cose(error)
        }
    }

    /// The members of the signed content. The caller makes the snapshot from `sources` after it has checked
    /// `type`.
    private struct Contents {
        let type: String
        let created: Timestamp
        let snapshot: ArraySlice<UInt8>
        var sources: [TrustSource] = []

        init(_ item: CBORItem) throws(CBORError) {
            let values = try item.map().values(of: ["type", "created", "snapshot", "sources"])
            guard let type = values[0], let created = values[1], let snapshot = values[2],
                let sources = values[3]
            else { throw .missingMember(at: item.offset) }
            self.type = try type.text()
            self.created = try Self.instant(created)
            self.snapshot = try snapshot.byteString()
            for source in try sources.array() {
                guard self.sources.count < TrustBundle.maximumSources else {
                    throw .tooMany(limit: TrustBundle.maximumSources)
                }
                self.sources.append(try Self.source(source, created: self.created))
            }
        }

        private static func instant(_ item: CBORItem) throws(CBORError) -> Timestamp {
            guard let instant = Timestamp(received: try item.integer()) else {
                throw .outOfRange(at: item.offset)
            }
            return instant
        }

        /// Reads one source. Its provenance is the bundle, which does not contain the provenance on the
        /// exporting computer.
        private static func source(
            _ item: CBORItem, created: Timestamp
        ) throws(CBORError) -> TrustSource {
            let values = try item.map().values(of: ["kind", "name", "obtained", "bytes"])
            guard let kind = values[0], let name = values[1], let obtained = values[2], let bytes = values[3]
            else { throw .missingMember(at: item.offset) }
            guard let known = TrustSource.Kind(rawValue: try kind.text()) else {
                throw .outOfRange(at: kind.offset)
            }
            return TrustSource(
                known, name: try name.text(), provenance: .bundle(created: created),
                obtained: try instant(obtained), bytes: try bytes.byteString())
        }
    }
}

/// The reason that a bundle is refused.
package enum TrustBundleError: Error, Equatable, Sendable {
    case malformed(CBORError)
    /// The bytes are not a COSE_Sign1, or another key signed them.
    case cose(COSEError)
    /// The signed content is not a bundle.
    case typeWrong
    /// The bundle in use was made later than this bundle.
    case older
    /// The bundle was made in the future.
    case notYetValid
    /// The sources in the bundle do not have the snapshot id that the bundle states.
    case snapshotDiffers
}

extension TrustBundleError {
    /// The stable id, listed in `Documentation/command-line.md`.
    package var id: String {
        switch self {
        case .malformed: "bundle.malformed"
        case .cose: "bundle.signature"
        case .typeWrong: "bundle.type"
        case .older: "bundle.older"
        case .notYetValid: "bundle.not_yet_valid"
        case .snapshotDiffers: "bundle.snapshot"
        }
    }

    /// The reason in words, for messages to users.
    package var explanation: String {
        switch self {
        case .malformed(let error): "the bytes are not a trust bundle: \(error.explanation)"
        case .cose(let error): "this key did not sign the bundle: \(error.explanation)"
        case .typeWrong: "the signed content is not a trust bundle"
        case .older: "the bundle is older than a bundle that was imported before: nothing was changed"
        case .notYetValid: "the bundle is dated in the future: check this computer's clock"
        case .snapshotDiffers: "the bundle's contents differ from the snapshot that it names"
        }
    }
}
