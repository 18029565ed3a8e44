import COSE
import MdocModel
import OpenSSLCrypto
import PKIX

/// A reader authority of two levels and a reader that it certified.
struct ReaderFixture {
    let root: Certificate
    let intermediate: Certificate
    let leaf: Certificate
    let identity: ReaderIdentity

    init(_ name: String = "counter", _ curve: Curve = .p256) throws {
        let rootKey = try PrivateKey.generate(.p256)
        let intermediateKey = try PrivateKey.generate(.p384)
        let key = try PrivateKey.generate(curve)
        root = try Self.certificate("Root", rootKey.publicKey(), issuer: "Root", rootKey)
        intermediate = try Self.certificate(
            "Intermediate", intermediateKey.publicKey(), issuer: "Root", rootKey)
        leaf = try Self.certificate("Reader", key.publicKey(), issuer: "Intermediate", intermediateKey)
        identity = ReaderIdentity(
            name: name, key: try COSECertifiedKey(key, chain: CertificateChain([leaf, intermediate, root])))
    }

    static func certificate(
        _ name: String, _ key: borrowing PublicKey, issuer: String, _ issuerKey: borrowing PrivateKey
    ) throws -> Certificate {
        let der = try CertificateTemplate(
            serialNumber: [1], issuer: DistinguishedName([(.commonName, issuer)]),
            subject: DistinguishedName([(.commonName, name)]), notBefore: 0, notAfter: 86_400, publicKey: key
        ).sign(with: issuerKey)
        return try Certificate(der: der[...])
    }

    /// A transcript like no other.
    static func transcript() throws -> SessionTranscript {
        SessionTranscript(
            deviceEngagement: try randomBytes(40),
            eReaderKey: COSEKeyPair(try PrivateKey.generate(.p256)).publicKeyBytes, handover: .qr)
    }
}

extension ItemsRequest {
    static func mDL(
        _ identifiers: String..., alternatives: [AlternativeDataElements] = []
    ) -> ItemsRequest {
        ItemsRequest(
            docType: "org.iso.18013.5.1.mDL",
            nameSpaces: [
                NameSpace(
                    name: "org.iso.18013.5.1",
                    elements: identifiers.map { Element(identifier: $0, intentToRetain: false) })
            ], alternatives: alternatives)
    }
}

extension ElementName {
    static func mDL(_ identifier: String) -> ElementName {
        ElementName(nameSpace: "org.iso.18013.5.1", identifier: identifier)
    }
}
