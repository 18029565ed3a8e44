internal import ArgumentParser
internal import CommandLineInterface
internal import JSON
internal import MdocModel
internal import ReaderStore

struct ReceiptRenewKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "renew-key",
        abstract: "Make a new key, which signs the next receipts.",
        discussion: """
            The chain continues, and its receipts say which key signed them. The old private key is deleted; its public half \
            stays among those that `export` writes, and the new one joins them with its first receipt.

            \(ExitStatus.table([.success, .usage, .malformed, .unavailable]))
            """)

    @OptionGroup var store: StoreArguments
    @OptionGroup var output: OutputArguments

    func run() throws {
        // A store that is not there is not set up for this.
        _ = try TrustStoreAccess.reading(store.path)
        let id = try TrustStoreAccess.changing(store.path).using { store throws(ReaderStoreError) in
            try store.renewReceiptKey()
        }
        let key = id.bytes.hexadecimal
        let json: JSONValue = ["key": .string(key)]
        Terminal.result(output.json ? json.text : "the next receipt is signed with key \(key)")
    }
}
