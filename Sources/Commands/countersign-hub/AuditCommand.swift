internal import ArgumentParser
internal import Fleet
internal import FleetHub
internal import JSON
internal import ReaderStore

/// The command `countersign-hub audit`, for the audit log: the changes that operators made with commands.
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "List the changes that operators made with commands.",
        subcommands: [AuditListCommand.self])
}

/// The command `countersign-hub audit list`. It prints the audit log.
struct AuditListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract:
            "Print the changes that operators made with commands, the oldest first, one JSON object a line.",
        discussion: """
            PostgreSQL itself records the database user of a change. The login, account and host come from \
            the command that made the change.

              countersign-hub audit list --kiosk till-7
            """)

    @Option(help: ArgumentHelp("Print only the changes after this number.", valueName: "number"))
    var after: Int64 = 0
    @Option(help: "Print only the changes about this kiosk.")
    var kiosk: FleetName?
    @OptionGroup var file: ConfigurationArgument

    func validate() throws {
        guard after >= 0 else { throw ValidationError("--after takes the number of a change, or 0 for all.") }
    }

    func run() async throws {
        let database = try file.read().openDatabase()
        // Reads pages of at most 500 changes until a page is empty.
        var last = after
        while true {
            let after = last
            let acts = try await asking { () throws(PostgreSQLError) in
                try await database.audit.acts(after: after, of: kiosk, atMost: 500)
            }
            for act in acts { print(act.json.line) }
            guard let next = acts.last else { return }
            last = next.number
        }
    }
}
