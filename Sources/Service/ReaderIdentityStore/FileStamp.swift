internal import Glibc
package import MdocModel

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
