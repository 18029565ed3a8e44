import MdocModel
import OpenSSLCrypto
import ReaderTokens
import TestCredentials
import Testing

@Suite("The token server")
struct TokenServerTests {
    private let scene: TokenScene
    private let server: TokenServer<TokenCountInMemory>
    private let utopia: TokenText
    private let other: ReaderInstance

    init() throws {
        scene = try TokenScene()
        utopia = try named("utopia")
        other = try #require(ReaderInstance([UInt8](repeating: 7, count: 16)))
        server = try Self.server(scene, key: "k1", utopia, [scene.instance, other])
    }

    private static func server(
        _ scene: TokenScene, key: String, _ brand: TokenText, _ instances: Set<ReaderInstance>
    ) throws -> TokenServer<TokenCountInMemory> {
        let signer = try ReaderTokenSigner(
            TokenScene.signingKey(key), named(key), of: brand)
        return server(scene, brand, instances, [signer])
    }

    private static func server(
        _ scene: TokenScene, _ brand: TokenText, _ instances: Set<ReaderInstance>,
        _ signers: [ReaderTokenSigner]
    ) -> TokenServer<TokenCountInMemory> {
        TokenServer(
            audience: scene.audience, counting: TokenCountInMemory(),
            grants: [TokenGrant(caller: "till", brand: brand, instances: instances)], from: .keys(signers))
    }

    private func request(
        caller: String = "till", brand: TokenText? = nil, _ instance: ReaderInstance? = nil
    ) -> TokenRequest {
        TokenRequest(caller: caller, brand: brand ?? utopia, instance: instance ?? scene.instance)
    }

    private func respond(_ request: TokenRequest, after seconds: Int64 = 0) async -> TokenResponse {
        await server.respond(
            to: request, believing: scene.registry, at: TokenScene.now.advanced(bySeconds: seconds)
        ).response
    }

    @Test("Who may have it gets a token that prepares the reader, and the audit does not")
    func granted() async throws {
        let (response, audit) = await server.respond(
            to: request(), believing: scene.registry, at: TokenScene.now)
        guard case .granted(let token, let expires) = response else {
            Issue.record("\(response)")
            return
        }
        #expect(expires == TokenScene.now.advanced(bySeconds: 300))
        let prepared = try await scene.verifier.prepare(token, at: TokenScene.now)
        #expect(prepared.brand.identifier == utopia)
        #expect(audit.at == TokenScene.now && audit.caller == "till" && audit.instance == scene.instance)
        #expect(audit.outcome == .granted(key: try named("k1")))
        #expect(!String(describing: audit).contains(token.suffix(20)))
    }

    @Test("Nobody else gets one, for no other brand and no other reader, and is not told why")
    func notAllowed() async throws {
        let arcadia = try named("arcadia")
        let stranger = try #require(ReaderInstance([UInt8](repeating: 8, count: 16)))
        for wrong in [
            request(caller: "Till"), request(caller: ""), request(brand: arcadia), request(stranger),
        ] {
            let (response, audit) = await server.respond(
                to: wrong, believing: scene.registry, at: TokenScene.now)
            #expect(response == .refused(.notAllowed) && audit.outcome == .refused(.notAllowed))
        }
        for right in [request(), request(other)] {
            guard case .granted = await respond(right) else {
                Issue.record("refused")
                return
            }
        }
    }

    @Test("Twelve an hour for one reader, then none until the first of them is an hour old")
    func rate() async throws {
        for number in 0..<12 {
            guard case .granted = await respond(request(), after: Int64(number)) else {
                Issue.record("\(number)")
                return
            }
        }
        #expect(await respond(request(), after: 12) == .refused(.tooMany(retryAfter: 3588)))
        #expect(await respond(request(), after: 3599) == .refused(.tooMany(retryAfter: 1)))
        guard case .granted = await respond(request(other), after: 12) else {
            Issue.record("another reader waits with it")
            return
        }
        guard case .granted = await respond(request(), after: 3600) else {
            Issue.record("it waits too long")
            return
        }
        #expect(await respond(request(), after: 3600) == .refused(.tooMany(retryAfter: 1)))
    }

    @Test("A clock that is set back makes nobody wait for ever")
    func clockSetBack() async throws {
        for _ in 0..<12 { _ = await respond(request(), after: 1_000_000) }
        guard case .granted = await respond(request()) else {
            Issue.record("refused")
            return
        }
    }

    static let unusable: [(key: String, error: ReaderTokensError)] = [
        ("revoked", .keyRevoked), ("other", .brandNotOfKey),
    ]

    @Test("What no reader would believe is not handed out", arguments: unusable)
    func isUnusable(_ key: String, _ error: ReaderTokensError) async throws {
        let server = try Self.server(scene, key: key, utopia, [scene.instance])
        let answer = await server.respond(to: request(), believing: scene.registry, at: TokenScene.now)
        #expect(answer.response == .refused(.brandUnavailable(error)))
    }

    @Test("A key that is not the one in the registry signs nothing that is handed out")
    func otherKey() async throws {
        let signer = try ReaderTokenSigner(
            TokenScene.signingKey("k2"), named("k1"), of: utopia)
        for (signers, error) in [
            ([signer], ReaderTokensError.signatureInvalid), ([], .keyUnknown),
        ] {
            let server = Self.server(scene, utopia, [scene.instance], signers)
            let answer = await server.respond(to: request(), believing: scene.registry, at: TokenScene.now)
            #expect(answer.response == .refused(.brandUnavailable(error)))
        }
    }

    @Test("Grants that are replaced hold at once, and what was asked for lately still counts")
    func replaced() async throws {
        for _ in 0..<12 { _ = await respond(request()) }
        let signer = try ReaderTokenSigner(
            TokenScene.signingKey("k2"), named("k2"), of: utopia)
        await server.replace(
            grants: [TokenGrant(caller: "till", brand: utopia, instances: [scene.instance])],
            from: .keys([signer]))
        #expect(await respond(request(other)) == .refused(.notAllowed))
        #expect(await respond(request()) == .refused(.tooMany(retryAfter: 3600)))
        await server.replace(grants: [], from: .keys([signer]))
        #expect(await respond(request()) == .refused(.notAllowed))
    }

    @Test("A key that is revoked signs nothing more that is handed out")
    func revoked() async throws {
        var registry = scene.registry
        try registry.revoke(named("k1"))
        let answer = await server.respond(to: request(), believing: registry, at: TokenScene.now)
        #expect(answer.response == .refused(.brandUnavailable(.keyRevoked)))
    }

    @Test("A grant of a group is for who belongs to it, and for nobody else")
    func groups() async throws {
        let signer = try ReaderTokenSigner(TokenScene.signingKey("k1"), named("k1"), of: utopia)
        await server.replace(
            grants: [TokenGrant(caller: "site:harbour", brand: utopia, instances: [scene.instance])],
            from: .keys([signer]))
        func response(_ caller: String, in groups: Set<String>) async -> TokenResponse {
            let request = TokenRequest(caller: caller, in: groups, brand: utopia, instance: scene.instance)
            return await server.respond(to: request, believing: scene.registry, at: TokenScene.now).response
        }
        guard case .granted = await response("till-1", in: ["site:harbour", "group:north"]) else {
            Issue.record("who belongs to the group is refused")
            return
        }
        for groups in [[], ["site:airport"], ["harbour"], ["group:harbour"]] as [Set<String>] {
            #expect(await response("till-1", in: groups) == .refused(.notAllowed), "\(groups)")
        }
        // Each of them has twelve.
        for _ in 0..<11 { _ = await response("till-1", in: ["site:harbour"]) }
        #expect(
            await response("till-1", in: ["site:harbour"]) == .refused(.tooMany(retryAfter: 3600)))
        guard case .granted = await response("till-2", in: ["site:harbour"]) else {
            Issue.record("another of the group waits with it")
            return
        }
    }

    // MARK: Tokens of a hub

    /// The server's answer where a hub says this, and how often the hub was asked.
    private func respond(
        _ request: TokenRequest,
        from hub: @escaping @Sendable (TokenRequest) async throws(TokenRefusal) -> String
    ) async -> (answer: (response: TokenResponse, audit: TokenAudit), questions: Int) {
        let questions = TokenQuestions()
        await server.replace(
            grants: [TokenGrant(caller: "till", brand: utopia, instances: [scene.instance])],
            from: .hub { request throws(TokenRefusal) in
                await questions.note()
                return try await hub(request)
            })
        let answer = await server.respond(to: request, believing: scene.registry, at: TokenScene.now)
        return (answer, await questions.count)
    }

    @Test("A hub's token is handed out as it is, and the audit has its key")
    func tokenOfHub() async throws {
        let text = try TestToken().text()
        let (answer, questions) = await respond(request()) { _ throws(TokenRefusal) in text }
        #expect(questions == 1)
        #expect(
            answer.response == .granted(token: text, expires: TokenScene.now.advanced(bySeconds: 300)))
        #expect(answer.audit.outcome == .granted(key: try named("k1")))
    }

    @Test("A hub is not asked for what no grant here allows, nor too often")
    func hubNotAsked() async throws {
        let text = try TestToken().text()
        for wrong in [request(caller: "Till"), request(other), request(brand: try named("arcadia"))] {
            let (answer, questions) = await respond(wrong) { _ throws(TokenRefusal) in text }
            #expect(answer.response == .refused(.notAllowed) && questions == 0)
        }
        for _ in 0..<12 { _ = await respond(request()) { _ throws(TokenRefusal) in text } }
        let (answer, questions) = await respond(request()) { _ throws(TokenRefusal) in text }
        #expect(answer.response == .refused(.tooMany(retryAfter: 3600)) && questions == 0)
    }

    @Test(
        "A hub's refusal is passed on",
        arguments: [
            .notAllowed, .tooMany(retryAfter: 7), .brandUnavailable(.hubUnavailable("it does not answer")),
        ] as [TokenRefusal])
    func refusalOfHub(_ refusal: TokenRefusal) async throws {
        let (answer, _) = await respond(request()) { _ throws(TokenRefusal) in throw refusal }
        #expect(answer.response == .refused(refusal) && answer.audit.outcome == .refused(refusal))
    }

    @Test("What a hub could not make counts as nothing: twelve tokens are there once it can")
    func hubDown() async throws {
        let text = try TestToken().text()
        let down = TokenRefusal.brandUnavailable(.hubUnavailable("it does not answer"))
        for _ in 0..<13 {
            let (answer, questions) = await respond(request()) { _ throws(TokenRefusal) in throw down }
            #expect(answer.response == .refused(down) && questions == 1)
        }
        for _ in 0..<12 {
            let (answer, _) = await respond(request()) { _ throws(TokenRefusal) in text }
            #expect(answer.audit.outcome == .granted(key: try named("k1")))
        }
        let (answer, _) = await respond(request()) { _ throws(TokenRefusal) in text }
        #expect(answer.response == .refused(.tooMany(retryAfter: 3600)))
    }

    @Test("A token that comes when its grant is gone is not handed out")
    func grantGoneMeanwhile() async throws {
        let text = try TestToken().text()
        let server = server
        let (answer, questions) = await respond(request()) { _ throws(TokenRefusal) in
            await server.replace(grants: [], from: .keys([]))
            return text
        }
        #expect(questions == 1 && answer.response == .refused(.notAllowed))
    }

    @Test(
        "A hub's token of another reader, brand, audience or time, of a revoked key, or malformed is not handed out"
    )
    func unusableTokenOfHub() async throws {
        let tokens: [(String, ReaderTokensError)] = [
            (
                try TestToken { $0.claims["sub"] = "\"\(String(repeating: "0", count: 32))\"" }.text(),
                .instanceWrong
            ),
            (
                try TestToken {
                    $0.claims["iss"] = "\"arcadia\""
                    $0.header["kid"] = "\"other\""
                    $0.signedWith = "other"
                }.text(), .brandNotOfKey
            ),
            (
                try TestToken {
                    $0.header["kid"] = "\"revoked\""
                    $0.signedWith = "revoked"
                }.text(), .keyRevoked
            ),
            (try TestToken { $0.signedWith = "k2" }.text(), .signatureInvalid),
            (try TestToken { $0.claims["aud"] = "\"another\"" }.text(), .audienceWrong),
            (
                try TestToken(issued: -300, expires: 0).text(), .expired(since: TokenScene.now)
            ),
            (try TestToken(issued: 600, expires: 900).text(), .issuedInFuture),
            ("{}", .notThreeParts),
        ]
        for (text, error) in tokens {
            let (answer, _) = await respond(request()) { _ throws(TokenRefusal) in text }
            #expect(answer.response == .refused(.brandUnavailable(error)))
        }
    }
}

/// How often a hub was asked.
private actor TokenQuestions {
    private(set) var count = 0

    func note() { count += 1 }
}
