import Foundation
import GRDB
import MdocModel
import MdocTrust
import TestCredentials
import Testing

@testable import ReaderStore

@Suite("Reader tokens in the store")
struct TokenTests {
    let folder: StoreFixture
    let store: ReaderStore
    static let now = Timestamp(secondsSince1970: TestAuthority.now)
    static let token = [UInt8](repeating: 1, count: 32)

    init() throws {
        folder = try StoreFixture()
        store = try ReaderStore(at: folder.path, for: .changing)
    }

    @Test("A reader's identifier is drawn once, for all processes, and another store has another")
    func instance() async throws {
        let path = folder.path
        let drawn = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<8 {
                group.addTask { try ReaderStore(at: path, for: .changing).readerInstanceBytes() }
            }
            return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
        }
        let identifier = try #require(drawn.first)
        #expect(drawn.count == 1 && identifier.count == 16)
        #expect(try ReaderStore(at: path, for: .changing).readerInstanceBytes() == identifier)
        let other = try StoreFixture()
        #expect(try ReaderStore(at: other.path, for: .changing).readerInstanceBytes() != identifier)
    }

    @Test("The first use is the one that is remembered, whoever comes later")
    func firstUse() throws {
        #expect(try store.firstTokenUse(Self.token, orNow: nil) == nil)
        #expect(try store.firstTokenUse(Self.token, orNow: Self.now) == Self.now)
        let later = Self.now.advanced(bySeconds: 60)
        let again = try ReaderStore(at: folder.path, for: .changing)
        #expect(try again.firstTokenUse(Self.token, orNow: later) == Self.now)
        #expect(try again.firstTokenUse(Self.token, orNow: nil) == Self.now)
        #expect(try again.firstTokenUse([UInt8](repeating: 2, count: 32), orNow: later) == later)
    }

    @Test("Uses are forgotten 30 days after, not before")
    func forgotten() throws {
        let other = [UInt8](repeating: 2, count: 32)
        _ = try store.firstTokenUse(Self.token, orNow: Self.now)
        let last = Self.now.advanced(bySeconds: ReaderStore.firstUsesKept)
        _ = try store.firstTokenUse(other, orNow: last)
        #expect(try store.firstTokenUse(Self.token, orNow: nil) == Self.now)
        _ = try store.firstTokenUse([UInt8](repeating: 3, count: 32), orNow: last.advanced(bySeconds: 1))
        #expect(try store.firstTokenUse(Self.token, orNow: nil) == nil)
        #expect(try store.firstTokenUse(other, orNow: nil) == last)
    }

    @Test(
        "A store from before there were tokens takes them, and one that made their tables itself loses nothing"
    )
    func earlierStore() throws {
        let names = ["reader_instance", "token_first_use"]
        #expect(try tables() == names)
        let identifier = try store.readerInstanceBytes()
        _ = try store.firstTokenUse(Self.token, orNow: Self.now)
        for name in ["presentation", "output"] { try write("DROP TABLE \(name)") }
        try write("PRAGMA user_version = 3")
        let again = try ReaderStore(at: folder.path, for: .changing)
        #expect(try again.readerInstanceBytes() == identifier)
        #expect(try again.firstTokenUse(Self.token, orNow: nil) == Self.now)
        for name in names + ["presentation", "output"] { try write("DROP TABLE \(name)") }
        try write("PRAGMA user_version = 3")
        let bare = try ReaderStore(at: folder.path, for: .changing)
        #expect(try tables() == names)
        #expect(try bare.firstTokenUse(Self.token, orNow: Self.now) == Self.now)
    }

    private func write(_ sql: String) throws {
        try DatabaseQueue(path: folder.file).write { try $0.execute(sql: sql) }
    }

    private func tables() throws -> [String] {
        try DatabaseQueue(path: folder.file).read {
            try String.fetchAll(
                $0,
                sql: """
                    SELECT name FROM sqlite_master WHERE name IN ('reader_instance', 'token_first_use')
                    ORDER BY name
                    """)
        }
    }
}
