internal import Glibc

extension ChildProgram {
    /// Returns the path of a program that is installed with the running program: in the same folder or, if it
    /// is not there, in the first folder of `PATH` that has it. Returns `nil` if it is not installed.
    package static func installedPath(of name: String) -> String? {
        ([ownFolder].compactMap(\.self) + searchFolders).map { "\($0)/\(name)" }
            .first { unsafe access($0, X_OK) == 0 }
    }

    private static var ownFolder: String? {
        // The link still names the folder after the program's file was replaced by a newer one.
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
        guard length > 0, let end = buffer[..<length].lastIndex(of: CChar(UInt8(ascii: "/"))) else {
            return nil
        }
        return String(decoding: buffer[..<end].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private static var searchFolders: [String] {
        guard let path = unsafe getenv("PATH") else { return [] }
        // A relative folder in `PATH` would run a program from the working directory.
        let folders = unsafe String(cString: path).split(separator: ":")
        return folders.filter { $0.hasPrefix("/") }.map(String.init)
    }
}
