internal import FoundationEssentials
internal import Glibc
internal import Transport

/// The system's files, below a folder that is used as `/`.
struct SystemFolder: Sendable {
    /// Empty for the system's own.
    let root: String

    func path(_ path: String) -> String { root + path }

    func text(of path: String) -> String? { SystemFile.text(of: self.path(path)) }

    func firstWord(of path: String) -> Substring { SystemFile.firstWord(of: self.path(path)) }

    func has(_ path: String) -> Bool { unsafe access(self.path(path), F_OK) == 0 }

    /// Nil when the folder is not there or may not be read.
    func names(in folder: String) -> [String]? {
        try? FileManager.default.contentsOfDirectory(atPath: path(folder)).sorted()
    }
}
