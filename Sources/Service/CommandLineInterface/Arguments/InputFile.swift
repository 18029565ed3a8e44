internal import JSON
internal import SystemPackage

package enum InputFile {
    /// The default limit for a message, in bytes.
    package static let messageLimit = 1 << 20

    /// The whole file. One that cannot be read is wrong usage, one longer than `limit` bytes malformed.
    package static func read(_ path: String, limit: Int = messageLimit) throws(CommandFailure) -> [UInt8] {
        let bytes: [UInt8]
        do {
            let file = try FileDescriptor.open(FilePath(path), .readOnly)
            bytes = try file.closeAfter { try contents(of: file, upTo: limit + 1) }
        } catch {
            throw .usage("\(Terminal.safe(path)): \(error)")
        }
        guard bytes.count <= limit else {
            throw .malformed("\(Terminal.safe(path)): longer than \(limit) bytes")
        }
        return bytes
    }

    private static func contents(of file: FileDescriptor, upTo limit: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < limit {
            let wanted = min(limit - bytes.count, 1 << 16)
            let chunk = try unsafe [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
                count = try unsafe file.read(into: UnsafeMutableRawBufferPointer(buffer))
            }
            guard !chunk.isEmpty else { break }
            bytes += chunk
        }
        return bytes
    }
}
