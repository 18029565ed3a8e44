internal import CommandLineInterface
internal import Glibc
internal import JSON
internal import SystemPackage

/// The file of `--save-portrait`: opened and emptied before the phone is asked, and removed unless a verified
/// portrait was received.
final class PortraitFile {
    private let path: String
    private let file: FileDescriptor
    private var isKept = false

    init(_ path: String) throws(CommandFailure) {
        self.path = path
        file = try OutputFile.open(path)
    }

    deinit {
        try? file.close()
    }

    /// Writes the portrait, or says that none came.
    func keep(_ portrait: ArraySlice<UInt8>?) throws(CommandFailure) {
        guard let portrait else {
            return Terminal.note(
                "note: no verified portrait was returned; \(Terminal.safe(path)) is not written")
        }
        do {
            _ = try file.writeAll(portrait)
        } catch {
            throw .usage("\(Terminal.safe(path)): \(error)")
        }
        isKept = true
    }

    /// Removes the file if nothing was written to it. Something other than a file, such as a terminal, stays.
    func discardUnlessKept() {
        var status = stat()
        guard !isKept, unsafe fstat(file.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return
        }
        _ = unsafe unlink(path)
    }
}
