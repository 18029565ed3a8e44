internal import ArgumentParser
internal import CommandLineInterface
internal import ErrorMapping
internal import JSON
internal import MdocTrust
internal import ReaderIdentityStore

/// `countersign identity lint`: checks that wallets will accept the identities now and in the coming weeks.
struct IdentityLintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Check the identities as wallets do: key, chain, profile, expiry.",
        discussion: """
            Tests each key, even a key in a TPM, against its certificate, and checks every rule of the reader \
            profile (ISO/IEC 18013-5 Annex B). You can run it from a timer: the exit code is 1 if an identity works \
            but expires within --warn days, and 2 if an identity cannot be used, breaks a rule, or is \
            named by a rule of `identity choose` but does not exist.

            EXAMPLES:
              countersign identity lint
              countersign identity lint counter --warn 60 --json

            EXIT CODES:
              0  every identity is in order
              1  every identity is in order, but an identity expires soon
              2  a check failed
             64  wrong usage, or there is no identity to check
             65  the file of rules is malformed
            """)

    @Argument(help: "The identities to check. By default all.")
    var names: [IdentityName] = []

    @Flag(
        name: .long,
        help: "Fail only for violations that make a certificate unusable for a reader; report the others.")
    var lenient = false

    @OptionGroup var expiry: ExpiryArguments
    @OptionGroup var clock: ClockArguments
    @OptionGroup var store: StoreArguments
    @OptionGroup var output: OutputArguments

    func run() throws {
        let (folder, now) = (store.identities, try clock.now())
        let existing = try mapping(folder.names(), \IdentityStoreError.failure)
        if let absent = names.first(where: { !existing.contains($0) }) {
            throw IdentityStoreError.unknown(absent.text).failure
        }
        let rules = try mapping(folder.rulesInEffect().rules, \IdentityStoreError.failure)
        guard !existing.isEmpty else {
            throw CommandFailure.usage(
                "there is no identity in \(Terminal.safe(folder.path)): to make one, run countersign identity init NAME"
            )
        }
        let statuses = Progress.during("Testing the keys") {
            (names.isEmpty ? existing : names).map {
                IdentityStatus($0, in: folder, at: now, warningDays: expiry.warn, usingKey: true)
            }
        }
        // If the user names identities, only these are checked, so the rules of `choice.json` are left out.
        let missing = names.isEmpty ? Set(rules.map(\.identity)).subtracting(existing).sorted() : []
        Terminal.result(
            output.json ? json(statuses, missing).text : text(statuses, missing))
        throw ExitCode(status(statuses, missing).rawValue)
    }

    private func fails(_ status: IdentityStatus) -> Bool {
        status.error != nil || !status.refusals(lenient ? .lenient : .strict).isEmpty
    }

    /// Returns the exit status. `answerNotYes` is exit code 1, which means here that an identity expires
    /// soon.
    private func status(_ statuses: [IdentityStatus], _ missing: [IdentityName]) -> ExitStatus {
        if !missing.isEmpty || statuses.contains(where: fails) { return .rejected }
        return statuses.contains { $0.state == .expiresSoon } ? .answerNotYes : .success
    }

    private func text(_ statuses: [IdentityStatus], _ missing: [IdentityName]) -> String {
        var lines: [String] = []
        for status in statuses {
            let outcome =
                fails(status) ? "fails" : status.state == .expiresSoon ? "in order, expires soon" : "in order"
            lines.append("\(status.name.text): \(outcome)")
            lines += status.findings.map(\.line)
            if let problem = status.problem, !status.isExplainedByFindings { lines.append("  \(problem)") }
        }
        lines += missing.map {
            "\($0.text): fails\n  a rule of `countersign identity choose` names this identity, which does not exist"
        }
        return lines.joined(separator: "\n")
    }

    private func json(_ statuses: [IdentityStatus], _ missing: [IdentityName]) -> JSONValue {
        [
            // An identity that works but expires soon has passed.
            "passed": .boolean(![ExitStatus.rejected].contains(status(statuses, missing))),
            "identities": .array(
                statuses.map { .object($0.json + [("passed", .boolean(!fails($0)))]) }),
            "missing": .array(missing.map { .string($0.text) }),
        ]
    }
}

extension IdentityStatus {
    /// Whether the list of findings already explains the error.
    fileprivate var isExplainedByFindings: Bool {
        guard case .profileBroken = error else { return false }
        return true
    }
}
