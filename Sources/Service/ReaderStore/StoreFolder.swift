internal import Glibc

/// The folder of a store: what only its owner may write, and only its owner may read.
struct StoreFolder {
    let path: String
    /// The file in it that is meant.
    var name = "countersign.sqlite"

    var file: String { "\(path)/\(name)" }

    /// The folder with a file in it, both made where they are missing.
    func create() throws(ReaderStoreError) {
        try makeFolders()
        try inspect(path)
        let descriptor = unsafe open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR)
        guard descriptor >= 0 else { throw Self.error(errno) }
        close(descriptor)
        try inspect(file)
    }

    /// Makes sure that folder and file are there, and that nobody else can have written to them.
    func inspectAll() throws(ReaderStoreError) {
        try inspect(path)
        try inspect(file)
    }

    private func makeFolders() throws(ReaderStoreError) {
        var made = path.hasPrefix("/") ? "" : "."
        for part in path.split(separator: "/") {
            made += "/\(part)"
            guard unsafe mkdir(made, S_IRWXU) != 0, errno != EEXIST else { continue }
            throw Self.error(errno)
        }
    }

    private func inspect(_ path: String) throws(ReaderStoreError) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw Self.error(errno) }
        guard status.st_uid == geteuid() || status.st_uid == 0 else { throw .ownedByAnother }
        guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else { throw .writableByOthers }
    }

    private static func error(_ code: Int32) -> ReaderStoreError {
        switch code {
        case ENOENT, ENOTDIR: .absent
        case ENOSPC, EDQUOT: .noSpace
        default: .notPermitted
        }
    }
}
