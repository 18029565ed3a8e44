internal import ArgumentParser
internal import CommandLineInterface
internal import ErrorMapping
internal import JSON
internal import ReaderIdentityStore

/// `countersign identity list`: lists the identities without using their keys.
struct IdentityListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the identities with their subject, expiry, key storage and use.",
        discussion: """
            Does not use the keys or the TPM. To test the keys, run `identity lint`.

            EXAMPLE:
              countersign identity list --warn 60

            \(ExitStatus.table([.success, .usage, .malformed]))
            """)

    @OptionGroup var expiry: ExpiryArguments
    @OptionGroup var clock: ClockArguments
    @OptionGroup var store: StoreArguments
    @OptionGroup var output: OutputArguments

    func run() throws {
        let (folder, now) = (store.identities, try clock.now())
        // `isWritten`: whether there is a file of rules. Without the file, a single identity signs every
        // request, and several identities sign none.
        let (names, rules, isWritten) = try mapping(
            (try folder.names(), try folder.rulesInEffect().rules, try folder.rules() != nil),
            \IdentityStoreError.failure)
        let statuses = names.map {
            IdentityStatus($0, in: folder, at: now, warningDays: expiry.warn, usingKey: false)
        }
        Terminal.result(
            output.json
                ? json(statuses, rules: rules, isWritten: isWritten).text
                : text(statuses, rules: rules, isWritten: isWritten))
        for name in Set(rules.map(\.identity)).subtracting(names).sorted() {
            Terminal.message(
                "note: the rules name identity \(name.text), which does not exist: change the rules with countersign identity choose"
            )
        }
    }

    private func text(
        _ statuses: [IdentityStatus], rules: [IdentityRules.Rule], isWritten: Bool
    ) -> String {
        guard !statuses.isEmpty else {
            return
                "no identity yet in the store \(Terminal.safe(store.path)), so requests are unsigned: to make one, run countersign identity init NAME"
        }
        var lines: [String] = []
        for status in statuses {
            lines.append("\(status.name.text) (\(status.state.text))")
            lines += status.certificate?.lines ?? []
            lines.append("  key: \(status.keyText)")
            let uses = rules.filter { $0.identity == status.name }.map {
                $0.conditionText(isOnly: rules.count == 1)
            }
            lines.append("  used: \(uses.isEmpty ? "nowhere" : uses.joined(separator: "; "))")
            if let problem = status.problem { lines.append("  \(problem)") }
        }
        if !isWritten, statuses.count > 1 {
            lines.append(
                "no identity is chosen yet, so requests are unsigned: see countersign identity choose --help"
            )
        }
        return lines.joined(separator: "\n")
    }

    private func json(
        _ statuses: [IdentityStatus], rules: [IdentityRules.Rule], isWritten: Bool
    ) -> JSONValue {
        [
            "folder": .string(store.identities.path),
            "identities": .array(statuses.map { .object($0.json) }),
            "chosen": .boolean(isWritten), "rules": .array(rules.map(\.json)),
        ]
    }
}

/// `--warn`: a certificate that expires within this number of days is reported.
struct ExpiryArguments: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Report certificates that expire within this many days.", valueName: "days"))
    var warn = Int(StoredIdentity.warningDays)

    func validate() throws {
        guard (0...3650).contains(warn) else {
            throw ValidationError("--warn needs a number of days from 0 to 3650.")
        }
    }
}

extension IdentityStatus.State {
    fileprivate var text: String {
        switch self {
        case .ready: "ready"
        case .expiresSoon: "expires soon"
        case .noCertificates: "no certificates yet"
        case .notYetValid: "not yet valid"
        case .expired: "expired"
        case .unusable: "cannot be used"
        }
    }
}
