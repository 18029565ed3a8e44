internal import ArgumentParser
internal import Fleet
internal import FleetHub
internal import JSON
internal import ReaderService
internal import ReaderStore

/// The command `countersign-hub document`, for the signed documents that kiosks follow.
struct DocumentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "document", abstract: "Publish signed documents, and roll them out to the kiosks.",
        subcommands: [DocumentPutCommand.self, DocumentWidenCommand.self, DocumentListCommand.self])
}

/// The command `countersign-hub document widen`. It raises the percentage of kiosks that get the newest
/// document of one chain, site, group or kiosk.
struct DocumentWidenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "widen",
        abstract:
            "Give the newest document to more kiosks, or continue a roll-out that paused after failures.")

    @Option(help: "The level of the document: chain, site, group or kiosk.")
    var level = FleetLevel.chain
    @Argument(help: ArgumentHelp("The name of the chain, site, group or kiosk.", valueName: "name"))
    var name: FleetName
    @Option(help: "The percentage of the document's kiosks that get the document from now on.")
    var percent: Int64
    @OptionGroup var file: ConfigurationArgument

    func validate() throws { try requirePercent(percent) }

    func run() async throws {
        let database = try file.read().openDatabase()
        let isThere = try await asking { () throws(PostgreSQLError) in
            try await database.documents.widen(level, name, percent: percent)
        }
        guard isThere else {
            throw HubFault(
                "there is no document for the \(level.rawValue) \(name): see countersign-hub document list")
        }
    }
}

/// The command `countersign-hub document list`. It prints the newest documents and the progress of their
/// roll-outs.
struct DocumentListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Print the newest document of each chain, site, group and kiosk, one JSON object a line.")

    @OptionGroup var file: ConfigurationArgument

    func run() async throws {
        let database = try file.read().openDatabase()
        let all = try await asking { () throws(PostgreSQLError) in try await database.documents.rollOuts() }
        for document in all { print(document.line) }
    }
}

/// Throws a validation error unless the value of the option `--percent` is from 1 to 100.
private func requirePercent(_ percent: Int64) throws {
    guard (1...100).contains(percent) else { throw ValidationError("--percent takes 1 to 100.") }
}

/// The command `countersign-hub document put`. It publishes a signed document.
struct DocumentPutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "put", abstract: "Publish a signed document, and notify its kiosks.")

    @Argument(help: ArgumentHelp("The file that countersign-hub sign wrote.", valueName: "file"))
    var path: String
    @Option(
        help: "The percentage of the document's kiosks that get it at once. The others keep the previous one."
    )
    var percent: Int64 = 100
    @OptionGroup var file: ConfigurationArgument

    func validate() throws { try requirePercent(percent) }

    func run() async throws {
        let configuration = try file.read()
        let database = try configuration.openDatabase()
        let bytes = try HubFault.contents(of: path)
        let keyring = try configuration.keyring()
        let document = try verified(bytes, for: configuration, by: keyring)
        let outcome = try await asking { () throws(PostgreSQLError) in
            try await database.documents.put(
                // The order of the keys decides whether this document replaces one that another key signed.
                document, among: keyring.keys, percent: percent, at: WallClock.system.now)
        }
        guard case .older(let version) = outcome else { return }
        throw HubFault("\(Terminal.safe(path)): \(FleetDocumentError.older(than: version).explanation)")
    }

    /// Verifies the signature of a document, and checks that the document was signed for the chain in the
    /// hub's configuration.
    private func verified(
        _ bytes: [UInt8], for configuration: HubConfiguration, by keyring: FleetKeyring
    ) throws(HubFault) -> VerifiedFleetDocument {
        do throws(FleetDocumentError) {
            let document = try VerifiedFleetDocument(bytes, by: keyring)
            guard document.document.chain == configuration.chain else { throw .otherChain }
            return document
        } catch {
            throw HubFault("\(Terminal.safe(path)): \(error.explanation) [\(error.id)]")
        }
    }
}
