internal import VersionNumber
internal import ReaderService
internal import ArgumentParser
internal import ConfigurationForms
internal import FoundationEssentials
internal import JSON
internal import Logging
internal import OpenSSLCrypto
internal import PCSCTransport
internal import PortraitDecoding
internal import HTTPServing
internal import PresentationService
internal import ReaderAPI
internal import ReaderTokens
internal import Reports
internal import ServiceLifecycle
internal import SystemPackage
internal import Transport
internal import UnixSignals

/// The daemon, which serves presentations at the lanes of this computer over HTTP.
///
/// This command composes the daemon from its configuration and decides nothing itself: it reads the file,
/// opens the store, and runs listeners, coordinator, webhooks and the fleet's agent as services.
@main
struct Countersignd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "countersignd", abstract: "Serve presentations at this computer's readers over HTTP.",
        discussion: """
            After a change of the configuration, check the file and then reload the daemon:

              runuser -u countersign -- countersignd --check
              systemctl reload countersignd
            """,
        version: Version.number, subcommands: [TokenCommand.self, SchemaCommand.self, SetupPageCommand.self])

    static let _errorPrefix = "error: "

    @Option(help: ArgumentHelp("The configuration, as JSON.", valueName: "file"))
    var config = "/etc/countersign/countersignd.json"

    @Flag(
        help: """
            Check the configuration and the files that it names, report every fault, and exit. A fault of the configuration \
            is reported with line, column and JSON Pointer.
            """)
    var check = false

    @Flag(help: "End when the standard input ends. For a program that starts a daemon for itself.")
    var untilInputEnds = false

    func run() async throws {
        // SIGHUP without a handler ends the process, so it is trapped before anything that may take long.
        let hangUps = await UnixSignalsSequence(trapping: .sighup)
        ProcessMemory.keepPrivate()
        let configuration: DaemonConfiguration
        let file: [UInt8]
        do throws(ConfigurationFaults) {
            file = try contents()
            configuration = try Self.parse(file)
        } catch {
            // A failed write is ignored here, because the exit code reports the fault as well.
            _ = try? FileDescriptor.standardError.writeAll("error: \(error.text(of: config))\n".utf8)
            // 64: wrong usage.
            throw ExitCode(64)
        }
        if check { return try configuration.checkFiles() }
        LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
        var log = Logger(label: "countersignd")
        // The configuration accepts only valid log levels, so the fallback `.info` is never used.
        log.logLevel = Logger.Level(rawValue: configuration.logLevel) ?? .info
        try await serve(configuration, of: file, hangUps: hangUps, log: log)
    }

    /// Reads the configuration file. If this computer is a kiosk of a fleet, the documents of the fleet
    /// change the configuration.
    private func read(_ kiosk: KioskOfFleet?) throws(ConfigurationFaults) -> DaemonConfiguration {
        let bytes = try contents()
        let configuration = try Self.parse(bytes)
        // If the member `fleet` was removed from the file, the fleet's documents no longer apply.
        guard let kiosk, configuration.fleet != nil else { return configuration }
        return try kiosk.configuration(over: bytes)
    }

    private static func parse(_ bytes: [UInt8]) throws(ConfigurationFaults) -> DaemonConfiguration {
        try DaemonConfiguration(bytes, environment: ProcessInfo.processInfo.environment)
    }

    /// Reads the bytes of the configuration file.
    private func contents() throws(ConfigurationFaults) -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: config) else {
            throw ConfigurationFaults(faults: [
                JSONFault(
                    .wrongValue("\(Terminal.safe(config, limit: 4096)): the file cannot be read"), line: 0)
            ])
        }
        return [UInt8](data)
    }

    /// Assembles the daemon from its configuration, and runs it until a signal.
    private func serve(
        _ file: DaemonConfiguration, of bytes: [UInt8], hangUps: UnixSignalsSequence, log: Logger
    ) async throws {
        let systemd = SystemdNotice(environment: ProcessInfo.processInfo.environment)
        let kiosk = try file.fleet.map { try KioskOfFleet($0, store: file.store, path: config) }
        let configuration = try kiosk?.configuration(over: bytes, orOwn: file, log) ?? file
        let readers = PCSCService()
        let basis = StoredBasis(
            folder: configuration.store, policy: configuration.policy, policies: configuration.policies)
        configuration.warnOfTestDocuments(log)
        let metrics = PresentationMetrics()
        let access = AccessBook(configuration.access)
        let issuing = try await ReaderTokensInForce(
            configuration.readerTokens, from: kiosk?.tokens, log)
        let folder = BrandFolder(store: configuration.store)
        let issuer = ReaderTokenIssuer(
            folder, server: issuing.server, audit: Logger(label: "countersignd.audit"), clock: .system)
        // `tokens` verifies the reader tokens of data requests. A reader token contains the requesting brand.
        let (archive, tokens) = try configuration.openStore(metrics, tokens: issuer.forPresets, log)
        let webhooks = try configuration.webhooks?.queue(from: archive, metrics: metrics, log: log)
        // A faulty logo is reported at the start. The pages read the file only when they show the logo.
        try configuration.checkLogos()
        // Only requests for a portrait need the decoder, so its absence does not prevent the start.
        let portraits = PortraitDecoder(executable: "\(Self.folder)/\(PortraitDecoder.program)")
        if !portraits.isInstalled {
            log.error(
                "portraits cannot be decoded, so a portrait counts as unusable: install \(PortraitDecoder.program) beside this program"
            )
        }
        let coordinator = try PresentationCoordinator(
            lanes: try configuration.lanes.map { try $0.assemble(readers) }, basis: basis,
            portraits: portraits, metrics: metrics,
            log: log, limits: configuration.limits, clock: .system, brands: tokens,
            archive: archive, webhooks: webhooks, accessories: configuration.accessories)
        let lanes = LanesInForce(configuration.lanes, of: coordinator, readers: readers, log: log)
        let brands = BrandRoutes(folder, issuer: issuer)
        let online = try configuration.online.map { online in
            OnlineVerifier(
                try online.settings(), nonces: try online.openNonces(in: configuration.store), basis: basis,
                portraits: portraits, clock: .system, log: log)
        }
        let page = try configuration.pageFiles() ?? pageBesideProgram(log)
        let pages = try configuration.pageSessions()
        let tls = try configuration.http?.serverTLS()
        let servers = servers(
            for: configuration, coordinator: coordinator, brands: brands, online: online, access: access,
            pages: pages, page: page, tls: tls, systemd: systemd, log: log)
        let parts = ReplaceableParts(
            access: access, coordinator: coordinator, issuing: issuing, basis: basis, lanes: lanes,
            online: online, tls: tls, log: log)
        let inForce = ConfigurationInForce(configuration) { await parts.replace(by: $0) }
        // At a kiosk, a reload is applied through `inForce`, which keeps a stopped kiosk stopped. The timeout
        // of zero means that the reload does not wait for lanes in use.
        let reloading = Reloading(
            hangUps: hangUps, read: { () throws(ConfigurationFaults) in try read(kiosk) },
            apply: { _ = await kiosk == nil ? parts.replace(by: $0) : inForce.apply($0, within: .zero) },
            path: config, systemd: systemd, log: log)
        await coordinator.startStanding()
        let lifetime = CoordinatorLifetime(coordinator: coordinator, systemd: systemd)
        // Services end in the opposite order of this list: the coordinator ends presentations, the listeners
        // close, and the last webhooks are sent.
        var services: [any Service] = servers
        services += [RecordPurge(archive, clock: .system), reloading, lifetime] as [any Service]
        if let webhooks { services.insert(webhooks, at: 0) }
        if let kiosk {
            services.append(try kiosk.agent(of: coordinator, inForce: inForce, metrics: metrics, log: log))
        }
        try await run(services, end: configuration.end, log)
    }

    /// Runs the services until a signal, or with `--until-input-ends` until the end of the standard input.
    ///
    /// - Parameter end: the time that the services have to finish after the signal or the end of the input.
    private func run(_ services: [any Service], end: Duration, _ log: Logger) async throws {
        var group = ServiceGroupConfiguration(
            services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: log)
        if untilInputEnds {
            // By default the end of one service immediately cancels all other services, so presentations
            // would have no time to end.
            group.services.append(
                .init(service: InputLifetime(), successTerminationBehavior: .gracefullyShutdownGroup))
        }
        group.maximumGracefulShutdownDuration = end
        // Services that are still running after the duration `end` are cancelled. They then have 5 s to end.
        group.maximumCancellationDuration = .seconds(5)
        try await ServiceGroup(configuration: group).run()
    }

    /// Makes the servers of the Unix socket and of the TCP listener. Only the TCP listener has TLS.
    private func servers(
        for configuration: DaemonConfiguration, coordinator: PresentationCoordinator, brands: BrandRoutes,
        online: OnlineVerifier?, access: AccessBook, pages: PageSessions, page: PageFiles, tls: ServerTLS?,
        systemd: SystemdNotice, log: Logger
    ) -> [ReaderServer] {
        var addresses: [ListeningServer.Address] = []
        if let socket = configuration.socket {
            addresses.append(.socket(path: socket.path, mode: socket.mode))
        }
        if let http = configuration.http { addresses.append(.tcp(host: http.host, port: http.port)) }
        // Each connection needs a file descriptor, and the usual limit of 1024 is too low for the default of
        // 512 connections at two listeners.
        OpenConnections.makeRoom(for: configuration.connections, listeners: addresses.count)
        // The rules apply only to requests over TCP, so without a TCP listener any port number will do.
        let hosts = HostRules(
            port: configuration.http?.port ?? 0, address: configuration.http?.host ?? "",
            names: configuration.http?.names ?? [], isSecure: tls != nil)
        let metrics = HTTPMetrics()
        let readiness = Readiness(listeners: addresses.count, systemd: systemd, log: log)
        return addresses.map { address in
            let isTCP = if case .tcp = address { true } else { false }
            return ReaderServer(
                at: address, coordinator: coordinator, brands: brands, online: online,
                store: configuration.store, access: access,
                pages: pages, hosts: hosts, page: page, connections: configuration.connections,
                tls: isTCP ? tls : nil, metrics: metrics, log: log,
                listening: { _ in await readiness.opened() })
        }
    }

    /// Returns the files of the pages that come with the program. If they are missing, the daemon works
    /// without pages.
    private func pageBesideProgram(_ log: Logger) -> PageFiles {
        do throws(PageFault) {
            return try PageFiles(folder: Self.folder + "/countersign_ReaderAPI.resources/Kiosk")
        } catch {
            log.warning(
                "the files of the pages are missing, so no pages are served: set \"page\" to the folder with these files",
                metadata: ["why": "\(error)"])
            return PageFiles()
        }
    }

    /// The folder of this program, which also contains its resources.
    static var folder: String {
        let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return program.map { String($0.prefix(upTo: $0.lastIndex(of: "/") ?? $0.startIndex)) } ?? ""
    }
}

/// The command `countersignd schema`. It prints the JSON Schema of the configuration.
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Print the JSON Schema of the configuration.",
        discussion: """
            With the schema, an editor completes and checks a file that begins with

              { "$schema": "/usr/share/countersign/countersignd.schema.json",

            The schema cannot express rules that involve several values, so only countersignd --check finds all faults.
            """)

    func run() { print(DaemonConfiguration.table.description(of: DaemonConfiguration()).file.text) }
}
