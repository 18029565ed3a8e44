internal import ArgumentParser
internal import Fleet
internal import FleetHub
internal import JSON
internal import ReaderService
internal import ReaderStore

/// The command `countersign-hub kiosk`, for the kiosks that belong to the chain.
struct KioskCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kiosk", abstract: "Invite, list, stop and revoke the kiosks of the chain.",
        subcommands: [
            KioskInviteCommand.self, KioskListCommand.self, KioskShowCommand.self, KioskStopCommand.self,
            KioskStartCommand.self, KioskRevokeCommand.self,
        ])
}

/// The command `countersign-hub kiosk invite`. It prints a code for the enrolment of a kiosk.
struct KioskInviteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite", abstract: "Print a code with which the kiosk can enrol once, within a day.",
        discussion:
            "The code is printed once. On the kiosk, write the code to the file that fleet.codeFile names, with mode 0600."
    )

    @Argument(help: ArgumentHelp("The kiosk's name.", valueName: "kiosk"))
    var kiosk: FleetName
    @Option(help: "The site of the kiosk.")
    var site: FleetName?
    @Option(help: "The group of the kiosk.")
    var group: FleetName?
    @OptionGroup var file: ConfigurationArgument

    func run() async throws {
        let database = try file.read().openDatabase()
        let code = try await asking { () throws(PostgreSQLError) in
            try await database.kiosks.invite(kiosk, site: site, group: group, at: WallClock.system.now)
        }
        guard let code else {
            throw HubFault("\(kiosk) is enrolled already: revoke it first, or choose another name")
        }
        print(code)
    }
}

/// The command `countersign-hub kiosk list`. It prints all kiosks.
struct KioskListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Print all kiosks, one JSON object a line.")

    @OptionGroup var file: ConfigurationArgument

    func run() async throws {
        let database = try file.read().openDatabase()
        // Reads pages of at most 500 kiosks in the order of their names, until a page is empty.
        var last = ""
        while true {
            let after = last
            let kiosks = try await asking { () throws(PostgreSQLError) in
                try await database.kiosks.all(after: after, atMost: 500)
            }
            for kiosk in kiosks { print(kiosk.json.line) }
            guard let next = kiosks.last else { return }
            last = next.name.text
        }
    }
}

/// The argument with the name of a kiosk, and the option with the path of the configuration.
struct KioskArguments: ParsableArguments {
    @Argument(help: ArgumentHelp("The kiosk's name.", valueName: "kiosk"))
    var kiosk: FleetName
    @OptionGroup var file: ConfigurationArgument

    /// Runs a query about the kiosk `kiosk` in the hub's database.
    func asking<Value: Sendable>(
        _ body: (HubDatabase, FleetName) async throws(PostgreSQLError) -> Value
    ) async throws -> Value {
        let database = try file.read().openDatabase()
        // The prefix `countersign_hub` selects the function at the end of this file instead of this method.
        return try await countersign_hub.asking { () throws(PostgreSQLError) in
            try await body(database, kiosk)
        }
    }
}

/// The command `countersign-hub kiosk show`. It prints one kiosk.
struct KioskShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print one kiosk as JSON.")

    @OptionGroup var arguments: KioskArguments

    func run() async throws {
        let record = try await arguments.asking { database, kiosk throws(PostgreSQLError) in
            try await database.kiosks.named(kiosk)
        }
        guard let record else { throw arguments.absent }
        print(record.json.text)
    }
}

/// The command `countersign-hub kiosk revoke`. It removes a kiosk from the chain.
struct KioskRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revoke a kiosk: the hubs and the broker refuse the kiosk, and the kiosk refuses orders.")

    @OptionGroup var arguments: KioskArguments

    func run() async throws {
        let isDone = try await arguments.asking { database, kiosk throws(PostgreSQLError) in
            try await database.kiosks.revoke(kiosk)
        }
        guard isDone else { throw try await arguments.unchanged("revoked") }
    }
}

/// The command `countersign-hub kiosk stop`. It stops a kiosk, which then refuses orders.
struct KioskStopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "Stop a kiosk: it refuses orders until it is started again.")

    @OptionGroup var arguments: KioskArguments

    func run() async throws { try await arguments.setStopped(true) }
}

/// The command `countersign-hub kiosk start`. It lets a stopped kiosk accept orders again.
struct KioskStartCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start", abstract: "Start a stopped kiosk: it accepts orders again.")

    @OptionGroup var arguments: KioskArguments

    func run() async throws { try await arguments.setStopped(false) }
}

extension KioskArguments {
    /// Stops or starts the kiosk. Throws the reason if nothing changes.
    fileprivate func setStopped(_ isStopped: Bool) async throws {
        let isDone = try await asking { database, kiosk throws(PostgreSQLError) in
            try await database.kiosks.setStopped(isStopped, kiosk)
        }
        guard isDone else { throw try await unchanged(isStopped ? "stopped" : "started") }
    }

    /// The error that is thrown if the chain has no kiosk of this name.
    fileprivate var absent: HubFault {
        HubFault("there is no kiosk \(kiosk): see countersign-hub kiosk list")
    }

    /// Returns the reason why a command changed nothing: the kiosk does not exist, is not enrolled, is
    /// revoked, or has the wanted state already.
    ///
    /// - Parameter state: the wanted state: `stopped`, `started` or `revoked`.
    fileprivate func unchanged(_ state: String) async throws -> HubFault {
        let record = try await asking { database, kiosk throws(PostgreSQLError) in
            try await database.kiosks.named(kiosk)
        }
        return switch record?.state {
        case nil: absent
        case .invited: HubFault("\(kiosk) is not enrolled yet: it has not used its code")
        case .revoked where state != "revoked":
            HubFault("\(kiosk) is revoked: invite it again with countersign-hub kiosk invite")
        case .active, .revoked: HubFault("\(kiosk) is \(state) already")
        }
    }
}

/// Runs a query, and converts a database error to a `HubFault`.
func asking<Value: Sendable>(
    _ body: () async throws(PostgreSQLError) -> Value
) async throws(HubFault) -> Value {
    do throws(PostgreSQLError) { return try await body() } catch { throw HubFault(error) }
}
