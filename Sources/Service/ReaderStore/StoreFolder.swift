internal import Glibc

/// The folder of a store, and one database file in it. Only the owner may write to the folder and the file.
/// The file is created with access for the owner only.
struct StoreFolder {
    let path: String
    /// The name of the database file.
    var name = "countersign.sqlite"

    var file: String { "\(path)/\(name)" }

    /// Creates the folder and the file if they are missing, and inspects both.
    func create() throws(ReaderStoreError) {
        try makeFolders()
        try inspect(path)
        // SQLite would create the file with the permissions that the umask leaves.
        let descriptor = unsafe open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR)
        guard descriptor >= 0 else { throw Self.error(errno) }
        close(descriptor)
        try inspect(file)
    }

    /// Checks that folder and file exist, and that no other user may write to them.
    func inspectAll() throws(ReaderStoreError) {
        try inspect(path)
        try inspect(file)
    }

    /// Creates the folder and missing folders above it, with access for the owner only.
    private func makeFolders() throws(ReaderStoreError) {
        var made = path.hasPrefix("/") ? "" : "."
        for part in path.split(separator: "/") {
            made += "/\(part)"
            // A folder that exists already is no error. `inspect` checks the store's own folder afterwards.
            guard unsafe mkdir(made, S_IRWXU) != 0, errno != EEXIST else { continue }
            throw Self.error(errno)
        }
    }

    /// Refuses a path that another user owns or may write to.
    private func inspect(_ path: String) throws(ReaderStoreError) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw Self.error(errno) }
        // Root may own the path, because root can change every file anyway.
        guard status.st_uid == geteuid() || status.st_uid == 0 else { throw .ownedByAnother }
        guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else { throw .writableByOthers }
    }

    /// Returns the error for an errno of the system.
    private static func error(_ code: Int32) -> ReaderStoreError {
        switch code {
        case ENOENT, ENOTDIR: .absent
        case ENOSPC, EDQUOT: .noSpace
        default: .notPermitted
        }
    }
}
