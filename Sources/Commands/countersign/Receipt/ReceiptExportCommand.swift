internal import ArgumentParser
internal import CommandLineInterface
internal import JSON
internal import MdocModel
internal import OpenSSLCrypto
internal import ReaderStore

struct ReceiptExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write all receipts to one file, as they were signed.",
        discussion: """
            The file is a chain that `countersign receipt verify` checks anywhere. The public keys are for whoever checks \
            it; let them come by another way than the file.

            EXAMPLE:
              countersign receipt export receipts.cbor --public-keys receipt-keys.pem

            \(ExitStatus.table([.success, .usage, .malformed, .unavailable]))
            """)

    @Argument(help: ArgumentHelp("The file to write.", valueName: "file"))
    var file: String

    @Option(
        name: .long,
        help: ArgumentHelp("Write the public halves of the keys to this file, as PEM.", valueName: "file"))
    var publicKeys: String?

    @OptionGroup var store: StoreArguments
    @OptionGroup var output: OutputArguments

    func run() throws {
        let access = try TrustStoreAccess.reading(store.path)
        let chain = try access.using { store throws(ReaderStoreError) in try store.receiptChain() }
        let keys = try access.using { store throws(ReaderStoreError) in try store.receiptKeys() }
        try OutputFile.write(chain.encoded(), to: file)
        if let publicKeys { try OutputFile.write(Self.pem(of: keys), to: publicKeys) }
        let head = chain.head?.hexadecimal
        let json: JSONValue = [
            "receipts": .integer(Int64(chain.links.count)), "head": JSONValue(head),
            "keys": .array(keys.map { .string($0.id.bytes.hexadecimal) }),
        ]
        Terminal.result(
            output.json
                ? json.text
                : "\(Terminal.safe(file)): \(chain.links.count) receipts"
                    + (head.map { "; head: \($0)" } ?? ""))
    }

    private static func pem(of keys: [ReceiptPublicKey]) throws(CommandFailure) -> [UInt8] {
        do throws(OpenSSLCryptoError) {
            var text: [UInt8] = []
            for key in keys { text += try key.pem() }
            return text
        } catch {
            throw .malformed("a key of receipts cannot be written: \(error.explanation)")
        }
    }
}
