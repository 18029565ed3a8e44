internal import FoundationEssentials
internal import Glibc
internal import MdocModel
internal import MdocTrust
internal import OpenSSLCrypto
internal import PKIX
internal import ReaderStore

/// A trust store on disk that is as large as if many countries had added their roots and CRLs. It also
/// contains the roots of the measured response.
struct LargeTrust {
    /// The number of roots in the store, including the roots of the measured response.
    static let anchors = 500
    /// The number of roots with a CRL. None of them is a root of the measured response.
    private static let revocationLists = 50
    /// The number of certificates that each CRL lists.
    private static let entries = 100

    private let folder: String

    /// Creates and fills the store. `discard()` removes it.
    init(with anchors: [TrustAnchor], at now: Timestamp) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "countersign-bench-\(getpid())").path
        var sources = anchors.map { Self.source(.anchor, $0.certificate.der, obtained: now) }
        for number in 0..<(Self.anchors - anchors.count) {
            let root = try LargeTrustRoot(number, now)
            sources.append(Self.source(.anchor, root.certificate[...], obtained: now))
            guard number < Self.revocationLists else { continue }
            sources.append(
                Self.source(.revocationList, try root.revocationList(Self.entries, now)[...], obtained: now))
        }
        let store = try ReaderStore(at: folder, for: .changing)
        try store.replaceTrust(with: TrustSnapshot(sources), expecting: nil, by: .imported, at: now)
    }

    /// Makes a source of the store. Its name is the SHA-256 of `bytes`.
    private static func source(
        _ kind: TrustSource.Kind, _ bytes: ArraySlice<UInt8>, obtained now: Timestamp
    ) -> TrustSource {
        TrustSource(
            kind, name: Digest(.sha256, of: bytes).bytes.hexadecimal, provenance: .file(path: "bench"),
            obtained: now, bytes: bytes)
    }

    /// Opens the store for verification.
    func open() throws -> TrustStore {
        TrustStore(try ReaderStore(at: folder, for: .reading).currentTrust().snapshot)
    }

    /// Removes the store's folder. A failure is ignored, because it only leaves a temporary folder behind.
    func discard() {
        try? FileManager.default.removeItem(atPath: folder)
    }
}

/// A root that only makes the store larger. It did not issue the signer of the measured response.
private struct LargeTrustRoot: ~Copyable {
    let certificate: [UInt8]
    private let name: DistinguishedName
    private let key: PrivateKey
    private let keyIdentifier: [UInt8]

    /// Makes a root with a new key. `number` is part of the name and of the serial number. The first byte of
    /// the serial number makes the serial number positive.
    init(_ number: Int, _ now: Timestamp) throws(OpenSSLCryptoError) {
        let key = try PrivateKey.generate(.p256)
        let publicKey = try key.publicKey()
        let name = DistinguishedName([(.countryName, "UT"), (.commonName, "Bench IACA \(number)")])
        let keyIdentifier = try publicKey.subjectKeyIdentifier()
        let certificate = try CertificateTemplate(
            serialNumber: [0x41, 0, 0, 0, 0, 0, 0, UInt8(number >> 8), UInt8(number & 0xff)], issuer: name,
            subject: name, notBefore: now.secondsSince1970 - 86_400,
            notAfter: now.secondsSince1970 + 86_400_000, publicKey: publicKey,
            extensions: [
                .keyUsage([.keyCertSign, .cRLSign]),
                .basicConstraints(BasicConstraints(isCA: true, pathLength: 0)),
                .subjectKeyIdentifier(keyIdentifier), .issuerAlternativeName(uri: "https://bench.example"),
            ]
        ).sign(with: key)
        self.name = name
        self.keyIdentifier = keyIdentifier
        self.certificate = certificate
        self.key = key
    }

    /// Makes a CRL (RFC 5280, 5.1) that lists `entries` certificates.
    func revocationList(_ entries: Int, _ now: Timestamp) throws(OpenSSLCryptoError) -> [UInt8] {
        // ecdsa-with-SHA256
        let algorithm = DERWriter.encode { writer in
            writer.write(DERTag.sequence) { $0.write(ObjectIdentifier("1.2.840.10045.4.3.2")) }
        }
        let signed = signedPart(entries: entries, algorithm: algorithm, at: now.secondsSince1970)
        let signature = try key.sign([signed[...]], algorithm: .ecdsa(.sha256), form: .der)
        return DERWriter.encode { writer in
            writer.write(DERTag.sequence) {
                $0.write(encoded: signed)
                $0.write(encoded: algorithm)
                $0.writeBitString(signature)
            }
        }
    }

    /// Makes the signed part of a CRL (tbsCertList; RFC 5280, 5.1.2).
    private func signedPart(entries: Int, algorithm: [UInt8], at now: Int64) -> [UInt8] {
        let extensions = [CertificateExtension.authorityKeyIdentifier(keyIdentifier)]
        return DERWriter.encode { writer in
            writer.write(DERTag.sequence) { fields in
                // Version 2 is written as 1 (RFC 5280, 5.1.2.1).
                fields.writeInteger(1)
                fields.write(encoded: algorithm)
                fields.write(encoded: name.encoded)
                // thisUpdate and nextUpdate.
                fields.writeTime(secondsSince1970: now - 3600)
                fields.writeTime(secondsSince1970: now + 86_400)
                fields.write(DERTag.sequence) { list in
                    for number in 1...entries {
                        list.write(DERTag.sequence) {
                            $0.writeInteger(UInt(number))
                            $0.writeTime(secondsSince1970: now - 7200)
                        }
                    }
                }
                // crlExtensions.
                fields.write(DERTag.constructed(0)) { $0.write(extensions) }
            }
        }
    }
}
