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
            Makes every check of ISO/IEC 18013-5 on a stored DeviceResponse: issuer, signature, digests, \
            validity, revocation (by the lists in the trust store), the device's signature or MAC over the \
            session, and that only requested elements were returned. The command uses no network. It trusts \
            only the roots of --trust or of the trust store (`countersign trust`). The time of the checks is \
            --at, by default now.

            With --session-data the response is decrypted first. The transcript is computed from the \
            engagement, the reader's key and the handover messages. If you give --session-establishment, the \
            response is compared with the request in it, even without --request.

            An app's --envelope (Verify with Wallet) and a page's --web-response (Digital Credentials API) \
            are decrypted with --key and then verified in the same way. Give the request with --element, \
            --intent, --request or --web-request. A test answer is reported as MOCK, which proves nothing. \
            The files cannot show whether an answer was presented before, and the result says so.

            Harmless departures from the standard, as real wallets have them, are accepted and listed as \
            deviations; --strict refuses them. If you give no request, the answer is not compared with one, \
            and the result says so. Each age_over_NN of the request is a question that the result answers.

            Element values are written only if every check passed: always in JSON, and in text with --show-values.

            EXAMPLES:
              countersign verify --response response.cbor --transcript transcript.cbor \\
                  --request request.cbor --trust iaca.pem
              countersign verify --session-data data.cbor --engagement engagement.cbor \\
                  --reader-key reader.pem --trust roots/ --at 2026-11-01T12:00:00Z --json

            \(ExitStatus.table([.success, .answerNotYes, .rejected, .incomplete, .usage, .malformed, .unavailable]))
            """)

    @OptionGroup(title: "The files to verify")
    var files: VerifyFiles

    @OptionGroup(title: "An app's envelope") var app: AppArguments
    @OptionGroup(title: "A page's answer") var web: WebArguments
    @OptionGroup(title: "An app's envelope, or a page's answer") var answer: AnswerArguments

    @OptionGroup var trust: TrustArguments
    @OptionGroup var store: StoreArguments
    @OptionGroup var policy: PolicyArguments
    @OptionGroup var clock: ClockArguments

    @Flag(name: .long, help: "Refuse every deviation from the standard's profile.")
    var strict = false

    @Flag(name: .long, help: "Write the values of verified elements, not only their names.")
    var showValues = false

    @OptionGroup var output: OutputArguments

    private var input: VerifyInput { VerifyInput(files, app: app, web: web, answer: answer) }

    func validate() throws { try input.validate() }

    func run() async throws {
        var report = try Progress.during("Verifying the answer") { try judge() }
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
            // A presentation through an app or a web page has a different report from a transaction with a
            // phone nearby.
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
    /// The exit status of the response. A test answer (`MOCK`) has the exit status of a rejected answer,
    /// because a test answer proves nothing.
    var exitStatus: ExitStatus { response.exitStatus }
    mutating func decodePortraits() async { await response.decodePortraits(by: .installed) }
    var colour: TerminalColour { response.colour }
}
