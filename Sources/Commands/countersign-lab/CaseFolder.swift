internal import CommandLineInterface
internal import FoundationEssentials
internal import JSON
internal import MdocWallet

/// A folder in the format of a corpus: a manifest with keys, and either the files of one presentation, or a
/// folder for each of several presentations.
struct CaseFolder {
    private let path: String

    init(_ path: String) {
        self.path = path
    }

    /// Returns the folder of one case of the corpus.
    func folder(of presentation: PresentationCase) -> CaseFolder {
        CaseFolder("\(path)/\(presentation.name)")
    }

    /// Writes the files of a case. Makes the folder if it does not exist.
    func write(_ made: CorpusCase) throws(CommandFailure) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw .usage("\(Terminal.safe(path)): the folder cannot be made")
        }
        for file in made.files { try OutputFile.write(file.bytes, to: "\(path)/\(file.name)") }
    }

    func write(_ manifest: CorpusManifest) throws(CommandFailure) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(manifest) else {
            throw .unavailable("the manifest cannot be encoded")
        }
        try OutputFile.write(json, to: "\(path)/manifest.json")
    }
}

extension CommandFailure {
    static func notMade(_ error: WalletError) -> CommandFailure {
        .unavailable("the presentation cannot be made: \(error)")
    }
}
