internal import ArgumentParser
internal import CommandLineInterface
internal import FieldTrace
internal import Glibc
internal import JSON
internal import MdocModel
internal import MdocVerification
internal import PortraitDecoding
internal import ReaderService
internal import Reports
internal import RequestPlanner
internal import SystemPackage

/// `countersign request`: reads one phone and prints the verified answer.
struct RequestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "request",
        abstract: "Send one request to a phone and verify the answer.",
        usage: """
            countersign request 'INTENT' [--keep CHOICE] [--identity NAME] [--trust PATH…]
                                [--reader NAME | --connect tcp://HOST:PORT | --qr 'mdoc:…'] [options]
            countersign request [--age-over N]… [--portrait] [--element NS/ID]… [--doc-type T] [--trust PATH…] [options]
            """,
        discussion: """
            Waits for a phone at a contactless reader (or connects to a wallet on the bench link), sends one \
            request, waits until the holder consents, and makes every check on the answer. Nothing is \
            stored.

            Countersign plans the smallest request that answers your question: for example an age_over \
            element instead of the date of birth, and the portrait only if a person compares it. A request \
            for more than its purpose needs is refused with the name of the rule.

            By default any contactless reader is used. With --qr, the text of the phone's QR code starts the \
            session; the answer then comes over Bluetooth, or over NFC when the phone is held to the reader.

            If the request has a question, the result begins with YES, NO or CANNOT TELL. Element values are \
            written only if every check passed: always in JSON, and in text with --show-values. The portrait \
            itself is written only to the file of --save-portrait; JSON has its size.

            EXAMPLES:
              countersign request 'age over 21 with portrait for a human to compare' --trust roots/
              countersign request 'rental: name, licence number, categories B, expiry, portrait' --trust roots/
              countersign request 'age over 18' --keep age+id-number --identity counter-1 --trust roots/
              countersign request 'age over 18; from av or pid or mdl' --trust roots/
              countersign request --age-over 18 --connect tcp://127.0.0.1:7000 --trust iaca.pem --json

            \(ExitStatus.table())
            """)

    @OptionGroup(title: "The request")
    var question: RequestArguments

    @OptionGroup(title: "The reader's identity")
    var identity: IdentityArguments

    @OptionGroup(title: "The connection to the phone")
    var source: SourceArguments

    @OptionGroup var fieldTrace: FieldTraceArguments

    @OptionGroup var trust: TrustArguments
    @OptionGroup var store: StoreArguments
    @OptionGroup var policy: PolicyArguments
    @OptionGroup var clock: ClockArguments

    @Flag(name: .long, help: "Refuse every deviation from the standard's profile.")
    var strict = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Write the verified portrait to this file, which only you can read.", valueName: "file"))
    var savePortrait: String?

    @Flag(name: .long, help: "Write the values of verified elements, not only their names.")
    var showValues = false

    @OptionGroup var output: OutputArguments

    func run() async throws {
        let now = try clock.now()
        let asked = try question.plan(savingPortrait: savePortrait != nil)
        for element in asked.additions {
            Terminal.message(
                "note: the request also asks for \(element.identifier), because an expired licence permits no driving"
            )
        }
        // The file is opened and emptied before the request is sent. Otherwise an earlier holder's portrait
        // could stay in the file, or an answer could be lost because the file cannot be written.
        let portraitFile = try savePortrait.map { try PortraitFile($0) }
        defer { portraitFile?.removeUnlessWritten() }
        // Without --at the clock is read again for each check, because the holder may consent minutes after
        // the start. If the clock shows an impossible time by then, the time of the start is used.
        let fixed = clock.at?.instant
        // This copy keeps the closure below from capturing the whole command.
        let clock = clock
        let plan = PresentationPlan(
            question: try identity.question(.planned(asked), in: store.identities, at: now),
            trust: try trust.load(from: store.path, at: now),
            policy: try policy.settings(for: asked.intent.purpose, in: store.path, strict: strict),
            deadlines: source.deadlines,
            retrieval: source.retrieval.plan, requestVersion: source.retrieval.requestVersion,
            clock: WallClock { fixed ?? (try? clock.now()) ?? now })
        let fieldTrace = try await fieldTrace.start(plan)
        let isScanned = source.qr != nil
        let transaction = ReaderTransaction(plan) { event in
            Terminal.message(isScanned ? event.textAfterScan : event.text)
            fieldTrace?.recorder.observe(event)
        }
        let presentation = await interruptible {
            await source.present(transaction, fieldTrace)
        }
        if case .success(let ended) = presentation { fieldTrace?.end(ended) }
        var report = try TransactionReport.ended(
            try presentation.get(), asking: asked, on: WallClock.localDay(at: plan.clock.now))
        await report.decodePortraits(by: .installed)
        if output.json {
            Terminal.result(report.json(portrait: .size).text)
        } else {
            Terminal.result(
                report.presentationText(elements: showValues ? .values : .names), in: report.colour)
        }
        try portraitFile?.write(report.portrait)
        // The result is printed before the phone has left (Q76). If the program exited now, the connection
        // would break before the phone received the termination message.
        try? await presentation.get().waitUntilLeft()
        throw ExitCode(report.exitStatus.rawValue)
    }
}

/// The file of `--save-portrait`. It is opened and emptied before the request is sent, and removed if no
/// verified portrait was returned.
private final class PortraitFile {
    private let path: String
    private let file: FileDescriptor
    private var isWritten = false

    init(_ path: String) throws(CommandFailure) {
        self.path = path
        file = try OutputFile.open(path)
    }

    deinit {
        try? file.close()
    }

    /// Writes the portrait. If there is no portrait, prints a message instead.
    func write(_ portrait: ArraySlice<UInt8>?) throws(CommandFailure) {
        guard let portrait else {
            return Terminal.message(
                "note: no verified portrait was returned, so \(Terminal.safe(path)) is not written")
        }
        do {
            _ = try file.writeAll(portrait)
        } catch {
            throw .usage("\(Terminal.safe(path)): \(error)")
        }
        isWritten = true
    }

    /// Removes the file if no portrait was written. A target that is not a regular file, such as a terminal,
    /// stays.
    func removeUnlessWritten() {
        var status = stat()
        guard !isWritten, unsafe fstat(file.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return
        }
        _ = unsafe unlink(path)
    }
}
