internal import Glibc

/// Reads the files of the kernel below `/sys`, from which devices are found without opening them.
enum SystemFiles {
    /// The longest file that is read, in bytes: the size of a page, which is the limit of the kernel for an
    /// attribute.
    static let longest = 4096

    /// The maximum number of names of a folder that are read.
    private static let mostNames = 4096

    /// Returns the names in a folder, in the order of the numbers at their ends. Returns no name if the
    /// folder cannot be read.
    static func names(in folder: String, beginningWith prefix: String) -> [String] {
        names(in: folder).compactMap { name -> (number: Int, name: String)? in
            guard name.hasPrefix(prefix), let number = Int(name.dropFirst(prefix.count)) else { return nil }
            return (number, name)
        }.sorted { $0.number < $1.number }.map(\.name)
    }

    /// Returns the sorted names in a folder, without those that begin with a full stop. Returns no name if the
    /// folder cannot be read.
    static func names(in folder: String) -> [String] {
        guard let stream = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(stream) }
        var found: [String] = []
        while found.count < mostNames, let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { found.append(name) }
        }
        return found.sorted()
    }

    /// Returns the text of a file without the line feed at its end, or `nil` if the file cannot be read.
    static func text(of path: String, upTo limit: Int = longest) -> String? {
        bytes(of: path, upTo: limit).map { bytes in
            String(decoding: bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...], as: UTF8.self)
        }
    }

    /// Returns the bytes of a file, or `nil` if the file cannot be read.
    static func bytes(of path: String, upTo limit: Int = longest) -> [UInt8]? {
        // Without O_NONBLOCK, a pipe in place of the file would block the thread.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: limit)
        // The kernel gives a whole attribute in one read.
        let count = unsafe read(descriptor, &buffer, buffer.count)
        return count >= 0 ? Array(buffer.prefix(count)) : nil
    }

    /// Returns the path without links, or `nil` if no such file exists.
    static func realPath(_ path: String) -> String? {
        guard let found = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(found) }
        return unsafe String(cString: found)
    }
}
