internal import Glibc

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
