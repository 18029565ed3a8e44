import Foundation
import Glibc

/// A TPM 2.0 in software (swtpm), for as long as the value lives.
package final class SoftwareTPM {
    private static let program = "/usr/bin/swtpm"
    private let folder: URL
    private let process: pid_t

    /// Whether there is a swtpm, and OpenSSL's provider for TPMs.
    package static var isThere: Bool {
        guard FileManager.default.isExecutableFile(atPath: program) else { return false }
        let libraries = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib")) ?? []
        return libraries.contains {
            FileManager.default.fileExists(atPath: "/usr/lib/\($0)/ossl-modules/tpm2.so")
        }
    }

    package static let missing = "no software TPM here: apt install swtpm tpm2-openssl"

    /// What `TPM2OPENSSL_TCTI` has to be.
    package var address: String { "swtpm:path=\(folder.path)/tpm" }

    /// Starts it; it is ready when this returns.
    package init() throws {
        // A socket's path may have 107 characters.
        folder = URL(filePath: "/tmp/tpm-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        process = try Self.spawn([
            "socket", "--tpm2", "--tpmstate", "dir=\(folder.path)", "--server",
            "type=unixio,path=\(folder.path)/tpm", "--ctrl", "type=unixio,path=\(folder.path)/tpm.ctrl",
            "--flags", "startup-clear",
        ])
        // The server of commands is the last to be set up.
        for _ in 0..<3_000 where !FileManager.default.fileExists(atPath: folder.path + "/tpm") {
            usleep(10_000)
        }
    }

    deinit {
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
        try? FileManager.default.removeItem(at: folder)
    }

    private static func spawn(_ arguments: [String]) throws -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for file in Int32(0)...2 {
            unsafe posix_spawn_file_actions_addopen(&actions, file, "/dev/null", O_RDWR, 0)
        }
        // The threads of this process block signals; the TPM is to hear those that end it.
        var attributes = posix_spawnattr_t()
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var words = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var child: pid_t = 0
        let failure = unsafe posix_spawn(&child, program, &actions, &attributes, &words, environ)
        guard failure == 0 else { throw POSIXError(POSIXErrorCode(rawValue: failure) ?? .EIO) }
        return child
    }
}
