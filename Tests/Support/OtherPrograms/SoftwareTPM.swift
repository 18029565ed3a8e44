import Foundation
import Glibc

/// A TPM 2.0 in software (swtpm), for as long as the value lives.
package final class SoftwareTPM {
    private static let program = "/usr/bin/swtpm"
    private let folder: URL
    private let process: ChildProcess

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
        process = try ChildProcess([
            Self.program, "socket", "--tpm2", "--tpmstate", "dir=\(folder.path)", "--server",
            "type=unixio,path=\(folder.path)/tpm", "--ctrl", "type=unixio,path=\(folder.path)/tpm.ctrl",
            "--flags", "startup-clear",
        ])
        // The server of commands is the last to be set up.
        for _ in 0..<3_000 where !FileManager.default.fileExists(atPath: folder.path + "/tpm") {
            usleep(10_000)
        }
    }

    deinit {
        process.end()
        try? FileManager.default.removeItem(at: folder)
    }
}
