internal import ArgumentParser
internal import ErrorMapping
internal import Fleet
internal import JSON
internal import MdocModel
internal import OpenSSLCrypto
internal import ReaderIdentityStore
internal import ReaderService
internal import ReaderTokens

extension FleetLevel: ExpressibleByArgument {}

/// The command `countersign-hub sign`. It makes and signs a fleet document without a hub or a database, so
/// that the fleet key can stay on a computer that is not a hub.
struct SignCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign", abstract: "Sign a document for a chain, a site, a group or a kiosk.",
        discussion: """
            Needs neither a hub nor a database. Publish the file with countersign-hub document put.

              countersign-hub sign --key fleet.pem --chain utopia --document-version 3 --trust trust.bundle 3.cose
            """)

    @Argument(help: ArgumentHelp("The file to write.", valueName: "file"))
    var output: String
    @Option(
        help: ArgumentHelp(
            "The file with the fleet key, as PEM or wrapped by this computer's TPM.", valueName: "file"))
    var key: String
    @Option(help: "The chain's name.")
    var chain: FleetName
    @Option(help: "The level of the document: chain, site, group or kiosk.")
    var level = FleetLevel.chain
    @Option(help: "The name of the site, group or kiosk.")
    var name: FleetName?
    @Option(
        help: ArgumentHelp(
            "The document's version. It must be higher than every earlier version for this chain, site, group or kiosk.",
            valueName: "number"))
    var documentVersion: Int64
    @Option(help: ArgumentHelp("The changes to the configuration, as a JSON Merge Patch.", valueName: "file"))
    var configuration: String?
    @Option(help: ArgumentHelp("A trust bundle that the same key signed.", valueName: "file"))
    var trust: String?
    @Option(help: ArgumentHelp("A folder with brands.json and the logos that it names.", valueName: "folder"))
    var brands: String?
    @Option(
        parsing: .upToNextOption,
        help: "The ids of the fleet keys to withdraw. Kiosks with the document no longer accept these keys.")
    var withdraw: [String] = []

    func validate() throws {
        guard (1...FleetDocument.highestVersion).contains(documentVersion) else {
            throw ValidationError("--document-version takes 1 to \(FleetDocument.highestVersion).")
        }
        guard level == .chain || name != nil else {
            throw ValidationError("Give --name: the site, group or kiosk that the document is for.")
        }
    }

    func run() throws {
        // A document for the whole chain has the chain's name. For every other level, `validate()` requires a
        // name.
        var document = FleetDocument(
            chain: chain, level: level, name: level == .chain ? chain : name ?? chain,
            version: documentVersion,
            created: WallClock.system.now)
        document.configuration = try configuration.map(HubFault.contents(of:))
        document.trust = try trust.map(HubFault.contents(of:))
        document.brands = try brands.map(pack)
        document.withdrawn = try withdraw.map { text throws(HubFault) in
            guard let id = FleetKey.ID(text.utf8.bytesOfHexadecimal ?? []) else {
                throw HubFault(
                    "--withdraw: \(Terminal.safe(text, limit: 64)) is not the id of a key: give the 32 hexadecimal digits that countersign-hub authority fleet-key printed"
                )
            }
            return id
        }
        let signer = try mapping(PrivateFile.key(key), \IdentityStoreError.fault)
        let bytes = try mapping(document.sign(with: signer)) { (error: OpenSSLCryptoError) in
            IdentityStoreError.keyUnusable(error).fault
        }
        guard bytes.count <= FleetDocument.maximumSize else {
            throw HubFault(FleetDocumentError.tooLong.explanation)
        }
        // The document is not secret. `replace` writes in one step, so an interruption leaves no incomplete
        // document.
        try mapping(PrivateFile.replace(output, with: bytes[...]), \IdentityStoreError.fault)
    }

    /// Reads the brands and their logos from a folder.
    private func pack(_ folder: String) throws(HubFault) -> FleetBrands {
        try mapping(FleetBrands(BrandFolder(path: folder).bundle())) { (error: BrandRegistryError) in
            HubFault("--brands \(Terminal.safe(folder)): \(error.explanation)")
        }
    }
}
