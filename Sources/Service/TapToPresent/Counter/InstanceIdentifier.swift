internal import Foundation
internal import Glibc

/// The name of this reader among all: drawn once, kept in a file of the store's folder.
struct InstanceIdentifier {
    let text: String

    private static let length = 36

    /// Throws `serviceUnavailable` where the folder cannot be written to or the file is not ours.
    init(in folder: String) throws(MobileDocumentReaderError) {
        let path = "\(folder)/reader-instance"
        if let text = Self.read(path) {
            self.text = text
            return
        }
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        Self.create(path, UUID().uuidString.lowercased())
        // Of two processes that begin at once, the first to finish named the reader.
        guard let text = Self.read(path) else {
            throw .serviceUnavailable(.identityUnavailable(id: "instance.unusable"))
        }
        self.text = text
    }

    private static func read(_ path: String) -> String? {
        guard let file = FileHandle(forReadingAtPath: path),
            let bytes = try? file.read(upToCount: length + 1), bytes.count == length
        else { return nil }
        return UUID(uuidString: String(decoding: bytes, as: UTF8.self))?.uuidString.lowercased()
    }

    /// Whole or not at all, and never over another.
    private static func create(_ path: String, _ text: String) {
        let draft = "\(path).\(getpid())"
        guard
            FileManager.default.createFile(
                atPath: draft, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        else { return }
        _ = unsafe link(draft, path)
        _ = unsafe unlink(draft)
    }
}
