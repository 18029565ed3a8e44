import Foundation
import Testing

@testable import PresentationService
@testable import ReaderAPI

@Suite("Codes of the pages")
struct PageSessionTests {
    private static let rules: AccessRules = {
        var rules = AccessRules()
        rules.tokens = [.init(name: "page", sha256: Array(repeating: 7, count: 32), scopes: [.screen])]
        return rules
    }()

    private static func sessions() throws -> PageSessions {
        let folder = FileManager.default.temporaryDirectory.appending(path: "pages-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try PageSessions(store: folder.path)
    }

    @Test("A code works for 60 s and no longer, and not where its token was taken away meanwhile")
    func deadline() throws {
        let sessions = try Self.sessions()
        let caller = try #require(Self.rules.tokens.first?.caller)
        let place = PagePlace(.kiosk, lane: "one")
        let made = ContinuousClock.now
        func code() throws -> String { try sessions.makeCode(for: place, by: caller, at: made) }
        let first = try code()
        let taken = try sessions.redeem(first, under: Self.rules, at: made + .seconds(59))
        #expect(taken.place == place && taken.cookie.utf8.count == 64)
        let late = try code()
        #expect(throws: APIProblem.pageCodeRefused) {
            try sessions.redeem(late, under: Self.rules, at: made + .seconds(60))
        }
        let withdrawn = try code()
        #expect(throws: APIProblem.pageCodeRefused) {
            try sessions.redeem(withdrawn, under: AccessRules(), at: made)
        }
    }

    @Test("So many codes wait and no more: the oldest goes")
    func many() throws {
        let sessions = try Self.sessions()
        let caller = try #require(Self.rules.tokens.first?.caller)
        let now = ContinuousClock.now
        let codes = try (0..<65).map { _ in
            try sessions.makeCode(for: PagePlace(.kiosk, lane: "one"), by: caller, at: now)
        }
        #expect(throws: APIProblem.pageCodeRefused) {
            try sessions.redeem(codes[0], under: Self.rules, at: now)
        }
        #expect(try sessions.redeem(codes[1], under: Self.rules, at: now).place.lane == "one")
    }
}
