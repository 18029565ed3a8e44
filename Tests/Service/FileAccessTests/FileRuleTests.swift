import FileAccess
import Foundation
import Glibc
import Testing

@Suite("Who may read and change a file")
struct FileRuleTests {
    /// Checks a new file with five bytes and these permissions.
    private static func check(_ rule: FileRule, _ mode: mode_t, owner: uid_t? = nil) throws -> Int {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        let file = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        try #require(file >= 0)
        defer {
            close(file)
            _ = unsafe unlink(path)
        }
        try #require(unsafe write(file, [1, 2, 3, 4, 5] as [UInt8], 5) == 5)
        try #require(fchmod(file, mode) == 0)
        if let owner { try #require(fchown(file, owner, owner) == 0) }
        return try rule.check(file)
    }

    @Test(
        "Permissions that the rule allows give the size",
        arguments: [
            (FileRule.secret, [0o600, 0o400, 0o700]), (.unchangeable, [0o600, 0o644, 0o444, 0o755]),
            (.secretOfGroup, [0o600, 0o640, 0o440, 0o400]),
        ] as [(FileRule, [mode_t])])
    func allowed(_ rule: FileRule, _ modes: [mode_t]) throws {
        for mode in modes { #expect(try Self.check(rule, mode) == 5, "\(String(mode, radix: 8))") }
    }

    @Test(
        "Permissions of others are refused, with all permissions of the file",
        arguments: [
            (FileRule.secret, [0o640, 0o604, 0o620, 0o610, 0o601]), (.unchangeable, [0o620, 0o602, 0o666]),
            (.secretOfGroup, [0o644, 0o660, 0o641, 0o642, 0o620]),
        ] as [(FileRule, [mode_t])])
    func exposed(_ rule: FileRule, _ modes: [mode_t]) {
        for mode in modes {
            #expect(throws: FileRule.Fault.exposed(mode: mode)) { try Self.check(rule, mode) }
        }
    }

    @Test("A file of another user is refused, unless it is given by its group")
    func otherOwner() throws {
        guard geteuid() == 0 else {
            // Every user can open this file of root.
            let file = unsafe open("/etc/passwd", O_RDONLY | O_CLOEXEC)
            defer { close(file) }
            #expect(throws: FileRule.Fault.ownedByOther) { try FileRule.unchangeable.check(file) }
            return
        }
        #expect(throws: FileRule.Fault.ownedByOther) { try Self.check(.secret, 0o600, owner: 1) }
        #expect(throws: FileRule.Fault.ownedByOther) { try Self.check(.unchangeable, 0o600, owner: 1) }
        #expect(try Self.check(.secretOfGroup, 0o640, owner: 1) == 5)
    }

    @Test("A folder, a device and a descriptor that is not open are refused")
    func noFile() {
        for path in ["/", "/dev/null"] {
            let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
            defer { close(file) }
            #expect(throws: FileRule.Fault.notAFile) { try FileRule.secretOfGroup.check(file) }
        }
        #expect(throws: FileRule.Fault.unknown(errno: EBADF)) { try FileRule.secret.check(-1) }
    }
}
