internal import ArgumentParser
internal import BlueZTransport
internal import COSE
internal import CommandLineInterface
internal import ErrorMapping
internal import FoundationEssentials
internal import JSON
internal import MdocModel
internal import MdocSession
internal import MdocWallet
internal import OpenSSLCrypto
internal import SoftwarePhone
internal import Transport
internal import WalletPresentation

/// The command `countersign-lab wallet`. It runs the software wallet on a virtual reader, on the bench link
/// or over Bluetooth. It can also let the wallet answer an app or a web page, or write a presentation as
/// files.
struct WalletCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wallet",
        abstract: "Act as a phone, for tests and for developers without a phone.",
        usage: """
            countersign-lab wallet --listen tcp://127.0.0.1:PORT --root FILE [options]
            countersign-lab wallet --card tcp://127.0.0.1:35963 --root FILE [--listen tcp://127.0.0.1:PORT] [options]
            countersign-lab wallet --ble --root FILE [--card tcp://127.0.0.1:35963] [options]
            countersign-lab wallet --write FOLDER [options]
            countersign-lab wallet --envelope F --merchant-id ID --team-id ID --nonce N --key K --element E… --root FILE
            countersign-lab wallet --web-request F --origin O --web-response F --root FILE [options]
            """,
        discussion: """
            Acts as a phone with a test licence of an invented person. A new issuer signs the licence at each start, so \
            no reader trusts it. --root writes the issuer's root certificate, for `countersign request --trust`. \
            --issuer keeps the issuer in a folder, so that its root is imported once and later starts use it again.

            Choose how the reader reaches the wallet:
              --listen         by the TCP bench link, one reader after another
              --card           by a tap on a virtual reader of vsmartcard-vpcd
              --card --listen  by a tap that engages; the bench link then carries the session
              --ble            by Bluetooth, after a tap with --card or with the printed QR code
              --write          in memory; all messages and the private keys are written to a folder
              --envelope       as an app that asks through PassKit
              --web-request    as a page that calls `navigator.credentials.get`

            With --card and --listen, each tap is for one connection to the bench link. The connection may be open before \
            the tap. --ble needs a Bluetooth adapter of this computer.

            With --web-request -, the wallet reads a page's requests from standard input, one in each line, and writes \
            each answer as a line to standard output. `countersign verify` has the same options.

            Standard output first gets the address of the bench link, and then the text of each QR code.

            EXAMPLES:
              countersign-lab wallet --listen tcp://127.0.0.1:7000 --root iaca.der --profile apple
              countersign-lab wallet --listen tcp://127.0.0.1:7000 --issuer issuer --root iaca.der
              countersign-lab wallet --write case --portrait-size 22600
              countersign-lab wallet --web-request request.json --origin https://shop.example \\
                  --web-response response.txt --root iaca.der

            \(ExitStatus.table([.success, .incomplete, .usage, .malformed, .unavailable]))
            """)

    @Option(
        name: .long,
        help: ArgumentHelp("Listen for the bench link at this address.", valueName: "tcp://host:port"))
    var listen: EndpointArgument?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Tap the virtual reader whose card port has this address.", valueName: "tcp://host:port"))
    var card: EndpointArgument?

    @Flag(name: .long, help: "Answer over Bluetooth, with an adapter of this computer.")
    var ble = false

    @Option(
        name: .long, help: ArgumentHelp("The Bluetooth adapter (default: the first).", valueName: "hci0"))
    var adapter: String?

    @Option(name: .long, help: ArgumentHelp("Write a presentation into this folder.", valueName: "folder"))
    var write: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Write the test issuer's root to this file, in DER.", valueName: "file"))
    var root: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Keep the test issuer's root and its key in this folder, and use them again at later starts. The folder is made if it does not exist.",
            valueName: "folder"))
    var issuer: String?

    @Option(name: .long, help: "Stop after this many readers. With 0, run until interrupted.")
    var readers = 0

    @OptionGroup(title: "To answer an app")
    var app: AppArguments

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The file with the merchant's private key, for which the envelope is sealed: PEM or a hexadecimal scalar. - is standard input.",
            valueName: "file"))
    var key: String?

    @OptionGroup(title: "To answer a web page")
    var web: WebArguments

    @OptionGroup(title: "The phone")
    var wallet: WalletArguments

    @OptionGroup var clock: ClockArguments

    func validate() throws {
        let ways = [
            write != nil, listen != nil || card != nil || ble, app.envelope != nil, web.webRequest != nil,
        ]
        guard ways.count(where: { $0 }) == 1 else {
            throw ValidationError(
                "Give one of these: --listen, --card (or both), --ble, --write, --envelope or --web-request.")
        }
        try validateChannels()
        guard !ble || listen == nil else {
            throw ValidationError("Give either --ble or --listen.")
        }
        guard ble || adapter == nil else { throw ValidationError("--adapter needs --ble.") }
        if ble {
            guard card != nil || wallet.presentation.handover == .qr else {
                throw ValidationError(
                    "--ble without --card cannot use an NFC handover: give --card, or --handover qr.")
            }
            guard wallet.presentation.profile.hasBluetooth, wallet.psm == nil else {
                throw ValidationError("--ble needs a profile with Bluetooth, and cannot be given with --psm.")
            }
        }
        guard issuer == nil || write == nil else {
            throw ValidationError("--write writes the files of a new issuer: leave out --issuer.")
        }
        guard issuer == nil || wallet.presentation.issuing.usesPlainRoot else {
            throw ValidationError(
                "--fault \(wallet.fault ?? "") needs a root of its own: leave out --issuer.")
        }
        guard readers >= 0 else { throw ValidationError("--readers takes 0 or more.") }
    }

    /// Checks the options for answering an app or a web page.
    private func validateChannels() throws {
        guard (app.envelope != nil) == (key != nil) else {
            throw ValidationError("Give --envelope and --key together.")
        }
        guard app.envelope == nil || !app.elements.isEmpty else {
            throw ValidationError("--envelope needs at least one --element.")
        }
        guard web.encryptionInfo == nil else {
            throw ValidationError(
                "--web-request contains encryptionInfo already: leave out --encryption-info.")
        }
        guard (web.webRequest == nil || web.webRequest == "-") == (web.webResponse == nil) else {
            throw ValidationError(
                "Give --web-response with --web-request FILE, but not with --web-request -.")
        }
    }

    func run() async throws {
        let now = try clock.now()
        if let write { return try writePresentation(into: CaseFolder(write), at: now) }
        var root: TestIssuerRoot?
        if let issuer { root = try IssuerFolder(issuer).root(at: now) }
        let presented = try wallet.presented(under: root, at: now)
        if try answerOverChannel(presented) { return }
        // `interruptible` takes no closure that throws, so the closure returns an error as a `Result`.
        let served = await interruptible { () -> Result<Void, CommandFailure> in
            do throws(CommandFailure) {
                return .success(try await serve(presented))
            } catch {
                return .failure(error)
            }
        }
        try served.get()
    }

    /// Writes the files of one presentation, and a corpus manifest with this presentation as its only case.
    private func writePresentation(into folder: CaseFolder, at now: Timestamp) throws(CommandFailure) {
        let made = try mapping(
            CorpusCase(wallet.presentation, at: now, instant: .now), CommandFailure.notMade)
        try folder.write(made)
        try folder.write(
            CorpusManifest(verifyAt: "\(now)", portraitSize: wallet.portraitSize, cases: [made.entry]))
    }

    private func writeRoot(_ presented: PresentedWallet) throws(CommandFailure) {
        if let root { try OutputFile.write(presented.issuer.root, to: root) }
    }

    /// Answers an app or a web page. Returns false if the options select neither an app nor a web page.
    private func answerOverChannel(_ presented: PresentedWallet) throws(CommandFailure) -> Bool {
        guard key != nil || web.webRequest != nil else { return false }
        try writeRoot(presented)
        let channel = WalletChannel(wallet: presented.wallet)
        if let key {
            try channel.answer(app, key: key)
        } else if let request = web.webRequest, let origin = web.origin?.origin {
            if let response = web.webResponse {
                try channel.answer(request, on: origin, to: response)
            } else {
                try channel.answerLines(on: origin)
            }
        }
        return true
    }

    /// Serves readers. The file of `--root` is written only after the listener has opened its address.
    /// Otherwise a wallet that fails to start would replace the root file of the wallet that already listens
    /// there.
    private func serve(_ presented: PresentedWallet) async throws(CommandFailure) {
        let wallet = presented.wallet
        let phone = try phone(wallet)
        let handover = phone == nil ? self.wallet.presentation.handover : self.wallet.handoverAtReader
        let listener = try listen.map { endpoint throws(CommandFailure) in
            try WalletListener(at: endpoint, wallet, handover: handover, phone: phone)
        }
        try writeRoot(presented)
        listener?.announce()
        try await phone?.tap()
        defer { phone?.lift() }
        if let code = phone?.shown?.uri { Terminal.result(code) }
        if phone != nil { Terminal.message("The phone is on the reader. Press Ctrl-C to take it away.") }
        if ble {
            let radio = BlueZRadio(configuration: BlueZConfiguration(adapter: adapter))
            let air = WalletAir(radio: radio, wallet: wallet, shown: phone?.shown, taps: phone?.taps)
            return try await air.run(readers: readers)
        }
        guard let listener else {
            // Without a listener and Bluetooth, only the tap at the reader carries the session. The phone
            // stays on the reader for a day, or until Ctrl-C.
            try? await Task.sleep(for: .seconds(86_400), clock: .continuous)
            return
        }
        try await listener.run(readers: readers)
    }

    /// Makes the phone on the virtual reader of `--card`. Nil without that option.
    private func phone(_ wallet: Wallet) throws(CommandFailure) -> WalletPhone? {
        guard let card else { return nil }
        return try WalletPhone(
            wallet, handover: self.wallet.handoverAtReader, at: try card.loopbackAddress)
    }
}

/// The software wallet that answers an app or a web page.
private struct WalletChannel {
    let wallet: Wallet

    /// Answers the request that the options in `app` describe, and writes the envelope to a file.
    ///
    /// - Parameter key: the file with the merchant's private key.
    func answer(_ app: AppArguments, key: String) throws(CommandFailure) {
        guard let path = app.envelope, let asking = try app.request(), let items = try app.itemsRequest()
        else { throw .usage("--envelope needs at least one --element") }
        let pair = try PrivateKeyFile.read(key, on: .p256, option: "--key")
        let envelope: [UInt8]?
        do {
            envelope = try wallet.envelope(
                answering: items, of: asking.merchant, nonce: asking.nonce, for: RecipientKey(pair))
        } catch {
            throw .unavailable("the wallet cannot answer: \(error)")
        }
        guard let envelope else { throw Self.declined }
        try OutputFile.write(envelope, to: path)
    }

    /// Answers one request of a web page, and writes the answer to a file.
    func answer(_ request: String, on origin: WebOrigin, to path: String) throws(CommandFailure) {
        guard let response = try response(to: WebRequestFile(request), on: origin) else {
            throw Self.declined
        }
        try OutputFile.write((response + "\n").utf8, to: path)
    }

    /// Reads a web page's requests, one in each line of standard input, and writes each answer as a line. The
    /// line is empty if the holder declines.
    func answerLines(on origin: WebOrigin) throws(CommandFailure) {
        while let line = readLine() {
            let request = try WebRequestFile(json: Array(line.utf8))
            Terminal.result(try response(to: request, on: origin) ?? "")
        }
    }

    /// Returns the wallet's answer to a web page's request. Nil if the holder declines.
    private func response(to request: WebRequestFile, on origin: WebOrigin) throws(CommandFailure) -> String?
    {
        do {
            return try wallet.webResponse(
                answering: request.deviceRequest,
                encryptionInfo: EncryptionInfo(request.encryptionInfo), on: origin)
        } catch let error as WalletPresentationError {
            throw .malformed("--web-request: \(error.explanation)")
        } catch {
            throw .unavailable("the wallet cannot answer: \(error)")
        }
    }

    private static let declined = CommandFailure(status: .incomplete, message: "the holder declined")
}
