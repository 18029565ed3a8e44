internal import ArgumentParser
internal import CommandLineInterface
internal import JSON
internal import MdocModel
internal import OpenSSLCrypto
internal import PKIX
internal import ReaderStore
internal import Reports

/// `countersign receipt verify`: checks a chain of receipts up to its end or to the first broken link.
struct ReceiptVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check a chain of receipts and name the first broken link.",
        discussion: """
            Without a file, the receipts of the store are checked with the store's keys. The store also \
            has a signed file with the number and digest of the last receipt (the head). If this receipt is \
            missing, the check fails. An exported file is checked only with the keys that you give; neither \
            the store nor the network is used.

            EXAMPLES:
              countersign receipt verify
              countersign receipt verify receipts.cbor --key receipt-keys.pem

            \(ExitStatus.table([.success, .rejected, .usage, .malformed, .unavailable]))
            """)

    @Argument(help: ArgumentHelp("A file of `countersign receipt export`.", valueName: "file"))
    var file: String?

    @Option(
        name: .long, help: ArgumentHelp("Public keys in PEM, one or more. Repeatable.", valueName: "file"))
    var key: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The digest of a receipt that must be in the chain. Without it, receipts missing at the end are not noticed.",
            valueName: "digest"))
    var head: DigestArgument?

    @OptionGroup var store: StoreArguments
    @OptionGroup var output: OutputArguments

    func validate() throws {
        guard (file == nil) == key.isEmpty else {
            throw ValidationError(
                "Give a file and at least one --key. To verify the receipts of the store, give neither.")
        }
    }

    func run() throws {
        let (verdict, links) = try Progress.during("Verifying the receipts") { () throws(CommandFailure) in
            if let file { try verifyFile(file) } else { try verifyStore() }
        }
        let report = ReceiptChainReport(verdict: verdict, links: links)
        let isBroken = if case .broken = verdict { true } else { false }
        if output.json {
            Terminal.result(report.json.text)
        } else {
            Terminal.result(report.text, in: isBroken ? .red : .green)
        }
        if isBroken { throw ExitCode(ExitStatus.rejected.rawValue) }
    }

    /// Checks an exported chain with the keys of `--key`. Returns the verdict and the number of receipts.
    private func verifyFile(_ file: String) throws(CommandFailure) -> (ReceiptChain.Verdict, Int) {
        let bytes = try InputFile.read(file, limit: ReceiptChain.maximumSize)
        var keys: [ReceiptPublicKey] = []
        for path in key { keys += try ReceiptKeyArguments.publicKeys(path) }
        do throws(ReaderStoreError) {
            let chain = try ReceiptChain(parsing: bytes)
            return (chain.verify(by: keys, expecting: head?.bytes), chain.links.count)
        } catch {
            throw .malformed("\(Terminal.safe(file)): the file is not a chain of receipts")
        }
    }

    /// Checks the chain of the store with the store's keys. Returns the verdict and the number of receipts.
    private func verifyStore() throws(CommandFailure) -> (ReceiptChain.Verdict, Int) {
        let access = try TrustStoreAccess.reading(store.path)
        return try access.using { store throws(ReaderStoreError) in
            try store.verifyReceipts(expecting: head?.bytes)
        }
    }
}

/// The result of checking a chain of receipts, as text and as JSON.
private struct ReceiptChainReport {
    let verdict: ReceiptChain.Verdict
    let links: Int

    var json: JSONValue { verdict.json(links: links) }

    var text: String {
        switch verdict {
        case .intact(0, _): "no receipts, so no link is broken"
        case .intact(let count, let head): "\(count) receipts, unbroken; head: \(head.hexadecimal)"
        case .broken(let place, let fault): "broken at link \(place) of \(links): \(fault.explanation)"
        }
    }
}

/// Reading of the public keys that verify receipts.
private enum ReceiptKeyArguments {
    /// The largest file with keys, in bytes.
    private static let largestFile = 1 << 16

    static func publicKeys(_ path: String) throws(CommandFailure) -> [ReceiptPublicKey] {
        let text = try InputFile.read(path, limit: largestFile)
        guard let blocks = try? PEM.decode(text[...], label: "PUBLIC KEY"), !blocks.isEmpty,
            let keys = try? blocks.map({
                try ReceiptPublicKey(SubjectPublicKeyInfo(der: $0[...]).publicKey())
            })
        else {
            throw .usage("\(Terminal.safe(path)): the file has no public keys of receipts in PEM (EC P-256)")
        }
        return keys
    }
}

/// The argument of `--head`: a SHA-256 digest in hexadecimal.
struct DigestArgument: ExpressibleByArgument {
    let bytes: [UInt8]

    init?(argument: String) {
        guard let bytes = argument.utf8.bytesOfHexadecimal, bytes.count == 32 else { return nil }
        self.bytes = bytes
    }
}
