import MdocModel
import OpenSSLCrypto
import ReaderTokens
import TestCredentials
import Testing

@Suite("The token server")
struct TokenServerTests {
    private let scene: TokenScene
    private let server: TokenServer
    private let utopia: TokenText
    private let other: ReaderInstance

    init() async throws {
        scene = try TokenScene()
        utopia = try named("utopia")
        other = try #require(ReaderInstance([UInt8](repeating: 7, count: 16)))
        server = try await Self.server(scene, key: "k1", utopia, [scene.instance, other])
    }

    private static func server(
        _ scene: TokenScene, key: String, _ brand: TokenText, _ instances: Set<ReaderInstance>
    ) async throws -> TokenServer {
        let signer = try ReaderTokenSigner(
            TokenScene.signingKey(key), named(key), of: brand)
        return await server(scene, brand, instances, [signer])
    }

    private static func server(
        _ scene: TokenScene, _ brand: TokenText, _ instances: Set<ReaderInstance>,
        _ signers: [ReaderTokenSigner]
    ) async -> TokenServer {
        let server = TokenServer(audience: scene.audience)
        await server.replace(
            grants: [TokenGrant(caller: "till", brand: brand, instances: instances)], signers: signers)
        return server
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
        let server = try await Self.server(scene, key: key, utopia, [scene.instance])
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
            let server = await Self.server(scene, utopia, [scene.instance], signers)
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
            signers: [signer])
        #expect(await respond(request(other)) == .refused(.notAllowed))
        #expect(await respond(request()) == .refused(.tooMany(retryAfter: 3600)))
        await server.replace(grants: [], signers: [signer])
        #expect(await respond(request()) == .refused(.notAllowed))
    }

    @Test("A key that is revoked signs nothing more that is handed out")
    func revoked() async throws {
        var registry = scene.registry
        try registry.revoke(named("k1"))
        let answer = await server.respond(to: request(), believing: registry, at: TokenScene.now)
        #expect(answer.response == .refused(.brandUnavailable(.keyRevoked)))
    }
}
