internal import Glibc

/// Reads the files of the kernel below `/sys`, from which devices are found without opening them.
enum SystemFiles {
    /// The longest file that is read, in bytes: the size of a page, which is the limit of the kernel for an
    /// attribute.
    private static let longest = 4096

    /// Returns the names in a folder, in the order of the numbers at their ends. Returns no name if the
    /// folder cannot be read.
    static func names(in folder: String, beginningWith prefix: String) -> [String] {
        guard let stream = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(stream) }
        var found: [(number: Int, name: String)] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name.hasPrefix(prefix), let number = Int(name.dropFirst(prefix.count)) else { continue }
            found.append((number, name))
        }
        return found.sorted { $0.number < $1.number }.map(\.name)
    }

    /// Returns the text of a file without the line feed at its end, or `nil` if the file cannot be read.
    static func text(of path: String) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: longest)
        // The kernel gives a whole attribute in one read.
        let count = unsafe read(descriptor, &buffer, buffer.count)
        guard count >= 0 else { return nil }
        let text = buffer.prefix(count)
        return String(decoding: text.last == UInt8(ascii: "\n") ? text.dropLast() : text, as: UTF8.self)
    }

    /// Returns the path without links, or `nil` if no such file exists.
    static func realPath(_ path: String) -> String? {
        guard let found = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(found) }
        return unsafe String(cString: found)
    }
}
