internal import ArgumentParser
internal import CBOR
internal import CommandLineInterface
internal import JSON
internal import MdocModel
internal import MdocVerification
internal import PortraitDecoding
internal import Reports

/// `countersign verify`: verifies a response, a session or an online presentation that is stored in files.
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify a stored response.",
        usage: """
            countersign verify --response F --transcript F [--request F] [--reader-key K] [--trust PATH…] [options]
            countersign verify --session-data F --engagement F [--handover-select F [--handover-request F]]
                               [--session-establishment F] --reader-key K [--request F] [--trust PATH…] [options]
            countersign verify --envelope F --merchant-id ID --team-id ID --nonce N --key K… [--element E…] [options]
            countersign verify --web-response F (--encryption-info I | --web-request F) --origin O --key K… [options]
            """,
        discussion: """
            Makes every check of ISO/IEC 18013-5 on a DeviceResponse that was stored earlier: issuer, signature, \
            digests, validity, revocation by the lists at hand, the phone's own signature or MAC over the session, and \
            that only requested elements were returned. It uses no network, and trusts only the roots of --trust or of \
            the trust store (`countersign trust`). The time is that of --at, else now.

            With --session-data the response is decrypted first; the transcript is made of the engagement, the \
            reader's key and the handover messages. Where --session-establishment is given, the request in it is \
            compared with the response even without --request.

            An app's --envelope (Verify with Wallet) and a page's --web-response (Digital Credentials API) are opened \
            with the --key they are sealed for, and judged alike. What was asked is said by --element, --intent, \
            --request or --web-request. A test answer is a MOCK, which proves nothing. Whether an answer was presented \
            before cannot be seen in files: the result says so.

            Departures from the standard that real wallets show without harm are accepted and listed as deviations; \
            --strict refuses them. Without a request, what came cannot be compared with what was asked for; the \
            result says so. Each age_over_NN of the request is a question that the result answers.

            Element values are written only when every check passed: in JSON, or as text with --show-values.

            EXAMPLES:
              countersign verify --response response.cbor --transcript transcript.cbor \\
                  --request request.cbor --trust iaca.pem
              countersign verify --session-data data.cbor --engagement engagement.cbor \\
                  --reader-key reader.pem --trust roots/ --at 2026-11-01T12:00:00Z --json

            \(ExitStatus.table([.success, .answerNotYes, .rejected, .incomplete, .usage, .malformed, .unavailable]))
            """)

    @OptionGroup(title: "What to judge")
    var files: VerifyFiles

    @OptionGroup(title: "An app's envelope") var app: AppArguments
    @OptionGroup(title: "A page's answer") var web: WebArguments
    @OptionGroup(title: "An app's envelope, or a page's answer") var answer: AnswerArguments

    @OptionGroup var trust: TrustArguments
    @OptionGroup var store: StoreArguments
    @OptionGroup var policy: PolicyArguments
    @OptionGroup var clock: ClockArguments

    @Flag(name: .long, help: "Refuse every departure from the standard's profile.")
    var strict = false

    @Flag(name: .long, help: "Write the values of verified elements, not only their names.")
    var showValues = false

    @OptionGroup var output: OutputArguments

    private var input: VerifyInput { VerifyInput(files, app: app, web: web, answer: answer) }

    func validate() throws { try input.validate() }

    func run() async throws {
        var report = try Progress.during("Judging the answer") { try judge() }
        await report.decodePortraits()
        if output.json {
            Terminal.result(report.json(portrait: .bytes).text)
        } else {
            Terminal.result(report.text(elements: showValues ? .values : .names), in: report.colour)
        }
        throw ExitCode(report.exitStatus.rawValue)
    }

    /// Reads and verifies the files. A malformed input gives a report with the verdict `malformed`; other
    /// failures are thrown.
    private func judge() throws(CommandFailure) -> any VerifyReport {
        let now = try clock.now()
        do throws(CommandFailure) {
            let trust = try trust.load(from: store.path, at: now)
            let policy = try policy.settings(in: store.path, strict: strict)
            if let presentation = try input.presentation(at: now) {
                return presentation.judged(trusting: trust, by: policy, at: now)
            }
            return try files.transaction().judged(trusting: trust, by: policy, at: now)
        } catch  where error.status == .malformed {
            let fault = TransactionError(.inputMalformed, error.message)
            return input.channel.isGiven
                ? ChannelReport(malformed: fault) : TransactionReport.malformed(fault)
        }
    }
}

/// A report on a transaction with a phone nearby or on a presentation through an app or a web page.
private protocol VerifyReport {
    func json(portrait: PortraitForm) -> JSONValue
    func text(elements: ElementDisplay) -> String
    var exitStatus: ExitStatus { get }
    var colour: TerminalColour { get }

    /// Decodes the requested portraits. A portrait that cannot be decoded changes the outcome.
    mutating func decodePortraits() async
}

extension TransactionReport: VerifyReport {
    mutating func decodePortraits() async { await decodePortraits(by: .installed) }
}

extension ChannelReport: VerifyReport {
    /// The exit status of the response. A mock answer has that of a rejected one, because it proves nothing.
    var exitStatus: ExitStatus { response.exitStatus }
    mutating func decodePortraits() async { await response.decodePortraits(by: .installed) }
    var colour: TerminalColour { response.colour }
}
