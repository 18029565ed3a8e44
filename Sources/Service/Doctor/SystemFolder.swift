internal import FoundationEssentials
internal import Glibc
internal import Transport

/// The system's files, below a folder that is used as `/`.
package struct SystemFolder: Sendable {
    /// Empty for the system's own.
    package let root: String

    package init(root: String) { self.root = root }

    package func path(_ path: String) -> String { root + path }

    package func text(of path: String) -> String? { SystemFile.text(of: self.path(path)) }

    package func firstWord(of path: String) -> Substring { SystemFile.firstWord(of: self.path(path)) }

    package func has(_ path: String) -> Bool { unsafe access(self.path(path), F_OK) == 0 }

    /// Nil when the folder is not there or may not be read.
    package func names(in folder: String) -> [String]? {
        try? FileManager.default.contentsOfDirectory(atPath: path(folder)).sorted()
    }
}
