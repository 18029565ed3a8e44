import Foundation
import GRDB
import MdocModel
import OpenSSLCrypto
import Synchronization
import Testing

@testable import ReaderStore
import WalletPresentation

/// The stores of nonces, each as a server has it.
enum NonceStoreKind: String, CaseIterable, CustomTestStringConvertible {
    case memory, sqlite, postgreSQL

    var testDescription: String { rawValue }

    /// A store of this kind; cancels the test case where there is no database for it.
    func store(
        _ terms: NonceTerms = NonceTerms(), _ time: MonotonicTime = .standing,
        in folder: TemporaryFolder
    ) throws -> any NonceStore {
        switch self {
        case .memory: MemoryNonces(terms, time: time)
        case .sqlite: try SQLiteNonces(in: folder.path, terms, time: time)
        case .postgreSQL:
            if let settings = PostgreSQLBench.settings {
                PostgreSQLNonces(settings, terms, time: time)
            } else {
                try Test.cancel(PostgreSQLBench.absence)
            }
        }
    }
}

extension MonotonicTime {
    /// No time passes but what the test says.
    fileprivate static var standing: MonotonicTime {
        let instant = ContinuousClock.now
        return MonotonicTime { instant }
    }
}

/// A folder that goes with the value.
final class TemporaryFolder: Sendable {
    let path = FileManager.default.temporaryDirectory.appending(path: "countersign-nonces-\(UUID())").path

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// The database of `with-postgresql`.
enum PostgreSQLBench {
    static let settings = ProcessInfo.processInfo.environment["COUNTERSIGN_POSTGRESQL"]
    /// Why what needs it does not run.
    static let absence: Comment = "no database: run Hardware/VirtualBench/with-postgresql swift test …"

    static func control(_ word: String) throws {
        let control = try #require(
            ProcessInfo.processInfo.environment["COUNTERSIGN_POSTGRESQL_CONTROL"])
        let process = try Process.run(URL(filePath: control), arguments: [word])
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(word)")
    }
}

/// Somebody who asks and answers at one time.
struct NonceScene {
    let store: any NonceStore
    let session = SessionBinding(session: "session 1".utf8)
    let stranger = SessionBinding(session: "session 2".utf8)
    let start = Timestamp(secondsSince1970: 1_793_534_400)
    let asked = Array(#"{"intent":"age over 21"}"#.utf8)

    func issue(_ seconds: Int64 = 0) async throws -> PresentationNonce {
        let nonce = try PresentationNonce(randomBytes(PresentationNonce.issuedSize))
        let issued = try await store.issue(
            nonce, to: session, for: .app, asked: asked, at: start.advanced(bySeconds: seconds))
        #expect(issued.nonce == nonce && issued.session == session && issued.channel == .app)
        return nonce
    }

    /// What came of it: `accepted`, or the name of what refused.
    func spend(
        _ nonce: PresentationNonce, by other: SessionBinding? = nil, over channel: PresentationChannel = .app,
        after seconds: Int64 = 0, in another: (any NonceStore)? = nil
    ) async -> String {
        do throws(NonceStoreError) {
            let spent = try await (another ?? store).spend(
                nonce, by: other ?? session, over: channel, at: start.advanced(bySeconds: seconds))
            guard spent.asked == asked else { return "something else was asked" }
            return spent.spentNonce().nonce == nonce ? "accepted" : "another nonce"
        } catch {
            if case .refused(let refusal) = error { return refusal.rawValue }
            return "\(error)"
        }
    }
}

@Suite("Stores of nonces")
struct NonceStoreTests {
    private let folder = TemporaryFolder()

    @Test(arguments: NonceStoreKind.allCases)
    func `A nonce is spent once, and brings what was asked`(_ kind: NonceStoreKind) async throws {
        let scene = NonceScene(store: try kind.store(in: folder))
        let nonce = try await scene.issue()
        #expect(await scene.spend(nonce) == "accepted")
        #expect(await scene.spend(nonce) == "nonce.reused")
    }

    @Test(arguments: NonceStoreKind.allCases)
    func `Who may not have it does not spend it for its owner`(_ kind: NonceStoreKind) async throws {
        let scene = NonceScene(store: try kind.store(in: folder))
        let nonce = try await scene.issue()
        #expect(await scene.spend(nonce, by: scene.stranger) == "nonce.other_session")
        #expect(await scene.spend(nonce, over: .web) == "nonce.other_channel")
        #expect(await scene.spend(try PresentationNonce(randomBytes(32))) == "nonce.unknown")
        #expect(await scene.spend(nonce, after: 300) == "accepted")
        let late = try await scene.issue(300)
        #expect(await scene.spend(late, after: 601) == "nonce.expired")
    }

    @Test(arguments: NonceStoreKind.allCases)
    func `A clock that is set back neither keeps a nonce alive nor stops new nonces`(
        _ kind: NonceStoreKind
    ) async throws {
        let passed = Mutex(Duration.zero)
        let begin = ContinuousClock.now
        let time = MonotonicTime { begin + passed.withLock { $0 } }
        var terms = NonceTerms()
        (terms.capacity, terms.lifetime) = (1, 30)
        let scene = NonceScene(store: try kind.store(terms, time, in: folder))
        if kind == .postgreSQL { try PostgreSQLBench.empty() }
        let nonce = try await scene.issue()
        passed.withLock { $0 = .seconds(31) }
        let yesterday: Int64 = -86_400
        #expect(await scene.spend(nonce, after: yesterday) == "nonce.expired")
        await #expect(throws: NonceStoreError.refused(.tooMany)) { try await scene.issue(yesterday) }
        passed.withLock { $0 = .seconds(61) }
        let next = try await scene.issue(yesterday)
        passed.withLock { $0 = .seconds(91) }
        #expect(await scene.spend(next, after: yesterday) == "accepted")
    }

    @Test(arguments: NonceStoreKind.allCases.filter { $0 != .memory })
    func `What was issued while the clock ran ahead expires with the next start`(
        _ kind: NonceStoreKind
    ) async throws {
        var terms = NonceTerms()
        terms.capacity = 1
        let ahead = NonceScene(store: try kind.store(terms, in: folder))
        if kind == .postgreSQL { try PostgreSQLBench.empty() }
        let nonce = try await ahead.issue(86_400)
        let scene = NonceScene(store: try kind.store(terms, in: folder))
        #expect(await scene.spend(nonce) == "nonce.expired")
        #expect(await scene.spend(try await scene.issue()) == "accepted")
    }

    @Test(arguments: NonceStoreKind.allCases)
    func `Of 100 who spend it at once one is accepted`(_ kind: NonceStoreKind) async throws {
        let scene = NonceScene(store: try kind.store(in: folder))
        for _ in 0..<5 {
            let nonce = try await scene.issue()
            let outcomes = await withTaskGroup(of: String.self) { group in
                for _ in 0..<100 { group.addTask { await scene.spend(nonce) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.count { $0 == "accepted" } == 1)
            #expect(outcomes.count { $0 == "nonce.reused" } == 99)
        }
    }

    @Test(arguments: NonceStoreKind.allCases)
    func `The same nonce is not issued twice, nor more than are kept`(_ kind: NonceStoreKind) async throws {
        var terms = NonceTerms()
        (terms.capacity, terms.lifetime) = (3, 30)
        let scene = NonceScene(store: try kind.store(terms, in: folder))
        if kind == .postgreSQL { try PostgreSQLBench.empty() }
        let nonce = try await scene.issue()
        await #expect(throws: NonceStoreError.refused(.issuedBefore)) {
            try await scene.store.issue(
                nonce, to: scene.stranger, for: .web, asked: [], at: scene.start)
        }
        _ = try await scene.issue(3)
        _ = try await scene.issue(3)
        await #expect(throws: NonceStoreError.refused(.tooMany)) { try await scene.issue(4) }
        // They are remembered for their lifetime after they expired, and then there is room again.
        #expect(await scene.spend(nonce, after: 40) == "nonce.expired")
        _ = try await scene.issue(70)
        #expect(await scene.spend(nonce, after: 70) == "nonce.unknown")
    }

    @Test(arguments: NonceStoreKind.allCases)
    func `No more is kept of what was asked than is bounded`(_ kind: NonceStoreKind) async throws {
        let scene = NonceScene(store: try kind.store(in: folder))
        let nonce = try PresentationNonce(randomBytes(32))
        await #expect(throws: NonceStoreError.askedTooLong) {
            try await scene.store.issue(
                nonce, to: scene.session, for: .app,
                asked: [UInt8](repeating: 0, count: NonceTerms.longestAsked + 1), at: scene.start)
        }
        #expect(await scene.spend(nonce) == "nonce.unknown")
    }

    @Test
    func `What SQLite was told it remembers over an end, and its file is its owner's alone`() async throws {
        var scene = NonceScene(store: try SQLiteNonces(in: folder.path, time: .standing))
        let (spent, open) = (try await scene.issue(), try await scene.issue())
        #expect(await scene.spend(spent) == "accepted")
        scene = NonceScene(store: try SQLiteNonces(in: folder.path, time: .standing))
        #expect(await scene.spend(spent) == "nonce.reused")
        #expect(await scene.spend(open) == "accepted")
        let file = try FileManager.default.attributesOfItem(atPath: folder.path + "/nonces.sqlite")
        #expect(file[.posixPermissions] as? Int == 0o600)
    }

    @Test
    func `Changes that come together are written to SQLite together`() async throws {
        let scene = NonceScene(store: try SQLiteNonces(in: folder.path, time: .standing))
        let nonces = try await withThrowingTaskGroup(of: PresentationNonce.self) { group in
            for _ in 0..<1000 { group.addTask { try await scene.issue() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let outcomes = await withTaskGroup(of: String.self) { group in
            for nonce in nonces { group.addTask { await scene.spend(nonce) } }
            return await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(Set(nonces).count == 1000 && outcomes == ["accepted"])
    }

    @Test
    func `After a sweep that SQLite refused, a full store still issues no nonce`() async throws {
        var terms = NonceTerms()
        terms.capacity = 3
        var scene = NonceScene(store: try SQLiteNonces(in: folder.path, terms, time: .standing))
        for _ in 0..<3 { _ = try await scene.issue() }
        // A store that was opened again does not know the number of nonces before its first sweep.
        scene = NonceScene(store: try SQLiteNonces(in: folder.path, terms, time: .standing))
        let other = try DatabaseQueue(path: folder.path + "/nonces.sqlite")
        try await other.write { try $0.execute(sql: "ALTER TABLE nonce RENAME TO elsewhere") }
        // 1 is SQLITE_ERROR: the table is missing.
        await #expect(throws: NonceStoreError.failed(code: "1")) { try await scene.issue() }
        try await other.write { try $0.execute(sql: "ALTER TABLE elsewhere RENAME TO nonce") }
        await #expect(throws: NonceStoreError.refused(.tooMany)) { try await scene.issue() }
    }
}

@Suite(
    "Nonces in a real PostgreSQL",
    .enabled(if: PostgreSQLBench.settings != nil, PostgreSQLBench.absence),
    .serialized)
struct PostgreSQLNonceTests {
    private let settings = PostgreSQLBench.settings ?? ""

    @Test
    func `What one server issued another spends, and a replay to a third is refused`() async throws {
        let scene = NonceScene(store: PostgreSQLNonces(settings))
        let nonce = try await scene.issue()
        #expect(await scene.spend(nonce, in: PostgreSQLNonces(settings)) == "accepted")
        #expect(await scene.spend(nonce, in: PostgreSQLNonces(settings)) == "nonce.reused")
        #expect(await scene.spend(nonce) == "nonce.reused")
    }

    @Test
    func `Of 100 who spend it at once on four servers one is accepted`() async throws {
        let stores = (0..<4).map { _ in PostgreSQLNonces(settings) }
        let scene = NonceScene(store: stores[0])
        let nonce = try await scene.issue()
        let outcomes = await withTaskGroup(of: String.self) { group in
            for index in 0..<100 { group.addTask { await scene.spend(nonce, in: stores[index % 4]) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { $0 == "accepted" } == 1)
        #expect(outcomes.count { $0 == "nonce.reused" } == 99)
    }

    @Test
    func `A value is a value, whatever is in it`() async throws {
        let store = PostgreSQLNonces(settings)
        let asked = Array("'); DROP TABLE countersign_nonce; --\u{0}\\x".utf8)
        let nonce = try PresentationNonce(Array("' OR ''='".utf8))
        let (session, now) = (SessionBinding(session: [0x27]), Timestamp(secondsSince1970: 1_793_534_400))
        try PostgreSQLBench.empty()
        _ = try await store.issue(nonce, to: session, for: .web, asked: asked, at: now)
        let spent = try await store.spend(nonce, by: session, over: .web, at: now)
        #expect(spent.asked == asked)
    }

    @Test
    func `A database that went away is connected to again, and meanwhile nothing is accepted`() async throws {
        let scene = NonceScene(store: PostgreSQLNonces(settings))
        let nonce = try await scene.issue()
        try PostgreSQLBench.control("stop")
        #expect(await scene.spend(nonce) == "unreachable")
        await #expect(throws: NonceStoreError.unreachable) { try await scene.issue() }
        try PostgreSQLBench.control("start")
        #expect(await scene.spend(nonce) == "accepted")
        #expect(await scene.spend(nonce) == "nonce.reused")
    }

    @Test
    func `A spent nonce stays spent when the database is killed`() async throws {
        let scene = NonceScene(store: PostgreSQLNonces(settings))
        let nonce = try await scene.issue()
        #expect(await scene.spend(nonce) == "accepted")
        try PostgreSQLBench.control("kill")
        try PostgreSQLBench.control("start")
        #expect(await scene.spend(nonce) == "nonce.reused")
    }

    @Test
    func `A database that hangs is waited for no longer than is said`() async throws {
        let scene = NonceScene(store: PostgreSQLNonces(settings))
        let nonce = try await scene.issue()
        try PostgreSQLBench.control("pause")
        let began = ContinuousClock.now
        let outcomes = await withTaskGroup(of: String.self) { group in
            for _ in 0..<40 { group.addTask { await scene.spend(nonce) } }
            return await group.reduce(into: Set()) { $0.insert($1) }
        }
        try PostgreSQLBench.control("resume")
        #expect(outcomes.isSubset(of: ["overdue", "overloaded", "unreachable"]), "\(outcomes)")
        #expect(ContinuousClock.now - began < .seconds(60))
        // Nobody was told that it was spent; whether it is, is the database's to say.
        #expect(["accepted", "nonce.reused"].contains(await scene.spend(nonce)))
    }

    @Test
    func `Where no database is nothing is accepted`() async throws {
        let scene = NonceScene(store: PostgreSQLNonces("host=/nonexistent dbname=none"))
        await #expect(throws: NonceStoreError.unreachable) { try await scene.issue() }
        #expect(await scene.spend(try PresentationNonce([1])) == "unreachable")
        let misspelt = NonceScene(store: PostgreSQLNonces("no such setting"))
        await #expect(throws: NonceStoreError.unreachable) { try await misspelt.issue() }
    }
}

extension PostgreSQLBench {
    /// Takes away what other tests left.
    static func empty() throws {
        let settings = try #require(settings)
        let process = try Process.run(
            URL(filePath: "/usr/bin/psql"),
            arguments: ["-q", settings, "-c", "TRUNCATE countersign_nonce"])
        process.waitUntilExit()
    }
}
