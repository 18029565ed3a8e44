internal import Glibc
package import MdocModel
package import OpenSSLCrypto
package import PKIX

/// The folder with the identities of this reader, and the rules that choose among them.
///
/// An identity is a folder `identities/NAME` in the store's folder, with two files:
///
/// - `key.pem`: the private key: in PEM, or wrapped by this computer's TPM;
/// - `certificates.pem`: the certificate chain that an authority returned; missing until the chain is
///   imported.
///
/// The file `identities/choice.json` contains the rules (`IdentityRules`).
///
/// Commands create and change identities; the daemon only reads them, and reads them again when `stamps()`
/// returns other stamps than before. Every change runs under a lock that excludes other processes
/// (`changing`), and appears in one step: an interrupted command leaves either the old files or the new ones,
/// never a part. All files belong to the owner alone, and reading refuses a folder that another user may
/// change.
///
/// `StoredIdentity` reads one identity, and `ReaderIdentities` reads the chosen identities. This type never
/// uses a key.
package struct IdentityFolder: Sendable {
    /// The store's folder.
    package let store: String
    /// The folder `identities` in the store's folder.
    package let path: String

    package init(store: String) {
        self.store = store
        path = "\(store)/identities"
    }

    package func keyPath(_ name: IdentityName) -> String { "\(path)/\(name.text)/key.pem" }
    package func certificatesPath(_ name: IdentityName) -> String { "\(path)/\(name.text)/certificates.pem" }
    /// The path of the file with the rules that choose an identity (`identity choose`).
    package var choicePath: String { "\(path)/choice.json" }

    /// Returns the names of the identities, sorted. A folder without a key is not an identity.
    package func names() throws(IdentityStoreError) -> [IdentityName] {
        guard let folder = unsafe opendir(path) else {
            // The folder is created with the first identity.
            guard errno == ENOENT else { throw .fileRefused(path: path, errno: errno) }
            return []
        }
        defer { unsafe closedir(folder) }
        var names: [IdentityName] = []
        while let entry = unsafe readdir(folder) {
            // Glibc's `d_name` has 256 bytes. A zero byte ends the name.
            let text = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if let name = IdentityName(text), has(name) { names.append(name) }
        }
        return names.sorted()
    }

    /// Checks that an identity exists and that only the owner may change its folders. Throws `unknown`,
    /// `exposed` or `ownedByOther`, for example.
    func check(_ name: IdentityName) throws(IdentityStoreError) {
        guard has(name) else { throw .unknown(name.text) }
        for folder in [store, path, "\(path)/\(name.text)"] { try PrivateFile.checkFolder(folder) }
    }

    package func has(_ name: IdentityName) -> Bool {
        unsafe access(keyPath(name), F_OK) == 0
    }

    /// Creates an identity from a key. The identity appears as a whole or not at all. The key file has its
    /// final permissions from the beginning.
    package func create(
        _ name: IdentityName, _ key: borrowing PrivateKey
    ) throws(IdentityStoreError) {
        try changing { () throws(IdentityStoreError) in
            guard !has(name) else { throw .nameTaken(name) }
            // Built under another name and renamed: readers never see an identity without its key.
            try PrivateFile.makeFolder(draft)
            defer { discardDraft() }
            try PrivateFile.create("\(draft)/key.pem", key)
            do throws(IdentityStoreError) {
                try PrivateFile.rename(draft, to: "\(path)/\(name.text)")
            } catch {
                // A folder of this name that has files but no key is not an identity, but it prevents the
                // rename.
                if case .fileRefused(_, ENOTEMPTY) = error { throw .nameTaken(name) }
                throw error
            }
        }
    }

    /// Writes the certificate chain of an identity, and replaces an earlier chain.
    package func keep(_ chain: CertificateChain, for name: IdentityName) throws(IdentityStoreError) {
        let text = chain.certificates.flatMap { PEM.encode($0.der, label: "CERTIFICATE") }
        try changing { () throws(IdentityStoreError) in
            guard has(name) else { throw .unknown(name.text) }
            try PrivateFile.replace(certificatesPath(name), with: text[...])
        }
    }

    /// Runs `body` under the lock of the folder, after removing the remains of an interrupted `create`.
    func changing<R>(_ body: () throws(IdentityStoreError) -> R) throws(IdentityStoreError) -> R {
        try PrivateFile.makeFolder(path)
        try PrivateFile.checkFolder(store)
        let lock = try FolderLock("\(path)/.lock")
        discardDraft()
        defer { lock.release() }
        return try body()
    }

    /// The folder in which `create` builds an identity. A name cannot begin with a dot, so `names()` never
    /// returns this folder.
    private var draft: String { "\(path)/.new" }

    /// Removes the folder of an identity that an interrupted `create` left. Usually there is no such folder.
    /// Errors are therefore ignored.
    private func discardDraft() {
        _ = unsafe unlink("\(draft)/key.pem")
        _ = unsafe rmdir(draft)
    }
}

/// The name of an identity, which is also the name of its folder: 1 to 64 ASCII letters, digits, `-`, `_` and
/// `.`. The first character is a letter or a digit.
package struct IdentityName: Hashable, Comparable, Sendable {
    package let text: String

    /// Creates a name; `nil` if the text is not a valid name.
    package init?(_ text: String) {
        guard (1...64).contains(text.utf8.count), let first = text.utf8.first, first.isASCIIAlphanumeric,
            text.utf8.allSatisfy({ $0.isASCIIAlphanumeric || "-_.".utf8.contains($0) })
        else { return nil }
        self.text = text
    }

    package static func < (one: IdentityName, other: IdentityName) -> Bool { one.text < other.text }
}

extension UInt8 {
    /// Whether this byte is an ASCII letter or digit.
    package var isASCIIAlphanumeric: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}

/// A stamp that differs after any change of a file's contents or permissions, read without opening the file.
package struct FileStamp: Equatable, Sendable {
    /// The inode number, which differs if another file has replaced the file.
    package let inode: UInt
    private let seconds: Int
    private let nanoseconds: Int
    private let size: Int

    package init?(_ path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        inode = UInt(status.st_ino)
        // The time of the inode's last change (ctime). A program can set back the time of the last
        // modification, but not this time.
        (seconds, nanoseconds) = (status.st_ctim.tv_sec, status.st_ctim.tv_nsec)
        size = Int(status.st_size)
    }

    /// The time of the last change.
    package var changed: Timestamp { Timestamp(secondsSince1970: Int64(seconds)) }
}

extension IdentityFolder {
    /// Returns the stamps of all files. The stamps differ after an identity was added, removed or renewed, or
    /// the rules changed.
    package func stamps() throws(IdentityStoreError) -> [FileStamp?] {
        try names().reduce(into: [FileStamp(path), FileStamp(choicePath)]) { stamps, name in
            // The folder's own stamp is included, because an identity is refused if other users may write to
            // its folder.
            stamps += [FileStamp("\(path)/\(name.text)")]
            stamps += [FileStamp(keyPath(name)), FileStamp(certificatesPath(name))]
        }
    }
}

/// A lock on a file, by which processes exclude each other. The system releases the lock if the process ends.
package struct FolderLock: ~Copyable {
    /// The maximum time to wait for another process, in milliseconds.
    private static let timeout = 5_000
    private let file: Int32

    /// Acquires the lock. Throws `busy` if another process holds it for more than 5 seconds.
    package init(_ path: String) throws(IdentityStoreError) {
        let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR)
        guard file >= 0 else { throw .fileRefused(path: path, errno: errno) }
        // flock(2) has no timeout, so the lock is tried every 20 ms.
        var waited = 0
        while flock(file, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            guard code == EWOULDBLOCK || code == EINTR, waited < Self.timeout else {
                close(file)
                throw code == EWOULDBLOCK ? .busy(path: path) : .fileRefused(path: path, errno: code)
            }
            usleep(20_000)
            waited += 20
        }
        self.file = file
    }

    deinit { close(file) }

    /// Releases the lock. Call this function at the end of the locked scope. Without this call the compiler
    /// may destroy the lock after its last use, which would release the lock before the scope ends.
    package borrowing func release() { flock(file, LOCK_UN) }
}
