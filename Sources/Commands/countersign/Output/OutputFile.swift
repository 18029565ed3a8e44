internal import SystemPackage

/// A file that a command writes, readable by its owner alone.
enum OutputFile {
    static func write(_ bytes: some Sequence<UInt8>, to path: String) throws(CommandFailure) {
        do {
            let file = try FileDescriptor.open(
                FilePath(path), .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
            _ = try file.closeAfter { try file.writeAll(bytes) }
        } catch {
            throw .usage("\(Terminal.safe(path)): \(error)")
        }
    }
}
