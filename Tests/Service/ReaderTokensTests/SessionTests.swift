import Foundation
import MdocModel
import OpenSSLCrypto
import ReaderStore
import ReaderTokens
import TestCredentials
import Testing

@Suite("When a token prepares a reader")
struct SessionTests {
    private static let hours: Int64 = 3600

    static let times: [(issued: Int64, expires: Int64, error: ReaderTokensError?)] = [
        (0, 1, nil), (0, 300, nil), (-299, 1, nil), (60, 61, nil), (60, 360, nil),
        (0, 0, .lifetimeNotPositive), (1, 0, .lifetimeNotPositive), (0, 301, .lifetimeTooLong),
        (-1, 300, .lifetimeTooLong), (61, 100, .issuedInFuture), (3600, 3900, .issuedInFuture),
        (-300, 0, .expired(since: TokenScene.now)),
        (-3900, -3600, .expired(since: TokenScene.now.advanced(bySeconds: -3600))),
    ]

    @Test("Issued at most 60 s ahead, for at most 300 s, and not yet over", arguments: times)
    func isTimely(_ issued: Int64, _ expires: Int64, _ error: ReaderTokensError?) async throws {
        let scene = try TokenScene()
        let token = TestToken(issued: issued, expires: expires)
        guard let error else {
            try await scene.prepare(token)
            return
        }
        await #expect(throws: error) { try await scene.prepare(token) }
    }

    @Test("For 48 hours from its first use it prepares again, and then no more")
    func reuse() async throws {
        let scene = try TokenScene()
        let first = try await scene.prepare(TestToken(), after: 10).firstUse
        for later in [11, 300, 3600, 10 + 48 * Self.hours - 1] {
            let again = try await scene.prepare(TestToken(), after: later)
            #expect(again.firstUse == first && again.until == first.advanced(bySeconds: 48 * Self.hours))
        }
        for later in [10 + 48 * Self.hours, 100 * 24 * Self.hours] {
            await #expect(
                throws: ReaderTokensError.sessionExpired(since: first.advanced(bySeconds: 48 * Self.hours))
            ) {
                try await scene.prepare(TestToken(), after: later)
            }
        }
    }

    @Test("A token that was never used before it expired stays refused")
    func neverUsed() async throws {
        let scene = try TokenScene()
        for _ in 0..<2 {
            await #expect(
                throws: ReaderTokensError.expired(since: TokenScene.now.advanced(bySeconds: 300))
            ) { try await scene.prepare(TestToken(), after: 300) }
        }
        // The twin: had it been used in time.
        try await scene.prepare(TestToken(), after: 299)
        try await scene.prepare(TestToken(), after: 300)
    }

    @Test("What was prepared names its identity until the session is over")
    func identity() async throws {
        let prepared = try await TokenScene().prepare(TestToken())
        #expect(try prepared.identity(at: prepared.until.advanced(bySeconds: -1)) == nil)
        #expect(throws: ReaderTokensError.sessionExpired(since: prepared.until)) {
            try prepared.identity(at: prepared.until)
        }
    }

    @Test("A key prepares up to its last instant, and nothing that it signed before is used again after it")
    func notAfter() async throws {
        let scene = try TokenScene()
        var token = TestToken(issued: 3500, expires: 3800)
        token.header["kid"] = "\"late\""
        token.signedWith = "late"
        try await scene.prepare(token, after: 3600)
        let last = TokenScene.now.advanced(bySeconds: 3600)
        await #expect(throws: ReaderTokensError.keyExpired(since: last)) {
            try await scene.prepare(token, after: 3601)
        }
    }

    @Test("A key that is revoked ends the sessions of its tokens, and of no others")
    func revoked() async throws {
        var scene = try TokenScene()
        let other = TestToken {
            $0.header["kid"] = "\"k2\""
            $0.signedWith = "k2"
        }
        try await scene.prepare(TestToken())
        try await scene.prepare(other)
        try scene.registry.revoke(named("k1"))
        await #expect(throws: ReaderTokensError.keyRevoked) {
            try await scene.prepare(TestToken(), after: 60)
        }
        try await scene.prepare(other, after: 60)
    }

    @Test("The other signature that anybody can make of one begins no session of its own")
    func malleable() async throws {
        let scene = try TokenScene()
        let text = try TestToken().text()
        let mirrored = try Self.mirrored(text)
        #expect(mirrored != text)
        let first = try await scene.verifier.prepare(text, at: TokenScene.now)
        let second = try await scene.verifier.prepare(mirrored, at: TokenScene.now.advanced(bySeconds: 200))
        #expect(second.firstUse == first.firstUse)
    }

    /// The token with n − s in place of s.
    private static func mirrored(_ token: String) throws -> String {
        let order: [UInt8] = [
            0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xbc, 0xe6,
            0xfa,
            0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51,
        ]
        let point = try #require(token.lastIndex(of: "."))
        var signature = try #require(Base64URL.decode(token[token.index(after: point)...].utf8))
        var borrow = 0
        for index in (0..<32).reversed() {
            let difference = Int(order[index]) - Int(signature[32 + index]) - borrow
            borrow = difference < 0 ? 1 : 0
            signature[32 + index] = UInt8(difference + 256 * borrow)
        }
        return String(token[...point]) + Base64URL.encode(signature)
    }

    @Test("First uses outlast the process, in the store; two processes know one first use")
    func restart() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "countersign-tokens-\(UUID())")
            .path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func scene() throws -> TokenScene {
            var scene = try TokenScene()
            scene.firstUses = try ReaderStore(at: folder, for: .changing)
            return scene
        }
        let first = try await scene().prepare(TestToken(), after: 5)
        #expect(first.firstUse == TokenScene.now.advanced(bySeconds: 5))
        #expect(try await scene().prepare(TestToken(), after: 24 * Self.hours).firstUse == first.firstUse)
        await #expect(throws: ReaderTokensError.sessionExpired(since: first.until)) {
            try await scene().prepare(TestToken(), after: 5 + 48 * Self.hours)
        }
        // Long after, it is forgotten that it was used, and still it prepares nothing.
        try await scene().prepare(
            TestToken(issued: 40 * 86_400, expires: 40 * 86_400 + 9), after: 40 * 86_400)
        await #expect(throws: ReaderTokensError.expired(since: TokenScene.now.advanced(bySeconds: 300))) {
            try await scene().prepare(TestToken(), after: 40 * 86_400)
        }
    }

    @Test("A store that remembers nothing prepares nothing")
    func noMemory() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "countersign-tokens-\(UUID())")
            .path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = try ReaderStore(at: folder, for: .changing)
        var scene = try TokenScene()
        scene.firstUses = try ReaderStore(at: folder, for: .reading)
        await #expect(throws: ReaderTokensError.firstUseUnknown(.notPermitted)) {
            try await scene.prepare(TestToken())
        }
    }
}
