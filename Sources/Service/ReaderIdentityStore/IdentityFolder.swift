internal import Glibc
package import MdocModel
package import OpenSSLCrypto
package import PKIX

/// Where the identities of this reader are: a folder for each, with its key and its certificates, and the rules that
/// choose among them. All of it is its owner's alone.
package struct IdentityFolder: Sendable {
    /// The folder of all that Countersign keeps.
    package let store: String
    /// `identities` in it.
    package let path: String

    package init(store: String) {
        self.store = store
        path = "\(store)/identities"
    }

    package func keyPath(_ name: IdentityName) -> String { "\(path)/\(name.text)/key.pem" }
    package func certificatesPath(_ name: IdentityName) -> String { "\(path)/\(name.text)/certificates.pem" }
    package var choicePath: String { "\(path)/choice.json" }

    /// The identities in the folder, by name. An entry without a key is not an identity.
    package func names() throws(IdentityStoreError) -> [IdentityName] {
        guard let folder = unsafe opendir(path) else {
            guard errno == ENOENT else { throw .fileRefused(path: path, errno: errno) }
            return []
        }
        defer { unsafe closedir(folder) }
        var names: [IdentityName] = []
        while let entry = unsafe readdir(folder) {
            let text = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if let name = IdentityName(text), has(name) { names.append(name) }
        }
        return names.sorted()
    }

    /// Throws `unknown`, and what is wrong with who may change its folder.
    func check(_ name: IdentityName) throws(IdentityStoreError) {
        guard has(name) else { throw .unknown(name.text) }
        for folder in [store, path, "\(path)/\(name.text)"] { try PrivateFile.checkFolder(folder) }
    }

    package func has(_ name: IdentityName) -> Bool {
        unsafe access(keyPath(name), F_OK) == 0
    }

    /// Makes an identity of a key, which is never on the disk but under its final permissions. The folder is put
    /// together under another name: an identity is there as a whole, or not at all.
    package func create(
        _ name: IdentityName, _ key: borrowing PrivateKey
    ) throws(IdentityStoreError) {
        try changing { () throws(IdentityStoreError) in
            guard !has(name) else { throw .nameTaken(name) }
            try PrivateFile.makeFolder(draft)
            defer { discardDraft() }
            try PrivateFile.create("\(draft)/key.pem", key)
            do throws(IdentityStoreError) {
                try PrivateFile.rename(draft, to: "\(path)/\(name.text)")
            } catch {
                if case .fileRefused(_, ENOTEMPTY) = error { throw .nameTaken(name) }
                throw error
            }
        }
    }

    /// Keeps the certificates of an identity in place of those it had.
    package func keep(_ chain: CertificateChain, for name: IdentityName) throws(IdentityStoreError) {
        let text = chain.certificates.flatMap { PEM.encode($0.der, label: "CERTIFICATE") }
        try changing { () throws(IdentityStoreError) in
            guard has(name) else { throw .unknown(name.text) }
            try PrivateFile.replace(certificatesPath(name), with: text[...])
        }
    }

    /// Runs `body` while no other process changes anything here, after removing what an interrupted one left.
    func changing<R>(_ body: () throws(IdentityStoreError) -> R) throws(IdentityStoreError) -> R {
        try PrivateFile.makeFolder(path)
        try PrivateFile.checkFolder(store)
        let lock = try FolderLock("\(path)/.lock")
        discardDraft()
        defer { lock.release() }
        return try body()
    }

    private var draft: String { "\(path)/.new" }

    private func discardDraft() {
        _ = unsafe unlink("\(draft)/key.pem")
        _ = unsafe rmdir(draft)
    }
}

/// What an operator calls an identity: fit for a folder's name and for a line of text. 1 to 64 of the letters and digits
/// of ASCII, `-`, `_` and `.`, the first a letter or a digit.
package struct IdentityName: Hashable, Comparable, Sendable {
    package let text: String

    /// Nil if the text is not a valid name.
    package init?(_ text: String) {
        guard (1...64).contains(text.utf8.count), let first = text.utf8.first, first.isASCIIAlphanumeric,
            text.utf8.allSatisfy({ $0.isASCIIAlphanumeric || "-_.".utf8.contains($0) })
        else { return nil }
        self.text = text
    }

    package static func < (one: IdentityName, other: IdentityName) -> Bool { one.text < other.text }
}

extension UInt8 {
    /// Whether it is a letter or a digit of ASCII.
    package var isASCIIAlphanumeric: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}

/// Distinguishes one state of a file or folder from another without reading it. Any change of its contents or
/// permissions gives another stamp.
package struct FileStamp: Equatable, Sendable {
    /// Another one where another file was put in its place.
    package let inode: UInt
    private let seconds: Int
    private let nanoseconds: Int
    private let size: Int

    package init?(_ path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        inode = UInt(status.st_ino)
        // Of the change, not of the contents: nobody can set it back.
        (seconds, nanoseconds) = (status.st_ctim.tv_sec, status.st_ctim.tv_nsec)
        size = Int(status.st_size)
    }

    /// When it was changed.
    package var changed: Timestamp { Timestamp(secondsSince1970: Int64(seconds)) }
}

extension IdentityFolder {
    /// Another one as soon as an identity was added, removed or renewed, or another was chosen.
    package func stamps() throws(IdentityStoreError) -> [FileStamp?] {
        try names().reduce(into: [FileStamp(path), FileStamp(choicePath)]) { stamps, name in
            stamps += [FileStamp("\(path)/\(name.text)")]
            stamps += [FileStamp(keyPath(name)), FileStamp(certificatesPath(name))]
        }
    }
}

/// A lock among processes, as long as it is held; the system gives it up for a process that dies.
package struct FolderLock: ~Copyable {
    /// How long another process may take, in milliseconds.
    private static let timeout = 5_000
    private let file: Int32

    /// Throws `busy` where another process holds it for longer than it should.
    package init(_ path: String) throws(IdentityStoreError) {
        let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR)
        guard file >= 0 else { throw .fileRefused(path: path, errno: errno) }
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

    /// Marks how long it is held.
    package borrowing func release() { flock(file, LOCK_UN) }
}
