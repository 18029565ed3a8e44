internal import ErrorMapping
internal import Fleet
internal import FoundationEssentials
internal import JSON
internal import Logging
internal import MdocVerification
internal import PresentationService
internal import ReaderAPI
internal import ReaderIdentityStore
internal import ServiceLifecycle

/// This kiosk in its fleet: what its own file and the documents that it obeys lead to, and the agent that follows the hub.
struct KioskOfFleet: Sendable {
    /// How long lanes may take to become ready with another configuration.
    private static let readyTimeout = Duration.seconds(20)
    private static let readyInterval = Duration.milliseconds(250)
    /// How long a change waits for lanes that are in use.
    private static let inUseTimeout = Duration.seconds(120)

    let settings: KioskSettings
    private let folder: FleetFolder
    /// The kiosk's own file.
    private let path: String
    /// Where a reader token was refused since this kiosk is revoked.
    private let revocations: AsyncStream<Void>
    private let revoked: AsyncStream<Void>.Continuation

    init(_ fleet: DaemonConfiguration.Fleet, store: String, path: String) throws(AssemblyFault) {
        settings = try fleet.settings(in: store)
        self.path = path
        (revocations, revoked) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        folder = try mapping(FleetFolder(store: store)) { (error: IdentityStoreError) in
            AssemblyFault("fleet", error.explanation)
        }
    }

    /// What asks the hub for reader tokens.
    var tokens: KioskTokens { KioskTokens(settings, folder) { [revoked] in revoked.yield() } }

    /// The configuration that counts: the file's with what the documents change, and none of its lanes and callers where the
    /// kiosk is stopped.
    func configuration(over file: [UInt8]) throws(ConfigurationFaults) -> DaemonConfiguration {
        let (accepted, isStopped) = try loaded()
        let configuration = try Self.configuration(of: accepted, over: file)
        return isStopped ? configuration.stopped : configuration
    }

    /// The same at the start, which documents do not prevent: where they lead to a fault the kiosk's own file counts alone.
    func configuration(
        over file: [UInt8], orOwn own: DaemonConfiguration, _ log: Logger
    ) throws(ConfigurationFaults) -> DaemonConfiguration {
        let (accepted, isStopped) = try loaded()
        var configuration = own
        if !accepted.documents.isEmpty {
            do {
                configuration = try Self.configuration(of: accepted, over: file)
                try configuration.checkFiles()
            } catch {
                configuration = own
                log.error(
                    "the fleet's documents do not fit the file: the file counts alone",
                    metadata: ["why": "\(Self.text(error))"])
            }
        }
        return isStopped ? configuration.stopped : configuration
    }

    private static func configuration(
        of accepted: AcceptedDocuments, over file: [UInt8]
    ) throws(ConfigurationFaults) -> DaemonConfiguration {
        var accepted = accepted
        let configuration = try mapping(accepted.configuration(over: file)) { (error: FleetDocumentError) in
            ConfigurationFaults.fleet(error.explanation)
        }
        return try parse(configuration)
    }

    private static func text(_ error: any Error) -> String {
        (error as? ConfigurationFaults)?.text(of: "configuration") ?? "\(error)"
    }

    private func loaded() throws(ConfigurationFaults) -> (accepted: AcceptedDocuments, isStopped: Bool) {
        try mapping(state()) { (error: AssemblyFault) in ConfigurationFaults.fleet("\(error)") }
    }

    private func state() throws(AssemblyFault) -> (accepted: AcceptedDocuments, isStopped: Bool) {
        try mapping(folder.load(settings.membership, settings.keys)) { (error: FleetFolderError) in
            AssemblyFault("fleet", error.explanation)
        }
    }

    private static func parse(
        _ configuration: AcceptedDocuments.Configuration
    ) throws(ConfigurationFaults) -> DaemonConfiguration {
        let environment = ProcessInfo.processInfo.environment
        switch configuration {
        case .file(let bytes): return try DaemonConfiguration(bytes, environment: environment)
        case .changed(let item): return try DaemonConfiguration(item, environment: environment)
        }
    }

    func agent(
        of coordinator: PresentationCoordinator, inForce: ConfigurationInForce,
        metrics: PresentationMetrics, log: Logger
    ) throws(AssemblyFault) -> FleetAgentService {
        let (path, store) = (path, settings.store)
        let file: @Sendable () -> [UInt8] = {
            FileManager.default.contents(atPath: path).map { [UInt8]($0) } ?? []
        }
        let actions = FleetActions(
            file: file,
            check: { configuration in
                do {
                    try Self.parse(configuration).checkFiles()
                    return nil
                } catch {
                    return Self.text(error)
                }
            },
            apply: { configuration in
                guard let configuration = try? Self.parse(configuration) else { return .notReady }
                let before = await coordinator.readyLanes()
                guard await inForce.apply(configuration, within: Self.inUseTimeout) else { return .inUse }
                return await Self.areReady(configuration, before: before, at: coordinator)
                    ? .ready : .notReady
            },
            setStopped: { isStopped in await inForce.setStopped(isStopped) },
            clockSkew: { await inForce.clockSkew },
            health: {
                let health = await coordinator.health(in: store)
                return KioskHealth(
                    lanes: health.lanes.map { KioskHealth.Lane(name: $0.name, state: $0.state) },
                    findings: health.findings, trustAgeHours: health.trustAge.map { $0 / 3600 })
            }, setWaiting: { waiting in metrics.receiptsWaiting(waiting) })
        return FleetAgentService(
            agent: FleetAgent(settings, in: folder, from: try state(), by: actions, log: log),
            revocations: revocations)
    }

    /// Whether the lanes that were ready before, and are still there, are ready again.
    private static func areReady(
        _ configuration: DaemonConfiguration, before: Set<String>, at coordinator: PresentationCoordinator
    ) async -> Bool {
        let expected = before.intersection(configuration.lanes.map(\.name))
        let deadline = ContinuousClock.now + readyTimeout
        while ContinuousClock.now < deadline, !Task.isCancelled {
            let ready = await coordinator.readyLanes()
            if ready.isSuperset(of: expected), before.isEmpty || !ready.isEmpty { return true }
            try? await Task.sleep(for: readyInterval)
        }
        return false
    }
}

extension ConfigurationFaults {
    fileprivate static func fleet(_ text: String) -> ConfigurationFaults {
        ConfigurationFaults(faults: [JSONFault(.wrongValue("fleet: \(text)"), line: 0)])
    }
}

/// The configuration that counts in the daemon: of its file or its fleet, one change at a time. A stop waits for none of them and
/// holds whatever is applied.
actor ConfigurationInForce {
    private static let interval = Duration.seconds(1)
    /// How long a kiosk that is started waits for lanes that are in use since before the stop.
    private static let startTimeout = Duration.seconds(10)

    /// Puts a configuration in force; false if a lane that is in use stays as it was.
    private let put: @Sendable (DaemonConfiguration) async -> Bool
    private var wanted: DaemonConfiguration
    private var isStopped = false
    private var last: Task<Bool, Never>?
    private var wishes = 0

    init(_ first: DaemonConfiguration, put: @escaping @Sendable (DaemonConfiguration) async -> Bool) {
        wanted = first
        self.put = put
    }

    var clockSkew: Int64 { wanted.policy.clockSkew }

    /// - Parameter timeout: how long lanes that are in use are waited for.
    /// - Returns: whether all lanes follow.
    func apply(_ new: DaemonConfiguration, within timeout: Duration) async -> Bool {
        let task = enqueue(new, timeout)
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    func setStopped(_ isStopped: Bool) async {
        self.isStopped = isStopped
        // At once, and again after a change that is under way.
        guard isStopped else {
            _ = await enqueue(nil, Self.startTimeout).value
            return
        }
        _ = await put(wanted.stopped)
        _ = enqueue(nil, nil)
    }

    private func enqueue(_ new: DaemonConfiguration?, _ timeout: Duration?) -> Task<Bool, Never> {
        let before = last
        wishes += 1
        let number = wishes
        let task = Task {
            _ = await before?.value
            return await settle(new, within: timeout, wish: number)
        }
        last = task
        return task
    }

    /// Waits until all lanes follow: so long, or where nothing is said until there is another wish.
    private func settle(_ new: DaemonConfiguration?, within timeout: Duration?, wish number: Int) async
        -> Bool
    {
        if let new { wanted = new }
        let start = ContinuousClock.now
        while true {
            let asked = isStopped
            let isDone = await put(asked ? wanted.stopped : wanted)
            guard asked == isStopped else { continue }
            if isDone { return true }
            let isOver = timeout.map { ContinuousClock.now >= start + $0 } ?? (number != wishes)
            if isOver || Task.isCancelled {
                // A stop is never given up.
                if isStopped, number == wishes { _ = enqueue(nil, nil) }
                return false
            }
            try? await Task.sleep(for: Self.interval)
        }
    }
}

extension DaemonConfiguration {
    /// Takes no order and no caller's token.
    var stopped: DaemonConfiguration {
        var stopped = self
        stopped.lanes = []
        stopped.access = .stopped
        stopped.readerTokens = TokenIssuing()
        stopped.online?.merchants = []
        stopped.online?.web = nil
        return stopped
    }
}

struct FleetAgentService: Service {
    let agent: FleetAgent
    let revocations: AsyncStream<Void>

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { await agent.run() }
                // The agent asks the hub whether that is so, and stops.
                for await _ in revocations { await agent.notice(spread: 0) }
            }
        }
    }
}
