internal import CommandLineInterface
internal import ErrorMapping
internal import FoundationEssentials
internal import JSON
internal import MdocModel
internal import MdocWallet

/// A folder in the corpus's format: the files of one presentation, and a manifest with its keys.
struct CaseFolder {
    private let path: String

    init(_ path: String) {
        self.path = path
    }

    func write(_ arguments: WalletArguments, at now: Timestamp) throws(CommandFailure) {
        let made = try mapping(CorpusCase(arguments.presentation, at: now, instant: .now)) {
            (error: WalletError) in CommandFailure.unavailable("the presentation cannot be made: \(error)")
        }
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw .usage("\(Terminal.safe(path)): the folder cannot be made")
        }
        for file in made.files { try OutputFile.write(file.bytes, to: "\(path)/\(file.name)") }
        let manifest = CorpusManifest(
            verifyAt: "\(now)", portraitSize: arguments.portraitSize, cases: [made.entry])
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(manifest) else {
            throw .unavailable("the manifest cannot be encoded")
        }
        try OutputFile.write(json, to: "\(path)/manifest.json")
    }
}
