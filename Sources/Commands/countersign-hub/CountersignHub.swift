internal import VersionNumber
internal import ArgumentParser
internal import Fleet
internal import FleetHub
internal import JSON
internal import Logging
internal import HTTPServing
internal import ReaderService
internal import Reports
internal import ServiceLifecycle
internal import UnixSignals

/// The program `countersign-hub`: the hub of a chain. Kiosks enrol at the hub, fetch their documents from it
/// and push their receipts to it.
@main
struct CountersignHub: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "countersign-hub", abstract: "Serve the kiosks of a chain over HTTP with TLS.",
        discussion: """
            Several hubs can serve one chain. They share one PostgreSQL database.

              countersign-hub --check
              countersign-hub kiosk invite till-7 --site harbour
            """,
        version: Version.number,
        subcommands: [
            ServeCommand.self, DoctorCommand.self, AuthorityCommand.self, KioskCommand.self,
            AlertCommand.self, SignCommand.self, DocumentCommand.self, AuditCommand.self,
        ], defaultSubcommand: ServeCommand.self)

    static let _errorPrefix = "error: "
}

/// The command `countersign-hub serve`, the default command. It serves kiosks until SIGTERM or SIGINT.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve kiosks until a signal ends the hub. This is the default command.")

    @OptionGroup var file: ConfigurationArgument

    @Flag(help: "Check the configuration and the files that it names, report the first fault, and exit.")
    var check = false

    func run() async throws {
        let configuration = try file.read()
        let assembly = try configuration.assemble()
        LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
        var log = Logger(label: "countersign-hub")
        // `HubConfiguration` accepts only valid log levels, so the fallback `.info` is never used here.
        log.logLevel = Logger.Level(rawValue: configuration.logLevel) ?? .info
        // Keys that cannot sign tokens do not prevent the start of the hub, so they are logged here, also
        // with `--check`.
        for key in configuration.readerTokens?.unusableKeys(at: WallClock.system.now) ?? [] {
            log.error("\(key)")
        }
        if check { return }
        try await serve(configuration, with: assembly, log: log)
    }

    /// Runs the server, the connection to the broker and the `PartitionKeeper` until SIGTERM or SIGINT.
    private func serve(
        _ configuration: HubConfiguration, with assembly: HubConfiguration.Assembly, log: Logger
    ) async throws {
        let now = { @Sendable in WallClock.system.now }
        let broker = HubBroker(assembly.broker, assembly.database, log: log, now: now)
        let routes = HubRoutes(
            assembly.database, authority: assembly.authority, broker: broker,
            operators: OperatorRoutes(assembly.database, tokens: configuration.operators),
            tokens: assembly.tokens, audit: Logger(label: "countersign-hub.audit"), now: now)
        // Each connection needs an open file, and the usual limit of 1024 is too low for thousands of kiosks.
        HubServer.makeRoom(for: configuration.connections)
        let server = HubServer(
            host: configuration.host, port: configuration.port, tls: assembly.tls, routes: routes,
            connections: configuration.connections, log: log,
            listening: { port in log.notice("ready", metadata: ["port": "\(port ?? 0)"]) })
        let partitions = PartitionKeeper(
            assembly.database, months: configuration.receiptMonths, log: log, now: now)
        var group = ServiceGroupConfiguration(
            services: [partitions, broker, server], gracefulShutdownSignals: [.sigterm, .sigint], logger: log)
        group.maximumGracefulShutdownDuration = .seconds(10)
        // Services that are still running 10 s after the signal are cancelled. They then have 5 s to end.
        group.maximumCancellationDuration = .seconds(5)
        try await ServiceGroup(configuration: group).run()
    }
}
