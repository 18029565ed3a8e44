internal import CommandLineInterface
internal import FoundationEssentials
internal import Glibc
internal import JSON
internal import SystemPackage

/// Copies of the issuers' certificates and lists, in a folder beside the configuration.
///
/// The answers and the printed commands contain the path of the issuers' files for later runs. In a folder
/// such as `/tmp`, another user could put other certificates at the path of a deleted file. Setup therefore
/// copies files in such a folder, and the answers contain the path of the copies.
struct SetupIssuers {
    /// The folder with the copies.
    let folder: String

    init(beside file: SetupFile) { folder = file.issuers }

    /// Replaces the copies by a copy of `source`. Of a folder, only files that `countersign trust import`
    /// reads are copied. The daemon's user can read the copies; only the user who runs setup can change them.
    func copy(_ source: String) throws(CommandFailure) {
        // All files are read before the former copies are removed, because `source` may be this folder.
        var files: [[UInt8]] = []
        let skipped = try TrustFiles.each(
            at: source, ending: SourceFiles.endings, limit: SourceFiles.largestFile
        ) { contents, _ in
            files.append(contents)
            return nil
        }
        skipped.forEach { Terminal.message("note: \($0)") }
        do {
            if FileManager.default.fileExists(atPath: folder) {
                try FileManager.default.removeItem(atPath: folder)
            }
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        } catch {
            throw .usage(
                "\(Terminal.safe(folder)): the folder cannot be made; run the command as root, or give another file with --config"
            )
        }
        for (number, contents) in zip(1..., files) {
            // The import detects the kind of a file from its contents, not from its name.
            try SetupFile.writeForDaemon(contents, at: "\(folder)/\(number).der", isPublic: true)
        }
    }

    /// Returns whether every user of this computer can change the file or folder at a path, or create it anew
    /// after it was deleted.
    static func canBeReplaced(_ path: String) -> Bool {
        var part = FilePath(FileManager.default.currentDirectoryPath).pushing(FilePath(path))
            .lexicallyNormalized()
        if part.starts(with: FilePath(FileManager.default.temporaryDirectory.path)) { return true }
        repeat {
            var status = stat()
            // An absent part is skipped: a folder above it decides who can create it.
            if unsafe stat(part.string, &status) == 0, status.st_mode & S_IWOTH != 0 { return true }
        } while part.removeLastComponent()
        return false
    }
}
