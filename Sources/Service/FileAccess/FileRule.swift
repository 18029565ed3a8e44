internal import Glibc

/// The condition under which the contents of a file are trusted: who owns the file, and who else may read or change it.
///
/// The condition is checked on an open file, so that nobody can put another file in its place between check and read.
package struct FileRule: Sendable {
    /// The reason for which a file is refused.
    package enum Fault: Error, Equatable, Sendable {
        /// The system does not tell the owner and the permissions.
        case unknown(errno: Int32)
        /// The descriptor is a folder, a device or a pipe.
        case notAFile
        /// Another user owns the file, and could change it.
        case ownedByOther
        /// The file has permission bits that the rule forbids. The value has all its permission bits.
        case exposed(mode: UInt32)
    }

    /// The rule of a secret that only this program's user may read and change.
    package static let secret = FileRule(forbidden: 0o077, mustBeOwn: true)
    /// The rule of a file that everybody may read, and only this program's user may change.
    package static let unchangeable = FileRule(forbidden: 0o022, mustBeOwn: true)
    /// The rule of a secret that another user, such as root, lets this program read by the group of the file.
    package static let secretOfGroup = FileRule(forbidden: 0o027, mustBeOwn: false)

    /// The permission bits that must not be set.
    private let forbidden: UInt32
    private let mustBeOwn: Bool

    private init(forbidden: UInt32, mustBeOwn: Bool) {
        self.forbidden = forbidden
        self.mustBeOwn = mustBeOwn
    }

    /// Checks an open file.
    ///
    /// - Returns: the size of the file in bytes.
    package func check(_ descriptor: Int32) throws(Fault) -> Int {
        var facts = stat()
        guard unsafe fstat(descriptor, &facts) == 0 else { throw .unknown(errno: errno) }
        guard facts.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
        guard !mustBeOwn || facts.st_uid == geteuid() else { throw .ownedByOther }
        guard facts.st_mode & forbidden == 0 else { throw .exposed(mode: facts.st_mode & 0o7777) }
        return Int(facts.st_size)
    }
}
