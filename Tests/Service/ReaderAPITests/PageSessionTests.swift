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

    // MARK: Words

    private static let place = PagePlace(.kiosk, lane: "one")

    /// Whether these words are refused.
    private static func isRefused(
        _ words: String, by sessions: PageSessions, under rules: AccessRules = rules,
        at now: ContinuousClock.Instant
    ) -> Bool {
        do throws(APIProblem) {
            _ = try sessions.redeem(words: words, under: rules, at: now)
            return false
        } catch {
            return error == .pageWordsRefused
        }
    }

    @Test("Sign-in words work once within 10 minutes, in upper or lower case and with any separators")
    func words() throws {
        let sessions = try Self.sessions()
        let caller = try #require(Self.rules.tokens.first?.caller)
        let made = ContinuousClock.now
        func words() throws -> String { try sessions.makeWords(for: Self.place, by: caller, at: made) }
        let first = try words()
        #expect(first.split(separator: "-").count == 3)
        let typed = " " + first.uppercased().replacing("-", with: "  ") + "\n"
        let taken = try sessions.redeem(words: typed, under: Self.rules, at: made + .seconds(599))
        #expect(taken.place == Self.place && taken.cookie.utf8.count == 64)
        #expect(Self.isRefused(first, by: sessions, at: made))
        let late = try words()
        #expect(Self.isRefused(late, by: sessions, at: made + .seconds(600)))
        let withdrawn = try words()
        #expect(Self.isRefused(withdrawn, by: sessions, under: AccessRules(), at: made))
        // They were used up all the same.
        #expect(Self.isRefused(withdrawn, by: sessions, at: made))
    }

    @Test("Five wrong tries invalidate all open sign-in words, and four do not", arguments: [4, 5])
    func wrongTries(count: Int) throws {
        let sessions = try Self.sessions()
        let caller = try #require(Self.rules.tokens.first?.caller)
        let now = ContinuousClock.now
        // Tries while no words are open count nothing.
        for _ in 0..<9 { #expect(Self.isRefused("no-such-words", by: sessions, at: now)) }
        let first = try sessions.makeWords(for: Self.place, by: caller, at: now)
        let second = try sessions.makeWords(for: Self.place, by: caller, at: now)
        for number in 1...count {
            var hasEnded = false
            #expect(throws: APIProblem.pageWordsRefused) {
                try sessions.redeem(words: "no-such-words", under: Self.rules, at: now) { hasEnded = true }
            }
            #expect(hasEnded == (number == 5))
        }
        #expect(Self.isRefused(first, by: sessions, at: now) == (count == 5))
        #expect(Self.isRefused(second, by: sessions, at: now) == (count == 5))
        // New words have five tries again.
        let fresh = try sessions.makeWords(for: Self.place, by: caller, at: now)
        for _ in 1...4 { #expect(Self.isRefused("no-such-words", by: sessions, at: now)) }
        #expect(!Self.isRefused(fresh, by: sessions, at: now))
    }

    @Test("A right try in between forgives no wrong ones while other words are open")
    func interruptedTries() throws {
        let sessions = try Self.sessions()
        let caller = try #require(Self.rules.tokens.first?.caller)
        let now = ContinuousClock.now
        let open = try sessions.makeWords(for: Self.place, by: caller, at: now)
        let other = try sessions.makeWords(for: Self.place, by: caller, at: now)
        for _ in 1...4 { #expect(Self.isRefused("no-such-words", by: sessions, at: now)) }
        #expect(!Self.isRefused(other, by: sessions, at: now))
        #expect(Self.isRefused("no-such-words", by: sessions, at: now))
        #expect(Self.isRefused(open, by: sessions, at: now))
    }

    @Test("A caller has four open words: the oldest go, and another caller's stay")
    func manyWords() throws {
        var rules = Self.rules
        rules.tokens.append(
            .init(name: "other", sha256: Array(repeating: 8, count: 32), scopes: [.screen]))
        let sessions = try Self.sessions()
        let callers = rules.tokens.map(\.caller)
        let now = ContinuousClock.now
        let other = try sessions.makeWords(for: Self.place, by: callers[1], at: now)
        let words = try (0..<5).map { _ in try sessions.makeWords(for: Self.place, by: callers[0], at: now) }
        #expect(Self.isRefused(words[0], by: sessions, under: rules, at: now))
        for open in words.dropFirst() + [other] {
            #expect(!Self.isRefused(open, by: sessions, under: rules, at: now))
        }
    }

    @Test("Only a caller who may open the page makes words for it, and no page does")
    func wordsForbidden() throws {
        let sessions = try Self.sessions()
        let caller = try #require(Self.rules.tokens.first?.caller)
        for (place, caller) in [
            (PagePlace(.clerk, lane: "one"), caller), (PagePlace.owner, caller),
            (Self.place, caller.at(Self.place)),
        ] {
            #expect(throws: APIProblem.forbidden) { try sessions.makeWords(for: place, by: caller) }
        }
    }

    @Test("1024 words of three to six letters, of which no two differ in one letter only")
    func list() {
        let list = PairingWords.list
        let words = Set(list)
        #expect(list.count == 1024 && words.count == 1024 && list == list.sorted())
        for word in words {
            #expect((3...6).contains(word.count) && PairingWords.folded(word) == word, "\(word)")
        }
        var masked: Set<String> = []
        for word in words {
            for index in word.indices {
                let (before, after) = (word[..<index], word[word.index(after: index)...])
                #expect(masked.insert("\(before)?\(after)").inserted, "\(word) and another word")
                #expect(!words.contains("\(before)\(after)"), "\(word) without a letter")
            }
        }
    }
}
