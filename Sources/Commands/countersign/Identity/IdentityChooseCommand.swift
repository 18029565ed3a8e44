internal import ArgumentParser
internal import CommandLineInterface
internal import ErrorMapping
internal import JSON
internal import ReaderIdentityStore

/// `countersign identity choose`: edits the rules that select the identity for a request (Q172).
struct IdentityChooseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "choose",
        abstract: "Choose which identity signs requests, by wallet, brand or document type.",
        discussion: """
            Sets one rule, and replaces a rule with the same conditions. A rule without conditions applies \
            if no other rule matches. Rules with more conditions are tried first, and the first match \
            selects the identity. Before you set the first rule, a single identity signs all requests; with \
            several identities, requests are unsigned. If you remove the last rule, requests are unsigned, \
            even with a single identity.

            EXAMPLES:
              countersign identity choose counter
              countersign identity choose counter --brand utopia
              countersign identity choose --forget --brand utopia

            \(ExitStatus.table([.success, .rejected, .usage, .malformed]))
            """)

    @Argument(help: "The name of the identity. Leave it out with --forget.")
    var name: IdentityName?

    @Option(name: .long, help: ArgumentHelp("Only for this wallet.", valueName: "name"))
    var wallet: String?

    @Option(name: .long, help: ArgumentHelp("Only for this brand.", valueName: "name"))
    var brand: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Only if all requested documents are of this type.", valueName: "type"))
    var docType: String?

    @Flag(name: .long, help: "Remove the rule with these conditions.")
    var forget = false

    @OptionGroup var store: StoreArguments
    @OptionGroup var output: OutputArguments

    func validate() throws {
        guard (name == nil) == forget else {
            throw ValidationError(
                "Give either the name of an identity, or --forget with the rule's conditions.")
        }
    }

    func run() throws {
        let folder = store.identities
        let rules = try mapping(
            folder.changeRules { rules throws(IdentityStoreError) in
                // A missing name means --forget, because `validate` accepts no other case.
                guard let name else {
                    guard rules.remove(wallet: wallet, brand: brand, docType: docType) else {
                        throw .noSuchRule
                    }
                    return
                }
                guard folder.has(name) else { throw .unknown(name.text) }
                rules.set(.init(wallet: wallet, brand: brand, docType: docType, identity: name))
            }, \IdentityStoreError.failure
        ).rules
        Terminal.result(output.json ? JSONValue.array(rules.map(\.json)).text : text(rules))
    }

    private func text(_ rules: [IdentityRules.Rule]) -> String {
        guard !rules.isEmpty else {
            return
                "no rule is left, so requests are unsigned: to set a rule, run countersign identity choose NAME"
        }
        return rules.map { "\($0.conditionText(isOnly: rules.count == 1)): \($0.identity.text)" }.joined(
            separator: "\n")
    }
}

extension IdentityRules.Rule {
    /// Returns the conditions of the rule as text.
    ///
    /// - Parameter isOnly: Whether the rule is the only rule. A rule without conditions then applies
    ///   everywhere.
    func conditionText(isOnly: Bool) -> String {
        let parts = [("wallet", wallet), ("brand", brand), ("document", docType)].compactMap { name, value in
            value.map { "\(name) \(Terminal.safe($0, limit: 80))" }
        }
        guard parts.isEmpty else { return parts.joined(separator: ", ") }
        return isOnly ? "everywhere" : "everywhere else"
    }

    var json: JSONValue {
        [
            "wallet": JSONValue(wallet), "brand": JSONValue(brand), "docType": JSONValue(docType),
            "identity": .string(identity.text),
        ]
    }
}
