import Testing

@testable import OpenSSLCrypto
@testable import PKIX

@Suite("Certificate chains")
struct CertificateChainTests {
    /// A key with its certificate.
    private final class Entity: Sendable {
        let key: PrivateKey
        let name: DistinguishedName
        let certificate: Certificate

        init(_ commonName: String, by issuer: Entity? = nil, signedBy signer: Entity? = nil) throws {
            key = try PrivateKey.generate(.p256)
            name = DistinguishedName([(.countryName, "UT"), (.commonName, commonName)])
            let template = CertificateTemplate(
                serialNumber: [1], issuer: issuer?.name ?? name, subject: name, notBefore: 0,
                notAfter: 86_400, publicKey: try key.publicKey())
            let signer = signer ?? issuer
            let der = try signer.map { try template.sign(with: $0.key) } ?? template.sign(with: key)
            certificate = try Certificate(der: der[...])
        }
    }

    private let root: Entity
    private let middle: Entity
    private let leaf: Entity

    init() throws {
        root = try Entity("Root")
        middle = try Entity("Middle", by: root)
        leaf = try Entity("Leaf", by: middle)
    }

    private func names(_ certificates: [Certificate]) -> [String?] {
        certificates.map(\.subject.commonName)
    }

    @Test("Q171 A chain in order is one, and is sent without its root")
    func order() throws {
        let chain = try CertificateChain([leaf, middle, root].map(\.certificate))
        #expect(names(chain.certificates) == ["Leaf", "Middle", "Root"])
        #expect(names(chain.withoutRoots) == ["Leaf", "Middle"])
        #expect(try names(CertificateChain([leaf.certificate]).withoutRoots) == ["Leaf"])
        #expect(try names(CertificateChain([leaf, middle].map(\.certificate)).withoutRoots).count == 2)
    }

    @Test("Q171 A self-signed certificate alone is a chain with nothing to send")
    func selfSigned() throws {
        #expect(try CertificateChain([root.certificate]).withoutRoots.isEmpty)
    }

    @Test("Certificates out of order, or with one missing, are no chain, and the place is reported")
    func outOfOrder() {
        let cases = [
            ([root, middle, leaf], 0), ([leaf, root], 0), ([leaf, middle, middle], 1),
            ([leaf, root, middle], 0),
        ]
        for (entities, index) in cases {
            #expect(throws: CertificateChainError.notSignedByNext(index)) {
                try CertificateChain(entities.map(\.certificate))
            }
        }
    }

    @Test("The right name with the wrong key, or the right key under the wrong name, is no chain")
    func impostors() throws {
        let namesake = try Entity("Middle", by: root)
        let renamed = try Entity("Leaf", by: namesake, signedBy: middle)
        for issuer in [namesake, middle] where issuer !== middle {
            #expect(throws: CertificateChainError.notSignedByNext(0)) {
                try CertificateChain([leaf.certificate, issuer.certificate])
            }
        }
        #expect(throws: CertificateChainError.notSignedByNext(0)) {
            try CertificateChain([renamed.certificate, namesake.certificate])
        }
        let misnamed = try Entity("Leaf", by: root, signedBy: middle)
        #expect(throws: CertificateChainError.notSignedByNext(0)) {
            try CertificateChain([misnamed.certificate, middle.certificate])
        }
    }

    @Test("No certificate, or more than are read, are no chain")
    func counts() {
        #expect(throws: CertificateChainError.empty) { try CertificateChain([]) }
        #expect(throws: CertificateChainError.tooLong(limit: 8)) {
            try CertificateChain([Certificate](repeating: root.certificate, count: 9))
        }
        #expect(throws: Never.self) {
            try CertificateChain([Certificate](repeating: root.certificate, count: 8))
        }
    }
}
