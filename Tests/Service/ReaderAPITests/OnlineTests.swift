internal import PKIX
import MdocVerification
import CBOR
import COSE
import Foundation
import MdocModel
import OpenSSLCrypto
import OtherPrograms
import ReaderStore
import TestCredentials
import Testing
import WalletPresentation

@testable import PresentationService
@testable import ReaderAPI

/// One way to come with something else than a good answer, and the name of what must refuse it.
struct OnlineAttack: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let reason: String
    let make: @Sendable (OnlineShop) async throws -> PlainHTTP.Reply

    init(
        _ name: String, _ reason: String,
        _ make: @escaping @Sendable (OnlineShop) async throws -> PlainHTTP.Reply
    ) {
        testDescription = name
        self.reason = reason
        self.make = make
    }
}

@Suite("Apps and pages, over HTTP")
struct OnlineTests {
    @Test
    func `An answer through an app is verified, once`() async throws {
        let shop = try await OnlineShop()
        defer { shop.close() }
        let nonce = try await shop.askApp()
        let envelope = try shop.envelope(in: shop.transcript(nonce))
        let reply = try await shop.present(envelope, nonce: nonce)
        #expect(reply.status == 200 && reply.reason == "verified", "\(reply.text)")
        #expect(try reply.json()["isReplayChecked"] as? Bool == true)
        #expect(reply.text.contains("age_over_21"))
        #expect(try await shop.present(envelope, nonce: nonce).problem == "nonce.reused")
    }

    @Test
    func `An answer on a page is verified, once`() async throws {
        let shop = try await OnlineShop()
        defer { shop.close() }
        let info = try await shop.askPage()
        let response = try shop.webResponse(to: info)
        let reply = try await shop.present(response, info: info)
        #expect(reply.status == 200 && reply.reason == "verified", "\(reply.text)")
        #expect(try await shop.present(response, info: info).problem == "nonce.reused")
    }

    @Test
    func `What the app is to ask with is named as PassKit names it`() async throws {
        let shop = try await OnlineShop()
        defer { shop.close() }
        let reply = try await shop.post(
            "/v1/wallet/requests",
            [
                "session": "s", "merchant": "bar", "document": "nationalIDCardJP",
                "elements": ["givenName", "age(atLeast:20)"], "intentToStore": "mayStore(days:30)",
            ])
        let asked = try reply.json()
        #expect(reply.status == 201 && asked["teamIdentifier"] as? String == "TEAM654321")
        #expect(asked["merchantIdentifier"] as? String == "merchant.example.bar")
        let descriptor = try #require(asked["descriptor"] as? [String: Any])
        #expect(descriptor["type"] as? String == "PKIdentityNationalIDCardDescriptor")
        #expect(descriptor["regionCode"] as? String == "JP")
        #expect(
            descriptor["elements"] as? [[String: String]] == [
                ["element": "givenName", "intentToStore": "mayStore(days:30)"],
                ["element": "age(atLeast:20)", "intentToStore": "mayStore(days:30)"],
            ])
    }

    @Test
    func `What was sealed for a key that is rotated out is opened while the file names it`() async throws {
        let shop = try await OnlineShop()
        defer { shop.close() }
        let (before, late) = (try await shop.askPage(), try await shop.askPage())
        let new = try RecipientKey(COSEKeyPair(PrivateKey.generate(.p256)))
        shop.verifier.replace(with: shop.settings(keys: [new] + shop.keys))
        #expect(try await shop.present(shop.webResponse(to: before), info: before).reason == "verified")
        let after = try await shop.askPage()
        #expect(try EncryptionInfo(after).isFor(new))
        #expect(
            try await shop.present(shop.webResponse(to: after, key: new), info: after).reason == "verified")
        shop.verifier.replace(with: shop.settings(keys: [new]))
        let reply = try await shop.present(shop.webResponse(to: late), info: late)
        #expect(reply.reason == "presentation.recipient_key")
    }

    @Test(
        arguments: [
            ("/v1/wallet/requests", #"{"session":"s","document":"photoID","elements":["givenName"]}"#),
            (
                "/v1/wallet/requests",
                #"{"session":"","merchant":"shop","document":"photoID","elements":["age"],"intentToStore":"mayStore"}"#
            ),
            (
                "/v1/wallet/requests",
                #"{"session":"s","merchant":"shop","document":"photoID","elements":["shoeSize"],"intentToStore":"mayStore"}"#
            ),
            (
                "/v1/wallet/requests",
                #"{"session":"s","merchant":"shop","document":"passport","elements":["age"],"intentToStore":"mayStore"}"#
            ),
            ("/v1/web/requests", #"{"session":"s","origin":"https://shop.example"}"#),
            ("/v1/web/presentations", #"{"session":"s","origin":"https://shop.example","response":"AA"}"#),
            ("/v1/wallet/presentations", #"{"session":"s","nonce":"AA","envelope":"AA","more":1}"#),
        ])
    func `A body that is not what it should be is refused with its member`(
        _ path: String, _ body: String
    ) async throws {
        let shop = try await OnlineShop()
        defer { shop.close() }
        let reply = try await shop.http.call("POST", path, body)
        #expect(reply.status == 400 && reply.problem == "bodyRefused", "\(reply.text)")
    }

    @Test(
        arguments: [
            (#""merchant":"none","elements":["givenName"]"#, "merchantUnknown"),
            (#""elements":["givenName"]"#, "merchantRequired"),
            (#""merchant":"shop","elements":["eyeColor"]"#, "descriptorRefused"),
            (#""merchant":"shop","elements":["age","age(atLeast:21)"]"#, "descriptorRefused"),
            (#""merchant":"shop","elements":[]"#, "descriptorRefused"),
        ])
    func `What PassKit would refuse is not asked`(_ members: String, _ problem: String) async throws {
        let shop = try await OnlineShop()
        defer { shop.close() }
        let reply = try await shop.http.call(
            "POST", "/v1/wallet/requests",
            #"{"session":"s","document":"photoID","intentToStore":"willNotStore",\#(members)}"#)
        #expect(reply.problem == problem)
    }

    @Test
    func `Only who has the scope may ask, and has no other`() async throws {
        let shop = try await OnlineShop()
        defer { shop.close() }
        for path in [
            "/v1/wallet/requests", "/v1/wallet/presentations", "/v1/web/requests", "/v1/web/presentations",
        ] {
            #expect(try await shop.post(path, [:], as: shop.asApp).problem == "forbidden")
        }
        for path in ["/v1/lanes", "/v1/trust", "/metrics", "/v1/presentations/x"] {
            #expect(try await shop.http.call("GET", path).problem == "forbidden")
        }
    }

    @Test
    func `An origin that is not ours may not ask, and an answer may be long but not endless`() async throws {
        let shop = try await OnlineShop()
        defer { shop.close() }
        let reply = try await shop.post(
            "/v1/web/requests", ["session": "s", "origin": "https://evil.example", "intent": "age over 21"])
        #expect(reply.status == 403 && reply.problem == "originUnknown")
        let info = try await shop.askPage()
        let long = try await shop.present(String(repeating: "A", count: 1_400_000), info: info)
        #expect(long.status == 422, "\(long.text)")
        let endless = try await shop.present(String(repeating: "A", count: 1_600_000), info: info)
        #expect(endless.status == 413 && endless.problem == "bodyTooLong")
    }

    @Test
    func `Q238 An Android app asks and answers by its configured origin, and no other`() async throws {
        let shop = try await OnlineShop()
        defer { shop.close() }
        let info = try await shop.askPage(origin: shop.appOrigin)
        let answer = try shop.webResponse(to: info, on: shop.appOrigin)
        let verified = try await shop.present(answer, info: info, origin: shop.appOrigin)
        #expect(try verified.status == 200 && verified.json()["verdict"] as? String == "verified")

        let asPage = try await shop.askPage()
        let reply = try await shop.present(
            shop.webResponse(to: asPage, on: shop.appOrigin), info: asPage, origin: shop.origin)
        #expect(reply.reason == "presentation.other_origin", "\(reply.text)")

        let hash = String(shop.appOrigin.dropFirst("android:apk-key-hash:".count))
        for other in [
            "android:apk-key-hash:" + Base64URL.encode([UInt8](repeating: 8, count: 32)),
            shop.appOrigin + "=", "Android:apk-key-hash:" + hash, "https://" + hash.lowercased(),
        ] {
            let refused = try await shop.orderPage(origin: other)
            #expect(refused.status == 403 && refused.problem == "originUnknown", "\(other)")
        }
        // As the Origin of a browser's page it is foreign, as every other is.
        let browser = try await shop.http.call(
            "POST", "/v1/web/requests", "{}", headers: ["Origin": shop.appOrigin])
        #expect(browser.status == 403 && browser.problem == "originRefused", "\(browser.text)")
    }

    @Test
    func `Q236 A page's answer with a MAC is refused in words that ask for no reader key`() async throws {
        let shop = try await OnlineShop()
        defer { shop.close() }
        let info = try await shop.askPage()
        var document = try OnlineShop.licence()
        document.deviceAuth = .mac
        let reply = try await shop.present(shop.webResponse([document], to: info), info: info)
        #expect(reply.reason == "presentation.device_mac", "\(reply.text)")
        #expect(reply.text.contains("only a signature can prove that the phone holds its key"))
        #expect(!reply.text.contains("--reader-key"))
    }

    @Test
    func `Without a database nothing is issued and nothing accepted`() async throws {
        let shop = try await OnlineShop(nonces: PostgreSQLNonces("host=/nonexistent"))
        defer { shop.close() }
        let asked = try await shop.post(
            "/v1/web/requests",
            ["session": "s", "origin": shop.origin, "intent": "age over 21; else nothing"])
        #expect(asked.status == 503 && asked.problem == "noncesUnavailable")
        let nonce = try PresentationNonce(randomBytes(32))
        let reply = try await shop.present(shop.envelope(in: shop.transcript(nonce)), nonce: nonce)
        #expect(reply.status == 503 && reply.problem == "noncesUnavailable")
    }

    @Test
    func `Only one of 100 clients that send the same answer is told that it is verified`() async throws {
        let shop = try await OnlineShop()
        defer { shop.close() }
        let nonce = try await shop.askApp()
        let envelope = try shop.envelope(in: shop.transcript(nonce))
        let reasons = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 {
                group.addTask { try await shop.present(envelope, nonce: nonce).reason ?? "none" }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(reasons.count { $0 == "verified" } == 1)
        #expect(reasons.count { $0 == "nonce.reused" } == 99)
    }

    @Test
    func `Every refusal of a nonce or an answer has its id and its words`() {
        for refusal in NonceRefusal.allCases {
            let problem = APIProblem(refusal)
            #expect(problem.id.rawValue == refusal.rawValue && !problem.detail.isEmpty)
        }
        for error: WalletPresentationError in [
            .malformed(.envelope, .truncated(at: 0)), .sizeWrong(.envelope), .notBase64URL(.envelope),
            .algorithmUnknown, .modeUnknown(1), .recipientKeyUnknown, .merchantOther, .teamOther,
            .infoHashWrong, .originOther, .encryptionInfoReencoded, .nonceOther, .encapsulatedKeyInvalid,
            .notOpened, .nonceSizeWrong, .recipientKeyUnusable, .computationFailed,
        ] {
            #expect(APIProblem(error).id.rawValue == error.id)
        }
    }
}

@Suite("Attacks on apps and pages, over HTTP")
struct OnlineAttackTests {
    static let attacks: [OnlineAttack] = [
        OnlineAttack("a hash of another key", "presentation.recipient_key") { shop in
            try await shop.attack { $0.recipientKeyHash[0] ^= 1 }
        },
        OnlineAttack("a hash of another info", "presentation.info_hash") { shop in
            try await shop.attack { $0.infoHash[31] ^= 1 }
        },
        OnlineAttack("a swapped encapsulated key", "presentation.not_opened") { shop in
            let other = try PrivateKey.generate(.p256).encodedPoint
            return try await shop.attack { $0.encapsulatedKey = other }
        },
        OnlineAttack("one bit of the ciphertext", "presentation.not_opened") { shop in
            try await shop.attack { $0.ciphertext[9] ^= 1 }
        },
        OnlineAttack("an envelope cut", "presentation.malformed") { shop in
            let nonce = try await shop.askApp()
            return try await shop.present(
                shop.envelope(in: shop.transcript(nonce)).dropLast(), nonce: nonce)
        },
        OnlineAttack("for another merchant of ours", "presentation.other_merchant") { shop in
            let nonce = try await shop.askApp()
            return try await shop.present(
                shop.envelope(in: shop.transcript(nonce, shop.otherMerchant.identity)), nonce: nonce)
        },
        OnlineAttack("for another team of the same merchant", "presentation.other_team") { shop in
            let nonce = try await shop.askApp()
            let other = try MerchantIdentity(
                merchantIdentifier: shop.merchant.identity.merchantIdentifier,
                teamIdentifier: shop.otherMerchant.identity.teamIdentifier)
            return try await shop.present(shop.envelope(in: shop.transcript(nonce, other)), nonce: nonce)
        },
        OnlineAttack("to another nonce", "presentation.info_hash") { shop in
            let (nonce, other) = (try await shop.askApp(), try await shop.askApp())
            return try await shop.present(shop.envelope(in: shop.transcript(other)), nonce: nonce)
        },
        OnlineAttack("a nonce used before", "nonce.reused") { shop in
            let nonce = try await shop.askApp()
            let envelope = try shop.envelope(in: shop.transcript(nonce))
            _ = try await shop.present(envelope, nonce: nonce)
            return try await shop.present(envelope, nonce: nonce)
        },
        OnlineAttack("a nonce of another session", "nonce.other_session") { shop in
            let nonce = try await shop.askApp()
            return try await shop.present(
                shop.envelope(in: shop.transcript(nonce)), nonce: nonce, session: "session 2")
        },
        OnlineAttack("a nonce of the web", "nonce.other_channel") { shop in
            let nonce = try EncryptionInfo(try await shop.askPage()).nonce
            return try await shop.present(shop.envelope(in: shop.transcript(nonce)), nonce: nonce)
        },
        OnlineAttack("a nonce that nobody issued", "nonce.unknown") { shop in
            let nonce = try PresentationNonce(randomBytes(32))
            return try await shop.present(shop.envelope(in: shop.transcript(nonce)), nonce: nonce)
        },
        OnlineAttack("a second document", "presentation.extra_document") { shop in
            let nonce = try await shop.askApp()
            let documents = [try OnlineShop.licence(), try OnlineShop.licence()]
            return try await shop.present(
                shop.envelope(documents, in: shop.transcript(nonce)), nonce: nonce)
        },
        OnlineAttack("a MAC in place of the signature", "presentation.device_mac") { shop in
            let nonce = try await shop.askApp()
            var document = try OnlineShop.licence()
            document.deviceAuth = .mac
            return try await shop.present(
                shop.envelope([document], in: shop.transcript(nonce)), nonce: nonce)
        },
        OnlineAttack("on another of our pages", "presentation.other_origin") { shop in
            let info = try await shop.askPage()
            return try await shop.present(
                shop.webResponse(to: info, on: shop.otherOrigin), info: info)
        },
        OnlineAttack("said to be of another of our pages", "presentation.other_origin") { shop in
            let info = try await shop.askPage()
            return try await shop.present(
                shop.webResponse(to: info, on: shop.otherOrigin), info: info, origin: shop.otherOrigin)
        },
        OnlineAttack("encryptionInfo re-encoded on its way", "presentation.encryption_info_reencoded") {
            shop in
            let info = try await shop.askPage()
            let padded = info + String(repeating: "=", count: (4 - info.utf8.count % 4) % 4)
            let standard = padded.replacingOccurrences(of: "-", with: "+")
                .replacingOccurrences(of: "_", with: "/")
            return try await shop.present(shop.webResponse(to: standard), info: info)
        },
        OnlineAttack("encryptionInfo of another key", "presentation.recipient_key") { shop in
            let info = try EncryptionInfo(try await shop.askPage())
            let key = try RecipientKey(COSEKeyPair(PrivateKey.generate(.p256)))
            let other = try EncryptionInfo(nonce: info.nonce, for: key).text
            return try await shop.present(shop.webResponse(to: other, key: key), info: other)
        },
        OnlineAttack("a response cut", "presentation.base64url") { shop in
            let info = try await shop.askPage()
            let response = try shop.webResponse(to: info)
            return try await shop.present(
                String(response.dropLast(response.utf8.count % 4 == 2 ? 1 : 3)) + "=", info: info)
        },
        OnlineAttack("a page's nonce used before", "nonce.reused") { shop in
            let info = try await shop.askPage()
            let response = try shop.webResponse(to: info)
            _ = try await shop.present(response, info: info)
            return try await shop.present(response, info: info)
        },
        OnlineAttack("a page's nonce of another session", "nonce.other_session") { shop in
            let info = try await shop.askPage()
            return try await shop.present(
                shop.webResponse(to: info), info: info, session: "session 2")
        },
        OnlineAttack("a nonce of the app", "nonce.other_channel") { shop in
            let nonce = try await shop.askApp()
            let info = try EncryptionInfo(nonce: nonce, for: shop.keys[0]).text
            return try await shop.present(shop.webResponse(to: info), info: info)
        },
    ]

    @Test(arguments: attacks)
    func `Each is refused with its own reason, and nothing of the answer is told`(
        _ attack: OnlineAttack
    ) async throws {
        let shop = try await OnlineShop()
        defer { shop.close() }
        let reply = try await attack.make(shop)
        #expect(reply.reason == attack.reason, "\(reply.text)")
        #expect(!reply.text.contains("Mustermann"))
        #expect(reply.status == (attack.reason.hasPrefix("nonce.") ? 403 : reply.problem == nil ? 200 : 422))
    }

    @Test
    func `A nonce that expired is refused over both channels`() async throws {
        let nonces = MemoryNonces()
        let now = TestAuthority.now
        let shop = try await OnlineShop(nonces: nonces)
        // The store's time goes on between the two questions, and a nonce is known for 300 s after its end.
        let late = try await OnlineShop(issuer: shop.issuer, nonces: nonces, now: now + 450)
        defer { [shop, late].forEach { $0.close() } }
        // Both before the later time is seen: no clock is set back under the store.
        let (nonce, info) = (try await shop.askApp(), try await shop.askPage())
        let reply = try await late.present(shop.envelope(in: shop.transcript(nonce)), nonce: nonce)
        #expect(reply.problem == "nonce.expired")
        #expect(
            try await late.present(shop.webResponse(to: info), info: info).problem == "nonce.expired")
    }

    @Test
    func `A document of the published test issuer is a mock, and its elements are not told`() async throws {
        let names: TestAuthority.Names = [
            (.countryName, "US"), (.commonName, "PassKit Identity Test Issuer Root CA"),
        ]
        let issuer = try TestIssuer(
            authority: TestAuthority(names),
            names: [
                (.countryName, "US"), (.commonName, "PassKit Identity Test Issuer"),
            ])
        for trusts in [false, true] {
            let shop = try await OnlineShop(issuer: issuer, trusts: trusts)
            defer { shop.close() }
            let nonce = try await shop.askApp()
            let reply = try await shop.present(shop.envelope(in: shop.transcript(nonce)), nonce: nonce)
            #expect(reply.reason == "mock", "\(reply.text)")
            #expect(try reply.json()["mockSign"] as? String == "mock.test_issuer")
            let document = try #require((try reply.json()["documents"] as? [[String: Any]])?.first)
            #expect(document["elements"] == nil)
        }
    }

    @Test
    func `An element that nobody asked for is not told`() async throws {
        let shop = try await OnlineShop()
        defer { shop.close() }
        let nonce = try await shop.askApp()
        let document = try OnlineShop.licence([.init("family_name", Encoded.text("Mustermann"))])
        let reply = try await shop.present(
            shop.envelope([document], in: shop.transcript(nonce)), nonce: nonce)
        #expect(reply.reason == "verified" && !reply.text.contains("Mustermann"), "\(reply.text)")
    }

    @Test
    func `An issuer that nobody trusts is refused`() async throws {
        let shop = try await OnlineShop(trusts: false)
        defer { shop.close() }
        let info = try await shop.askPage()
        let reply = try await shop.present(shop.webResponse(to: info), info: info)
        #expect(reply.status == 200 && reply.reason != "verified" && reply.reason != "mock", "\(reply.text)")
        #expect(try reply.json()["verdict"] as? String == "rejected")
    }

    @Test
    func `Where nobody is trusted nothing is asked, and an answer spends no nonce`() async throws {
        let nonces = MemoryNonces()
        let shop = try await OnlineShop(nonces: nonces)
        defer { shop.close() }
        let untrusting = try await OnlineShop(
            nonces: nonces, basis: StoredBasis(folder: "/nonexistent", policy: VerificationPolicy()))
        defer { untrusting.close() }
        let (nonce, info) = (try await shop.askApp(), try await shop.askPage())
        let envelope = try shop.envelope(in: shop.transcript(nonce))
        let response = try shop.webResponse(to: info)
        for reply in [
            try await untrusting.orderApp(), try await untrusting.orderPage(),
            try await untrusting.present(envelope, nonce: nonce),
            try await untrusting.present(response, info: info),
        ] {
            #expect(reply.status == 503 && reply.problem == "trustNotSetUp", "\(reply.text)")
        }
        #expect(try await shop.present(envelope, nonce: nonce).reason == "verified")
        #expect(try await shop.present(response, info: info).reason == "verified")
    }
}

extension OnlineShop {
    /// Presents an envelope that is good but for one thing.
    func attack(_ change: (inout EnvelopeParts) -> Void) async throws -> PlainHTTP.Reply {
        let nonce = try await askApp()
        var parts = EnvelopeParts(try WalletEnvelope(envelope(in: transcript(nonce))[...]))
        change(&parts)
        return try await present(parts.encoded, nonce: nonce)
    }
}

extension PlainHTTP.Reply {
    /// The id of a refusal; else of what rejected, or the verdict.
    var reason: String? {
        if let problem { return problem }
        guard let verdict = try? json(), let word = verdict["verdict"] as? String else { return nil }
        guard word == "rejected" else { return word }
        let errors = (verdict["errors"] as? [[String: String]] ?? []).compactMap { $0["id"] }
        let checks = (verdict["documents"] as? [[String: Any]] ?? [])
            .flatMap { $0["checks"] as? [[String: String]] ?? [] }
            .filter { $0["outcome"] == "failed" }.compactMap { $0["id"] }
        return (errors + checks).first ?? word
    }
}
