import COSE
import MdocModel
import OpenSSLCrypto
import PKIX

/// A reader certified by a root of its own.
struct TestReader {
    let root: Certificate
    let identity: ReaderIdentity

    init(_ name: String = "counter") throws {
        let rootKey = try PrivateKey.generate(.p384)
        let key = try PrivateKey.generate(.p256)
        root = try Self.certificate("Reader root", rootKey.publicKey(), rootKey)
        let leaf = try Self.certificate(name, key.publicKey(), rootKey)
        identity = ReaderIdentity(
            name: name, key: try COSECertifiedKey(key, chain: CertificateChain([leaf, root])))
    }

    /// This reader asks, whoever the wallet is.
    var always: ReaderIdentityChoice { ReaderIdentityChoice([.init(identity: identity)]) }

    private static func certificate(
        _ name: String, _ key: borrowing PublicKey, _ issuerKey: borrowing PrivateKey
    ) throws -> Certificate {
        let template = CertificateTemplate(
            serialNumber: [1], issuer: DistinguishedName([(.commonName, "Reader root")]),
            subject: DistinguishedName([(.commonName, name)]), notBefore: 0, notAfter: 1 << 33, publicKey: key
        )
        return try Certificate(der: template.sign(with: issuerKey)[...])
    }
}
