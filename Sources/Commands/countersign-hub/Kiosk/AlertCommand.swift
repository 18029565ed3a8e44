internal import ArgumentParser
internal import Fleet
internal import FleetHub
internal import JSON
internal import ReaderService
internal import ReaderStore

/// The command `countersign-hub alert`, for the kiosks that need an operator's attention.
struct AlertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "alert", abstract: "List and clear the alerts of kiosks.",
        subcommands: [AlertListCommand.self, AlertClearCommand.self])
}

/// The command `countersign-hub alert list`. It prints the kiosks with an alert.
struct AlertListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Print the kiosks that have an alert, one JSON object a line.")

    @OptionGroup var file: ConfigurationArgument

    func run() async throws {
        let database = try file.read().openDatabase()
        let alerts = try await asking { () throws(PostgreSQLError) in try await database.kiosks.alerts() }
        for alert in alerts { print(alert.line) }
    }
}

/// The command `countersign-hub alert clear`. It clears the alert of a kiosk.
struct AlertClearCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Clear a kiosk's alert. The alert returns if its cause remains.")

    @Argument(help: ArgumentHelp("The kiosk's name.", valueName: "kiosk"))
    var kiosk: FleetName
    @OptionGroup var file: ConfigurationArgument

    func run() async throws {
        let database = try file.read().openDatabase()
        let isDone = try await asking { () throws(PostgreSQLError) in
            try await database.kiosks.clearAlert(of: kiosk)
        }
        guard isDone else {
            throw HubFault("\(kiosk) has no alert: see countersign-hub alert list")
        }
    }
}
