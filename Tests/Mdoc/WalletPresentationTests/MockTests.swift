import MdocVerification
internal import PKIX
import MdocModel
import OpenSSLCrypto
import TestCredentials
import Testing
import VectorFiles

@testable import WalletPresentation

@Suite("Mock answers")
struct MockTests {
    private static func testIssuer() throws -> TestIssuer {
        try TestIssuer(
            authority: TestAuthority([
                (.countryName, "US"), (.commonName, "PassKit Identity Test Issuer Root CA"),
            ]),
            names: [(.countryName, "US"), (.commonName, "PassKit Identity Test Document Signing")])
    }

    @Test(
        "The test issuer's answer is a mock even where its root is in the store of issuers, over both channels"
    )
    func rootInStore() throws {
        let shop = try Shop(issuer: Self.testIssuer())
        #expect(try shop.judge(shop.envelope()) == "mock.test_issuer")
        #expect(try shop.judge(shop.webResponse().utf8) == "mock.test_issuer")
    }

    @Test("It is a mock where its root is nowhere")
    func rootNowhere() throws {
        var shop = try Shop(issuer: Self.testIssuer())
        shop.trust = try TestAuthority().store()
        #expect(try shop.judge(shop.envelope()) == "mock.test_issuer")
    }

    @Test(
        "Without the issuer's true signature it is the developer profile's, without the phone's the simulator's"
    )
    func unsigned() throws {
        var shop = try Shop(issuer: Self.testIssuer())
        let real = shop.issuer
        shop.issuer = try TestIssuer(authority: real.authority, key: TestKey()) { _ in
            try real.authority.signer(
                for: real.key,
                [(.countryName, "US"), (.commonName, "PassKit Identity Test Document Signing")])
        }
        #expect(try shop.judge(shop.envelope()) == "mock.developer_profile")
        shop.documents[0].deviceAuth = .none
        #expect(try shop.judge(shop.envelope()) == "mock.simulator")
    }

    @Test("By its key identifier the test root is known under any name")
    func keyIdentifier() throws {
        let identifier = [UInt8](hex: "b442d0dd6095b8e54296cc1ca8ee239d8e71877c")
        let issuer = try TestIssuer { $0.with(.authorityKeyIdentifier(identifier)) }
        let shop = try Shop(issuer: issuer)
        #expect(try shop.judge(shop.envelope()) == "mock.test_issuer")
        let near = try TestIssuer { $0.with(.authorityKeyIdentifier([0] + identifier.dropFirst())) }
        let other = try Shop(issuer: near)
        #expect(try other.judge(other.envelope()) == "issuer_certificate")
    }

    @Test("What only the store for tests trusts is a mock, and what that does not trust is refused")
    func testTrust() throws {
        var shop = try Shop()
        shop.testTrust = shop.trust
        #expect(try shop.judge(shop.envelope()) == "verified")
        shop.trust = try TestAuthority().store()
        #expect(try shop.judge(shop.envelope()) == "mock.test_trust")
        shop.testTrust = shop.trust
        #expect(try shop.judge(shop.envelope()) == "issuer_certificate")
    }

    @Test(
        "What a trusted issuer of no country signed is a mock, over both channels, and so is a named root's")
    func noCountry() throws {
        let shop = try Shop(issuer: TestIssuer())
        #expect(try shop.judge(shop.envelope()) == "mock.test_trust")
        #expect(try shop.judge(shop.webResponse().utf8) == "mock.test_trust")
        var named = try Shop()
        #expect(try named.judge(named.envelope()) == "verified")
        named.policy.testRoots.named = [Digest(.sha256, of: named.issuer.authority.der[...]).bytes]
        #expect(try named.judge(named.envelope()) == "mock.test_trust")
    }

    @Test("A mock has elements only where the policy accepts test documents and every check passed")
    func accepted() throws {
        var shop = try Shop(issuer: TestIssuer())
        for accepts in [false, true] {
            shop.policy.acceptsTestDocuments = accepts
            let envelope = try shop.envelope()
            let verdict = try WalletEnvelope(envelope.encoded[...]).open(
                with: [shop.key], as: shop.merchant, answering: SpentNonce.acceptingReplays(of: shop.nonce)
            ).verify(in: shop.context)
            guard case .mock(let mock) = verdict else {
                Issue.record("not a mock")
                return
            }
            #expect((mock.accepted != nil) == accepts)
        }
        shop.documents[0].deviceAuth = .none
        #expect(try shop.judge(shop.envelope()) == "device_authentication")
    }

    @Test("What was asked with the published example's identifiers is a mock", arguments: [true, false])
    func publishedExample(merchantIsExample: Bool) throws {
        let shop = try Shop()
        let merchant = try Shop.merchant(
            merchantIsExample ? "PassKit_Identity_Test_Merchant_ID" : "merchant.example",
            merchantIsExample ? "TEAM123456" : "PassKit_Identity_Test_Team_ID")
        let envelope = try shop.envelope(in: shop.transcript(merchant))
        let verdict = try WalletEnvelope(envelope.encoded[...]).open(
            with: [shop.key], as: merchant, answering: SpentNonce.acceptingReplays(of: shop.nonce)
        ).verify(in: shop.context)
        guard case .mock(let mock) = verdict else {
            Issue.record("not a mock")
            return
        }
        #expect(mock.sign == .publishedExample && mock.failures.isEmpty)
        #expect(mock.checks.reports.count == 1)
    }
}
