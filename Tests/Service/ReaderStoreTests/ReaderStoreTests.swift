import Foundation
import GRDB
import MdocModel
import MdocTrust
import Testing

@testable import ReaderStore

/// The store on disk: what it gives back is what was put in, or a named error.
@Suite("The store of a reader")
struct ReaderStoreTests {
    let folder: StoreFixture

    init() throws {
        folder = try StoreFixture()
    }

    @Test("Without a store there is a named error, and none is made by looking")
    func absent() throws {
        #expect(throws: ReaderStoreError.absent) { try ReaderStore(at: folder.path, for: .reading) }
        #expect(!FileManager.default.fileExists(atPath: folder.path))
        _ = try ReaderStore(at: folder.path, for: .changing)
        let store = try ReaderStore(at: folder.path, for: .reading)
        #expect(throws: ReaderStoreError.empty) { try store.currentTrust() }
        #expect(try store.currentTrustIfAny() == nil)
    }

    @Test("Folder and file are their owner's alone")
    func permissions() throws {
        _ = try ReaderStore(at: folder.path, for: .changing)
        #expect(try folder.mode(of: folder.path) == 0o700)
        #expect(try folder.mode(of: folder.file) == 0o600)
    }

    @Test("A folder or file that other users may write is refused", arguments: [0o722, 0o720, 0o702])
    func writableByOthers(_ mode: Int) throws {
        _ = try ReaderStore(at: folder.path, for: .changing)
        for path in [folder.path, folder.file] {
            try folder.setMode(mode, of: path)
            #expect(throws: ReaderStoreError.writableByOthers) {
                try ReaderStore(at: folder.path, for: .reading)
            }
            #expect(throws: ReaderStoreError.writableByOthers) {
                try ReaderStore(at: folder.path, for: .changing)
            }
            try folder.setMode(0o700, of: path)
        }
        _ = try ReaderStore(at: folder.path, for: .reading)
    }

    @Test(
        "A file of another user is refused",
        .enabled(if: geteuid() == 0, "only root can give a file to another user"))
    func ownedByAnother() throws {
        _ = try ReaderStore(at: folder.path, for: .changing)
        try FileManager.default.setAttributes([.ownerAccountID: 1], ofItemAtPath: folder.file)
        #expect(throws: ReaderStoreError.ownedByAnother) {
            try ReaderStore(at: folder.path, for: .reading)
        }
    }

    @Test(
        "A file that is none of ours is refused, whatever it is", arguments: [[], [0x41], Array("SQL".utf8)])
    func foreignBytes(_ bytes: [UInt8]) throws {
        try folder.place(bytes + [UInt8](repeating: 0x20, count: bytes.isEmpty ? 0 : 5000))
        #expect(throws: ReaderStoreError.notAStore) { try ReaderStore(at: folder.path, for: .reading) }
    }

    @Test("Another program's database is refused and left as it is; one of a later version as well")
    func foreignDatabase() throws {
        try folder.place([])
        let queue = try DatabaseQueue(path: folder.file)
        try queue.write { try $0.execute(sql: "CREATE TABLE notes (text TEXT)") }
        for access in [ReaderStore.Access.reading, .changing] {
            #expect(throws: ReaderStoreError.notAStore) {
                try ReaderStore(at: folder.path, for: access)
            }
        }
        let tables = try queue.read { try String.fetchAll($0, sql: "SELECT name FROM sqlite_master") }
        #expect(tables == ["notes"])
    }

    @Test("A store of a later version is not guessed at")
    func laterVersion() throws {
        let later = ReaderStore.version + 1
        _ = try ReaderStore(at: folder.path, for: .changing)
        try DatabaseQueue(path: folder.file).write { try $0.execute(sql: "PRAGMA user_version = \(later)") }
        for access in [ReaderStore.Access.reading, .changing] {
            #expect(throws: ReaderStoreError.versionUnknown(later)) {
                try ReaderStore(at: folder.path, for: access)
            }
        }
    }

    @Test("A process that holds the store too long is reported as that, and before it the store can be read")
    func busy() throws {
        let store = try ReaderStore(at: folder.path, for: .changing)
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let holder = try DatabaseQueue(path: folder.file, configuration: configuration)
        try holder.inDatabase { try $0.execute(sql: "BEGIN EXCLUSIVE") }
        #expect(throws: ReaderStoreError.busy) {
            try ReaderStore(at: folder.path, for: .reading, waiting: 0.05).trustHistory()
        }
        try holder.inDatabase { try $0.execute(sql: "ROLLBACK") }
        #expect(try store.trustHistory().isEmpty)
    }
}

/// A folder for a store, which goes with its owner.
final class StoreFixture {
    let path: String
    private let parent: String

    init() throws {
        parent = FileManager.default.temporaryDirectory.appending(path: "countersign-store-\(UUID())").path
        path = "\(parent)/deep/store"
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: parent) }

    var file: String { "\(path)/countersign.sqlite" }

    func place(_ bytes: [UInt8]) throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try Data(bytes).write(to: URL(filePath: file))
        try setMode(0o600, of: file)
    }

    func contents() throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: file))) }

    func mode(of path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    func setMode(_ mode: Int, of path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }
}
