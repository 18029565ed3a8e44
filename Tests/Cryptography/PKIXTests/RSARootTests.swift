import Foundation
import OpenSSLCrypto
import PKIX
import Testing
import VectorFiles

@Suite("RSA roots")
struct RSARootTests {
    private func file(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: VectorFiles.own.appending(path: "rsa-root/\(name).der")))
    }

    private func key(of certificate: Certificate) throws -> AuthorityKey {
        try certificate.subjectPublicKeyInfo.authorityKey()
    }

    @Test(
        "An RSA root verifies itself, its signers by either padding, and its CRL",
        arguments: ["root", "ds-pkcs1", "ds-pss"])
    func verified(_ name: String) throws {
        let root = try Certificate(der: file("root")[...])
        let certificate = try Certificate(der: file(name)[...])
        try certificate.verifySignature(with: key(of: root))
        #expect(
            certificate.issuerAlgorithm
                == .rsa(RSASignatureAlgorithm(.sha256, name == "ds-pss" ? .pss : .pkcs1)))
        var changed = try file(name)
        let issuer = try #require(changed.firstRange(of: Array("Utopia RSA".utf8)))
        changed[issuer.lowerBound] ^= 1
        let other = try Certificate(der: changed[...])
        #expect(throws: OpenSSLCryptoError.signatureInvalid) {
            try other.verifySignature(with: key(of: root))
        }
        #expect(throws: OpenSSLCryptoError.algorithmDoesNotFitKey) {
            let signer = try Certificate(der: file("ds-pss")[...])
            try certificate.verifySignature(with: key(of: signer))
        }
    }

    @Test("Q171 A chain to an RSA root is one, and is sent without the root")
    func chain() throws {
        let root = try Certificate(der: file("root")[...])
        let leaf = try Certificate(der: file("ds-pss")[...])
        #expect(try CertificateChain([leaf, root]).withoutRoots.map(\.der) == [leaf.der])
        #expect(throws: CertificateChainError.notSignedByNext(0)) { try CertificateChain([root, leaf]) }
    }

    @Test("A CRL of an RSA root is verified, and lists what it lists")
    func revocationList() throws {
        let root = try Certificate(der: file("root")[...])
        let list = try CertificateRevocationList(der: file("crl")[...])
        try list.verifySignature(with: key(of: root))
        let (listed, other) = (
            try Certificate(der: file("ds-pss")[...]), try Certificate(der: file("ds-pkcs1")[...])
        )
        #expect(list.entry(serialNumber: listed.serialNumber)?.reason == .keyCompromise)
        #expect(list.entry(serialNumber: other.serialNumber) == nil)
    }

    @Test("An RSA key that is too short, or whose exponent is even or 1, is refused")
    func weakKeys() throws {
        let root = try file("root")
        let exponent = try #require(root.firstRange(of: [2, 3, 1, 0, 1]))
        for last: UInt8 in [0, 2] {
            var changed = root
            changed[exponent.upperBound - 1] = last
            let certificate = try Certificate(der: changed[...])
            #expect(throws: OpenSSLCryptoError.unsupportedKey) { _ = try key(of: certificate) }
        }
        var even = root
        even[exponent.lowerBound - 1] &= 0xfe
        let certificate = try Certificate(der: even[...])
        #expect(throws: OpenSSLCryptoError.unsupportedKey) { _ = try key(of: certificate) }
        #expect(certificate.subjectPublicKeyInfo.isSupported)
    }
}
