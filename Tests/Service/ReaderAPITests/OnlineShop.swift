import MdocVerification
import RequestPlanner
import ReaderService
import CBOR
import COSE
import Foundation
import HTTPServing
import Logging
import MdocModel
import MdocTrust
import OpenSSLCrypto
import OtherPrograms
import PortraitDecoding
import ReaderStore
import RecordBench
import ReaderTokens
import TestCredentials
import WalletPresentation

@testable import PresentationService
@testable import ReaderAPI

/// A shop whose server asks through an app and a page, over HTTP, and a customer with a wallet.
struct OnlineShop {
    static let token = "online-token-of-the-tests"
    static let other = "app-token-of-the-tests"

    let issuer: TestIssuer
    let keys: [RecipientKey]
    let merchant: OnlineSettings.Merchant
    let otherMerchant: OnlineSettings.Merchant
    let origin = "https://shop.example"
    let otherOrigin = "https://bar.example"
    /// The origin of the shop's Android app.
    let appOrigin = "android:apk-key-hash:" + Base64URL.encode([UInt8](repeating: 7, count: 32))
    private let origins: [WebOrigin]
    let verifier: OnlineVerifier
    /// What the verifier logs.
    let lines = LogLines()
    let http: PlainHTTP
    let asApp: PlainHTTP
    private let server: Task<Void, any Error>

    /// - Parameters:
    ///   - trusts: whether the issuer is trusted.
    ///   - nonces: in place of those in memory.
    ///   - basis: in place of one that trusts the issuer, or another.
    ///   - isStopped: whether a chain stopped this kiosk.
    init(
        issuer other: TestIssuer? = nil, trusts: Bool = true, nonces: (any NonceStore)? = nil,
        basis: (any JudgingBasisSource)? = nil, now: Int64 = TestAuthority.now, isStopped: Bool = false,
        decoder: PortraitDecoder? = .installed
    ) async throws {
        let issuer = try other ?? TestIssuer(authority: .ofACountry())
        self.issuer = issuer
        keys = try (0..<2).map { _ in try RecipientKey(COSEKeyPair(try PrivateKey.generate(.p256))) }
        merchant = .init(name: "shop", identity: try Self.identity("shop", "TEAM123456"), keys: keys)
        otherMerchant = .init(name: "bar", identity: try Self.identity("bar", "TEAM654321"), keys: keys)
        origins = try [origin, otherOrigin, appOrigin].map { try WebOrigin($0) }
        let settings = OnlineSettings(
            merchants: [merchant, otherMerchant], web: .init(origins: origins, keys: keys, identity: nil))
        let basis = try basis ?? FixedBasis(trust: (trusts ? issuer.authority : TestAuthority()).store())
        verifier = OnlineVerifier(
            settings, nonces: nonces ?? MemoryNonces(), basis: basis,
            portraits: decoder ?? PortraitDecoder(executable: "/nonexistent"),
            clock: WallClock { Timestamp(secondsSince1970: now) }, log: lines.logger)
        let port = try ReaderDaemon.freePort()
        (http, asApp) = (
            PlainHTTP(.tcp(port: port), token: Self.token), PlainHTTP(.tcp(port: port), token: Self.other)
        )
        server = try await Self.serve(
            verifier, basis, at: port, under: isStopped ? .stopped : Self.rules)
    }

    func close() { server.cancel() }

    func settings(keys: [RecipientKey]) -> OnlineSettings {
        OnlineSettings(
            merchants: [merchant, otherMerchant].map {
                .init(name: $0.name, identity: $0.identity, keys: keys)
            },
            web: .init(origins: origins, keys: keys, identity: nil))
    }

    private static func pageSessions() throws -> PageSessions {
        let folder = FileManager.default.temporaryDirectory.appending(path: "pages-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try PageSessions(store: folder.path)
    }

    private static var rules: AccessRules {
        var rules = AccessRules()
        rules.tokens = [(token, Scope.online), (other, .app)].map { text, scope in
            .init(
                name: scope.rawValue, sha256: Digest(.sha256, of: Array(text.utf8)[...]).bytes,
                scopes: [scope])
        }
        return rules
    }

    private static func serve(
        _ verifier: OnlineVerifier, _ basis: any JudgingBasisSource, at port: UInt16,
        under rules: AccessRules
    ) async throws -> Task<Void, any Error> {
        var log = Logger(label: "tests")
        log.logLevel = .error
        let coordinator = try PresentationCoordinator(
            lanes: [], basis: basis, portraits: PortraitDecoder(executable: "/nonexistent"),
            metrics: PresentationMetrics(), log: log, clock: .system)
        let (ready, isReady) = AsyncStream.makeStream(of: Void.self)
        let brands = BrandRoutes(
            BrandFolder(store: "/nonexistent"),
            issuer: ReaderTokenIssuer(
                BrandFolder(store: "/nonexistent"),
                server: TokenServer(audience: ReaderToken.defaultAudience, counting: TokenCountInMemory()),
                audit: log, clock: .system))
        let server = ReaderServer(
            at: .tcp(host: "127.0.0.1", port: Int(port)), coordinator: coordinator, brands: brands,
            online: verifier,
            access: AccessBook(rules), pages: try pageSessions(),
            hosts: HostRules(port: Int(port)), page: PageFiles(), connections: 512,
            metrics: HTTPMetrics(), log: log, listening: { _ in isReady.finish() })
        let task = Task { try await server.run() }
        for await _ in ready {}
        return task
    }

    static func identity(_ name: String, _ team: String) throws -> MerchantIdentity {
        try MerchantIdentity(merchantIdentifier: "merchant.example.\(name)", teamIdentifier: team)
    }

    // MARK: The server of the shop

    func post(_ path: String, _ members: [String: Any], as client: PlainHTTP? = nil) async throws
        -> PlainHTTP.Reply
    {
        let body = try JSONSerialization.data(withJSONObject: members)
        return try await (client ?? http).call("POST", path, String(decoding: body, as: UTF8.self))
    }

    func orderApp(
        session: String = "session 1", merchant: String = "shop", elements: [String] = ["age(atLeast:21)"]
    ) async throws -> PlainHTTP.Reply {
        try await post(
            "/v1/wallet/requests",
            [
                "session": session, "merchant": merchant, "document": "driversLicense", "elements": elements,
                "intentToStore": "willNotStore",
            ])
    }

    /// Asks through the app; the nonce.
    func askApp(
        session: String = "session 1", merchant: String = "shop", elements: [String] = ["age(atLeast:21)"]
    ) async throws -> PresentationNonce {
        let reply = try await orderApp(session: session, merchant: merchant, elements: elements)
        guard reply.status == 201, let text = try reply.json()["nonce"] as? String,
            let bytes = Base64URL.decode(text.utf8)
        else { throw PlainHTTP.Failure(description: "\(reply.status): \(reply.text)") }
        return try PresentationNonce(bytes)
    }

    func orderPage(
        session: String = "session 1", origin: String? = nil, intent: String = "age over 21; else nothing"
    ) async throws -> PlainHTTP.Reply {
        try await post(
            "/v1/web/requests", ["session": session, "origin": origin ?? self.origin, "intent": intent])
    }

    /// Asks on the page; the text of encryptionInfo.
    func askPage(
        session: String = "session 1", origin: String? = nil, intent: String = "age over 21; else nothing"
    ) async throws -> String {
        let reply = try await orderPage(session: session, origin: origin, intent: intent)
        guard reply.status == 201, let data = try reply.json()["data"] as? [String: String],
            let info = data["encryptionInfo"]
        else { throw PlainHTTP.Failure(description: "\(reply.status): \(reply.text)") }
        return info
    }

    func present(
        _ envelope: [UInt8], nonce: PresentationNonce, session: String = "session 1"
    ) async throws -> PlainHTTP.Reply {
        try await post(
            "/v1/wallet/presentations",
            [
                "session": session, "nonce": Base64URL.encode(nonce.bytes),
                "envelope": Base64URL.encode(envelope),
            ])
    }

    func present(
        _ response: String, info: String, session: String = "session 1", origin: String? = nil
    ) async throws -> PlainHTTP.Reply {
        try await post(
            "/v1/web/presentations",
            [
                "session": session, "origin": origin ?? self.origin, "encryptionInfo": info,
                "response": response,
            ])
    }

    // MARK: The customer's wallet

    static func licence(_ more: [TestDocument.Item] = []) throws -> TestDocument {
        try TestDocument([.init("age_over_21", Encoded.boolean(true))] + more)
    }

    func response(_ documents: [TestDocument], in transcript: SessionTranscript) throws -> [UInt8] {
        try issuer.response(documents, in: transcript)
    }

    func transcript(
        _ nonce: PresentationNonce, _ merchant: MerchantIdentity? = nil
    ) -> SessionTranscript {
        .inApp(merchant ?? self.merchant.identity, nonce: nonce, recipientKeyHash: keys[0].hash)
    }

    func envelope(
        _ documents: [TestDocument]? = nil, in transcript: SessionTranscript, to key: RecipientKey? = nil
    ) throws -> [UInt8] {
        try WalletEnvelope.seal(
            response(documents ?? [Self.licence()], in: transcript),
            to: (key ?? keys[0]).pair.privateKey.publicKey(), in: transcript,
            ephemeralKey: PrivateKey.generate(.p256))
    }

    func webResponse(
        _ documents: [TestDocument]? = nil, to info: String, on origin: String? = nil,
        key: RecipientKey? = nil
    ) throws -> String {
        let transcript = SessionTranscript.onTheWeb(
            encryptionInfo: info, origin: try WebOrigin(origin ?? self.origin))
        return try EncryptedResponse.seal(
            response(documents ?? [Self.licence()], in: transcript),
            to: (key ?? keys[0]).pair.privateKey.publicKey(), in: transcript,
            ephemeralKey: PrivateKey.generate(.p256))
    }
}

/// Trust that does not change.
struct FixedBasis: JudgingBasisSource {
    let acceptsTestDocuments = false
    let trust: TrustStore

    /// Its issuers have no revocation lists.
    func basis() -> JudgingBasis {
        var policies = PurposePolicies()
        for purpose in RequestPurpose.allCases { policies[purpose] = .age }
        return JudgingBasis(
            trust: trust, obtained: nil, policy: VerificationPolicy(), policies: policies)
    }

    func identities(at now: Timestamp) -> ReaderIdentityChoice { ReaderIdentityChoice([]) }

    func identity(named name: String, at now: Timestamp) throws(PresentationServiceError) -> ReaderIdentity {
        throw .trustNotSetUp
    }
}
