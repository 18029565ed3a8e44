import COSE
import MdocModel
import MdocTrust
import OpenSSLCrypto
import PKIX
import TestCredentials
import Testing

@testable import ReaderIdentityStore

@Suite("Identities for requests")
struct ReaderIdentitiesTests {
    let store: Store
    let folder: IdentityFolder
    let authority: TestAuthority
    private static let now = Timestamp(secondsSince1970: TestAuthority.now)

    init() throws {
        store = try Store()
        folder = store.folder
        authority = try TestAuthority()
    }

    private func name(_ text: String) throws -> IdentityName { try #require(IdentityName(text)) }

    /// Makes an identity that the authority certified.
    private func make(
        _ text: String, _ change: (CertificateTemplate) -> CertificateTemplate = { $0 }
    ) throws {
        let key = try TestKey()
        try folder.create(name(text), key.privateKey)
        try folder.keep(chain(change(authority.reader(for: key))), for: name(text))
    }

    private func chain(_ template: CertificateTemplate) throws -> CertificateChain {
        try CertificateChain([
            Certificate(der: authority.sign(template)[...]), Certificate(der: authority.der[...]),
        ])
    }

    private func choose(_ text: String, brand: String? = nil) throws {
        _ = try folder.changeRules { rules throws(IdentityStoreError) in
            if let name = IdentityName(text) { rules.set(.init(brand: brand, identity: name)) }
        }
    }

    @Test("Q171 The only identity asks everywhere, with its certificate and without the root")
    func only() throws {
        try make("counter")
        let identities = try ReaderIdentities(in: folder, at: Self.now)
        let identity = try #require(identities.choice.identity(in: .init(wallet: "W", docTypes: ["D"])))
        #expect(identity.name == "counter" && identities.unusable.isEmpty)
        let signed = try identity.key.sign1(detachedPayload: [[1]])
        #expect(!signed.contains(authority.der) && signed.contains(identity.key.chain.leaf.der))
    }

    @Test("Q172 Of several none asks before somebody chose; then the rules decide")
    func several() throws {
        try make("one")
        try make("two")
        #expect(try ReaderIdentities(in: folder, at: Self.now).choice.identity(in: .init()) == nil)
        try choose("one")
        try choose("two", brand: "B")
        let choice = try ReaderIdentities(in: folder, at: Self.now).choice
        #expect(choice.identity(in: .init())?.name == "one")
        #expect(choice.identity(in: .init(brand: "B"))?.name == "two")
        #expect(choice.identity(in: .init(brand: "C"))?.name == "one")
    }

    @Test("Q172 Where the chosen identity cannot be used, nobody asks in its place")
    func nobodyElse() throws {
        try make("one")
        let day = TestAuthority.day
        try make("two") { template in
            var old = template
            old.notAfter = TestAuthority.now - day
            return old
        }
        try choose("one")
        try choose("two", brand: "B")
        let identities = try ReaderIdentities(in: folder, at: Self.now)
        #expect(identities.choice.identity(in: .init(brand: "B")) == nil)
        #expect(identities.choice.identity(in: .init())?.name == "one")
        let expired = IdentityStoreError.expired(
            subject: "CN=Utopia reader", since: TestAuthority.now - day)
        #expect(identities.unusable.map(\.name) == ["two"] && identities.unusable.map(\.error) == [expired])
    }

    @Test("Q170 An identity is not used without certificates, beyond its validity, or as no reader's")
    func unusable() throws {
        try folder.create(name("bare"), PrivateKey.generate(.p256))
        #expect(throws: IdentityStoreError.noCertificates) { try load("bare") }
        try make("counter")
        #expect(try load("counter").name == "counter")
        let (now, day) = (TestAuthority.now, TestAuthority.day)
        let (late, early) = (
            Self.now.advanced(bySeconds: 400 * day), Self.now.advanced(bySeconds: -400 * day)
        )
        #expect(throws: IdentityStoreError.expired(subject: "CN=Utopia reader", since: now + 300 * day)) {
            try load("counter", at: late)
        }
        #expect(throws: IdentityStoreError.notYetValid(subject: "CN=Utopia reader", from: now - 30 * day)) {
            try load("counter", at: early)
        }
        try make("signer") { $0.with(.extendedKeyUsage([ObjectIdentifier("1.0.18013.5.1.2")])) }
        do throws(IdentityStoreError) {
            _ = try load("signer")
            Issue.record("used")
        } catch {
            guard case .profileBroken(let rules) = error else { throw error }
            #expect(rules.map(\.finding.rule) == [.extendedKeyUsage])
        }
        #expect(throws: IdentityStoreError.unknown("nobody")) { try load("nobody") }
        #expect(throws: IdentityStoreError.unknown("../x")) { try load("../x") }
    }

    private func load(_ name: String, at now: Timestamp = now) throws(IdentityStoreError) -> ReaderIdentity {
        try ReaderIdentities.identity(named: name, in: folder, at: now)
    }

    @Test("A certificate of another key is found out when it is used")
    func otherKey() throws {
        try make("counter")
        try folder.keep(chain(authority.reader(for: TestKey())), for: name("counter"))
        #expect(throws: IdentityStoreError.keyNotCertified) { try load("counter") }
    }

    @Test("Certificates are put in order, in whatever order they came; others are left over")
    func arranged() throws {
        let (key, other) = (try TestKey(), try TestAuthority())
        let leaf = try Certificate(der: authority.sign(authority.reader(for: key))[...])
        let (root, stranger) = (
            try Certificate(der: authority.der[...]), try Certificate(der: other.der[...])
        )
        for certificates in [[leaf, root, stranger], [stranger, root, leaf], [root, leaf, stranger]] {
            let (chain, leftOver) = try CertificateChain.arranged(certificates, for: key.privateKey)
            #expect(chain.certificates.map(\.der) == [leaf.der, root.der] && leftOver == 1)
        }
        #expect(try CertificateChain.arranged([leaf], for: key.privateKey).chain.issuers.isEmpty)
        #expect(throws: IdentityStoreError.keyNotCertified) {
            try CertificateChain.arranged([root, leaf], for: TestKey().privateKey)
        }
    }
}
