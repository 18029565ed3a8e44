internal import Glibc

extension ChildProgram {
    /// Returns the path of a program that is installed with the running program: in the same folder or, if it
    /// is not there, in the first folder of `PATH` that has it. Returns `nil` if it is not installed.
    package static func installedPath(of name: String) -> String? {
        ([ownFolder].compactMap(\.self) + searchFolders).map { "\($0)/\(name)" }
            .first { unsafe access($0, X_OK) == 0 }
    }

    private static var ownFolder: String? {
        guard let path = unsafe realpath("/proc/self/exe", nil) else { return nil }
        defer { unsafe free(path) }
        let text = unsafe String(cString: path)
        return text.lastIndex(of: "/").map { String(text[..<$0]) }
    }

    private static var searchFolders: [String] {
        guard let path = unsafe getenv("PATH") else { return [] }
        // A relative folder in `PATH` would run a program from the working directory.
        let folders = unsafe String(cString: path).split(separator: ":")
        return folders.filter { $0.hasPrefix("/") }.map(String.init)
    }
}
