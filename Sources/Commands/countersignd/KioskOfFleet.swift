internal import ConfigurationForms
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

/// This computer as a kiosk of a fleet. It makes the configuration from the kiosk's own file and the fleet's
/// documents. It also makes the agent that queries the hub for changes.
struct KioskOfFleet: Sendable {
    /// The maximum time in which lanes must become ready after a change of the configuration.
    private static let readyTimeout = Duration.seconds(20)
    /// The time between two checks whether the lanes are ready.
    private static let readyInterval = Duration.milliseconds(250)
    /// The maximum time that a change waits for lanes in use.
    private static let inUseTimeout = Duration.seconds(120)

    let settings: KioskSettings
    private let folder: FleetFolder
    /// The path of the kiosk's own configuration file.
    private let path: String
    /// An event for each reader token that the hub refused because this kiosk is revoked.
    private let revocations: AsyncStream<Void>
    /// The continuation through which `tokens` sends an event to `revocations`.
    private let revoked: AsyncStream<Void>.Continuation

    init(_ fleet: DaemonConfiguration.Fleet, store: String, path: String) throws(AssemblyFault) {
        settings = try fleet.settings(in: store)
        self.path = path
        // One query to the hub is enough after any number of refused tokens, so at most one event is
        // buffered.
        (revocations, revoked) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        folder = try mapping(FleetFolder(store: store)) { (error: IdentityStoreError) in
            AssemblyFault("fleet", error.explanation)
        }
    }

    /// The client that requests reader tokens from the hub.
    var tokens: KioskTokens { KioskTokens(settings, folder) { [revoked] in revoked.yield() } }

    /// Returns the configuration in force: the configuration of the file, changed by the fleet's documents. A
    /// stopped kiosk has no lanes and no callers.
    func configuration(over file: [UInt8]) throws(ConfigurationFaults) -> DaemonConfiguration {
        let (accepted, isStopped) = try loaded()
        let configuration = try Self.configuration(of: accepted, over: file)
        return isStopped ? configuration.stopped : configuration
    }

    /// Returns the configuration at the start of the daemon. If the fleet's documents lead to a fault, the
    /// kiosk's own file is used alone, because documents must never prevent a start.
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
                    "the configuration with the fleet's documents has faults: the daemon uses only the kiosk's own file",
                    metadata: ["why": "\(Self.text(error))"])
            }
        }
        return isStopped ? configuration.stopped : configuration
    }

    /// Applies the accepted documents to the contents of the kiosk's own file, and parses the result. The
    /// file itself stays as it is.
    private static func configuration(
        of accepted: AcceptedDocuments, over file: [UInt8]
    ) throws(ConfigurationFaults) -> DaemonConfiguration {
        // `configuration(over:)` is mutating, because it stores the built configuration in the value. The
        // parameter is constant, so a copy is changed.
        var accepted = accepted
        let configuration = try mapping(accepted.configuration(over: file)) { (error: FleetDocumentError) in
            ConfigurationFaults.fleet(error.explanation)
        }
        return try parse(configuration)
    }

    private static func text(_ error: any Error) -> String {
        (error as? ConfigurationFaults)?.text(of: "configuration") ?? "\(error)"
    }

    /// Reads the accepted documents and whether the kiosk is stopped. An error is thrown as a fault of the
    /// configuration.
    private func loaded() throws(ConfigurationFaults) -> (accepted: AcceptedDocuments, isStopped: Bool) {
        try mapping(state()) { (error: AssemblyFault) in ConfigurationFaults.fleet("\(error)") }
    }

    /// Reads the accepted documents and whether the kiosk is stopped, from the store's folder.
    private func state() throws(AssemblyFault) -> (accepted: AcceptedDocuments, isStopped: Bool) {
        try mapping(folder.load(settings.membership, settings.keys)) { (error: FleetFolderError) in
            AssemblyFault("fleet", error.explanation)
        }
    }

    /// Parses the contents of the kiosk's own file, or these contents with the changes of the fleet's
    /// documents.
    private static func parse(
        _ configuration: AcceptedDocuments.Configuration
    ) throws(ConfigurationFaults) -> DaemonConfiguration {
        let environment = ProcessInfo.processInfo.environment
        switch configuration {
        case .file(let bytes): return try DaemonConfiguration(bytes, environment: environment)
        case .changed(let item): return try DaemonConfiguration(item, environment: environment)
        }
    }

    /// Makes the agent, which requests documents from the hub and applies them to the configuration in force.
    func agent(
        of coordinator: PresentationCoordinator, inForce: ConfigurationInForce,
        metrics: PresentationMetrics, log: Logger
    ) throws(AssemblyFault) -> FleetAgentService {
        let (path, store) = (path, settings.store)
        // If the file cannot be read, its contents are empty, and `check` refuses an empty file. So the kiosk
        // keeps its configuration.
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
                // The agent checks a changed configuration first, so only the kiosk's own file can have a
                // fault here.
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

    /// Returns whether every lane that was ready before, and is still configured, is ready again.
    private static func areReady(
        _ configuration: DaemonConfiguration, before: Set<String>, at coordinator: PresentationCoordinator
    ) async -> Bool {
        let expected = before.intersection(configuration.lanes.map(\.name))
        let deadline = ContinuousClock.now + readyTimeout
        while ContinuousClock.now < deadline, !Task.isCancelled {
            let ready = await coordinator.readyLanes()
            // If the kiosk had a ready lane before, at least one lane has to be ready now. Otherwise a
            // configuration that renames or removes every lane would count as ready without any lane.
            if ready.isSuperset(of: expected), before.isEmpty || !ready.isEmpty { return true }
            try? await Task.sleep(for: readyInterval)
        }
        return false
    }
}

extension ConfigurationFaults {
    fileprivate static func fleet(_ text: String) -> ConfigurationFaults {
        // Line 0 means that the fault is not in the configuration file itself.
        ConfigurationFaults(faults: [JSONFault(.wrongValue("fleet: \(text)"), line: 0)])
    }
}

/// The configuration in force. New configurations, from the daemon's file or from the fleet's documents, are
/// applied one after another.
///
/// A stop of the kiosk does not wait for a running change, and remains in force after every change.
actor ConfigurationInForce {
    /// The time between two attempts to replace lanes in use.
    private static let interval = Duration.seconds(1)
    /// The maximum time that a start of a stopped kiosk waits for presentations from before the stop.
    private static let startTimeout = Duration.seconds(10)

    /// Applies a configuration to the daemon. Returns false if a lane in use still has the previous
    /// configuration.
    private let replace: @Sendable (DaemonConfiguration) async -> Bool
    /// The configuration of the latest change, which is in force unless the kiosk is stopped.
    private var wanted: DaemonConfiguration
    private var isStopped = false
    /// The latest change, for which the next change waits.
    private var last: Task<Bool, Never>?
    /// The number of requested changes. A change without a timeout is tried until another change is
    /// requested, which increases this number.
    private var changes = 0

    init(_ first: DaemonConfiguration, replace: @escaping @Sendable (DaemonConfiguration) async -> Bool) {
        wanted = first
        self.replace = replace
    }

    var clockSkew: Int64 { wanted.policy.clockSkew }

    /// Applies another configuration after the changes that were requested before.
    ///
    /// - Parameter timeout: the maximum time to wait for lanes in use.
    /// - Returns: false if a lane in use kept the previous configuration until the end of the wait.
    func apply(_ new: DaemonConfiguration, within timeout: Duration) async -> Bool {
        // The task of a change is not a child of the caller's task, so a cancellation has to be passed on.
        let task = enqueue(new, timeout)
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Stops or starts the kiosk.
    func setStopped(_ isStopped: Bool) async {
        self.isStopped = isStopped
        guard isStopped else {
            // A lane that is still in use when `startTimeout` has passed keeps its previous configuration
            // until the next change.
            _ = await enqueue(nil, Self.startTimeout).value
            return
        }
        // A stop is applied immediately, without waiting for earlier changes. A change that is running now
        // may undo the stop, so the stop is applied again after that change, until no lane is in use.
        _ = await replace(wanted.stopped)
        _ = enqueue(nil, nil)
    }

    /// Queues a change, which begins when the previous change has ended.
    ///
    /// - Parameter new: the configuration. Nil to apply `wanted` again, after a stop or a start.
    private func enqueue(_ new: DaemonConfiguration?, _ timeout: Duration?) -> Task<Bool, Never> {
        let before = last
        changes += 1
        let number = changes
        let task = Task {
            _ = await before?.value
            return await settle(new, within: timeout, change: number)
        }
        last = task
        return task
    }

    /// Applies the configuration again and again until no lane in use has the previous configuration, at most
    /// for `timeout`. Without a timeout, tries until another change is requested.
    private func settle(_ new: DaemonConfiguration?, within timeout: Duration?, change number: Int) async
        -> Bool
    {
        if let new { wanted = new }
        let start = ContinuousClock.now
        while true {
            let asked = isStopped
            let isDone = await replace(asked ? wanted.stopped : wanted)
            // A stop or a start came while the lanes were replaced, so the lanes are replaced again.
            guard asked == isStopped else { continue }
            if isDone { return true }
            let isOver = timeout.map { ContinuousClock.now >= start + $0 } ?? (number != changes)
            if isOver || Task.isCancelled {
                // A stop is tried again until no lane is in use, because a stopped kiosk must not serve.
                if isStopped, number == changes { _ = enqueue(nil, nil) }
                return false
            }
            try? await Task.sleep(for: Self.interval)
        }
    }
}

extension DaemonConfiguration {
    /// This configuration without lanes and callers, for a stopped kiosk.
    var stopped: DaemonConfiguration {
        var stopped = self
        stopped.lanes = []
        // Accessories belong to lanes, and a broker gets nothing from a stopped kiosk.
        stopped.accessories = []
        stopped.access = .stopped
        stopped.readerTokens = TokenIssuing()
        stopped.online?.merchants = []
        stopped.online?.web = nil
        return stopped
    }
}

/// The service that runs the agent of the fleet until the daemon ends.
struct FleetAgentService: Service {
    let agent: FleetAgent
    /// An event for each reader token that the hub refused because this kiosk is revoked.
    let revocations: AsyncStream<Void>

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { await agent.run() }
                // The agent immediately (within 0 s) asks the hub whether the kiosk is revoked, and stops the
                // kiosk if so.
                for await _ in revocations { await agent.askHub(withinSeconds: 0) }
            }
        }
    }
}
