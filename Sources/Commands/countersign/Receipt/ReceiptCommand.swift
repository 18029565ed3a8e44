internal import ArgumentParser

/// `countersign receipt`: what can be shown of checks that were made.
struct ReceiptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receipt",
        abstract: "Show, export and verify receipts: proof of checks, without personal data.",
        discussion: """
            A receipt says when and where was asked for what, the answer, and by what it was judged; nothing about whose \
            document it was. Each is signed and holds the digest of the one before it, so that none can be changed, taken \
            out or put in unseen. That the last ones were cut off shows only to who knows a digest of one of them: note \
            the head now and then, elsewhere.

            EXAMPLES:
              countersign receipt list
              countersign receipt export receipts.cbor --public-keys receipt-keys.pem
              countersign receipt verify receipts.cbor --key receipt-keys.pem
            """,
        subcommands: [
            ReceiptListCommand.self, ReceiptShowCommand.self, ReceiptExportCommand.self,
            ReceiptVerifyCommand.self, ReceiptRenewKeyCommand.self,
        ])
}
