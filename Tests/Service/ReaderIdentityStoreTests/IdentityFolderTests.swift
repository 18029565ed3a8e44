import Foundation
import Glibc
import OpenSSLCrypto
import Testing

@testable import ReaderIdentityStore

/// A store in a folder that goes with its owner.
final class Store {
    let path: String
    let folder: IdentityFolder

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "identities-\(UUID())").path
        folder = IdentityFolder(store: path)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    static func mode(_ path: String) throws -> mode_t {
        var status = stat()
        try #require(unsafe lstat(path, &status) == 0, "\(path)")
        return status.st_mode & 0o7777
    }

    func write(_ text: String, _ path: String, mode: mode_t = 0o600) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
        try #require(unsafe chmod(path, mode) == 0)
    }
}

@Suite("The folder of identities")
struct IdentityFolderTests {
    let store: Store
    let folder: IdentityFolder
    let counter: IdentityName

    init() throws {
        store = try Store()
        folder = store.folder
        counter = try #require(IdentityName("counter"))
    }

    private var everything: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
    }

    @Test("A key is its owner's alone, also in folders that are, whatever the process lets others have")
    func permissions() throws {
        let mask = umask(0)
        defer { umask(mask) }
        try folder.create(counter, PrivateKey.generate(.p256))
        #expect(try Store.mode(folder.keyPath(counter)) == 0o600)
        for path in [store.path, folder.path, folder.path + "/counter"] {
            #expect(try Store.mode(path) == 0o700, "\(path)")
        }
        #expect(try everything == [".lock", "counter"])
        #expect(try folder.names() == [counter])
    }

    @Test("The key that is read is the one that was made", arguments: [Curve.p256, .brainpoolP320r1, .p521])
    func key(_ curve: Curve) throws {
        let key = try PrivateKey.generate(curve)
        try folder.create(counter, key)
        let read = try StoredIdentity.key(of: counter, in: folder)
        #expect(read.encodedPoint == key.encodedPoint && read.curve == curve)
    }

    @Test("An identity is not overwritten, and neither is anything else that bears its name")
    func taken() throws {
        let key = try PrivateKey.generate(.p256)
        try folder.create(counter, key)
        #expect(throws: IdentityStoreError.nameTaken(counter)) {
            try folder.create(counter, PrivateKey.generate(.p256))
        }
        #expect(try StoredIdentity.key(of: counter, in: folder).encodedPoint == key.encodedPoint)
        let other = try #require(IdentityName("other"))
        try store.write("", folder.path + "/other")
        #expect(throws: IdentityStoreError.fileRefused(path: folder.path + "/other", errno: ENOTDIR)) {
            try folder.create(other, PrivateKey.generate(.p256))
        }
        #expect(try everything == [".lock", "counter", "other"])
        #expect(try folder.names() == [counter])
    }

    @Test("What an interrupted init left is no identity, and gone with the next one")
    func interrupted() throws {
        try folder.create(#require(IdentityName("first")), PrivateKey.generate(.p256))
        try FileManager.default.createDirectory(
            atPath: folder.path + "/.new", withIntermediateDirectories: false)
        try store.write("half a key", folder.path + "/.new/key.pem")
        try FileManager.default.createDirectory(
            atPath: folder.path + "/counter", withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        #expect(try folder.names().map(\.text) == ["first"])
        #expect(throws: IdentityStoreError.unknown("counter")) { try StoredIdentity(counter, in: folder) }
        try folder.create(counter, PrivateKey.generate(.p256))
        #expect(try everything == [".lock", "counter", "first"])
        #expect(try folder.names().map(\.text) == ["counter", "first"])
    }

    @Test(
        "A key that others can read or write is refused, and accepted after its permissions are corrected",
        arguments: [mode_t(0o640), 0o604, 0o620, 0o602, 0o644, 0o666])
    func exposed(_ mode: mode_t) throws {
        try folder.create(counter, PrivateKey.generate(.p256))
        let path = folder.keyPath(counter)
        try #require(unsafe chmod(path, mode) == 0)
        #expect(throws: IdentityStoreError.exposed(path: path, mode: mode)) {
            try StoredIdentity(counter, in: folder)
        }
        #expect(throws: IdentityStoreError.exposed(path: path, mode: mode)) {
            try StoredIdentity.key(of: counter, in: folder).curve
        }
        try #require(unsafe chmod(path, 0o400) == 0)
        #expect(try StoredIdentity.key(of: counter, in: folder).curve == .p256)
    }

    @Test(
        "A folder in which others could put another key is refused",
        arguments: ["", "/identities", "/identities/counter"])
    func exposedFolder(_ place: String) throws {
        try folder.create(counter, PrivateKey.generate(.p256))
        let path = store.path + place
        try #require(unsafe chmod(path, 0o770) == 0)
        #expect(throws: IdentityStoreError.exposed(path: path, mode: 0o770)) {
            try StoredIdentity(counter, in: folder)
        }
        // To look is not to change.
        try #require(unsafe chmod(path, 0o755) == 0)
        #expect(try StoredIdentity(counter, in: folder).residence == .memory)
    }

    @Test("A symbolic link in place of a key file is refused, and so is another user's key")
    func foreign() throws {
        try folder.create(counter, PrivateKey.generate(.p256))
        let path = folder.keyPath(counter)
        if geteuid() == 0 {
            try #require(unsafe chown(path, 12_345, 12_345) == 0)
            #expect(throws: IdentityStoreError.ownedByOther(path: path)) {
                try StoredIdentity(counter, in: folder)
            }
            try #require(unsafe chown(path, 0, 0) == 0)
        }
        try FileManager.default.moveItem(atPath: path, toPath: path + ".moved")
        try FileManager.default.createSymbolicLink(
            atPath: path, withDestinationPath: path + ".moved")
        #expect(throws: IdentityStoreError.fileRefused(path: path, errno: ELOOP)) {
            try StoredIdentity(counter, in: folder)
        }
    }

    @Test("A key file that holds none is refused as such")
    func noKey() throws {
        try folder.create(counter, PrivateKey.generate(.p256))
        for text in [
            "", "no key", "-----BEGIN TSS2 PRIVATE KEY-----\n", "-----BEGIN PRIVATE KEY-----\nAAAA\n",
        ] {
            try store.write(text, folder.keyPath(counter))
            #expect(throws: IdentityStoreError.keyUnusable(.pemMalformed), "\(text)") {
                try StoredIdentity.key(of: counter, in: folder).curve
            }
        }
    }

    @Test("There is nobody before the first, and no folder is made by looking")
    func empty() throws {
        #expect(try folder.names().isEmpty)
        #expect(!FileManager.default.fileExists(atPath: store.path))
    }

    @Test(
        "Names are fit for folders and lines",
        arguments: ["", ".", "..", ".new", "a/b", "a b", "ä", "-a", "a\n", String(repeating: "a", count: 65)])
    func names(_ text: String) throws {
        #expect(IdentityName(text) == nil)
        #expect(IdentityName("Counter-1_b.c") != nil)
        #expect(IdentityName(String(repeating: "a", count: 64)) != nil)
    }

    @Test(
        "The folder that is flushed is the one that holds the entry",
        arguments: [
            ("key.pem", "."), ("/key.pem", "/"), ("keys/key.pem", "keys"), ("/srv/keys/key.pem", "/srv/keys"),
        ])
    func flushedFolder(_ path: String, _ folder: String) {
        #expect(PrivateFile.folder(of: path) == folder)
    }
}
