internal import Fleet
internal import FoundationEssentials
internal import JSON
internal import Logging
internal import ReaderAPI
internal import ReaderIdentityStore
internal import ServiceLifecycle

/// This kiosk in its fleet: what its own file and the documents that it obeys lead to, and the agent that follows the hub.
struct KioskOfFleet: Sendable {
    /// How long lanes may take to become ready with another configuration.
    private static let readyTimeout = Duration.seconds(20)
    private static let readyInterval = Duration.milliseconds(250)

    let settings: KioskSettings
    private let folder: FleetFolder
    /// The kiosk's own file.
    private let path: String

    init(_ fleet: DaemonConfiguration.Fleet, store: String, path: String) throws(AssemblyFault) {
        settings = try fleet.settings(in: store)
        self.path = path
        do throws(IdentityStoreError) {
            folder = try FleetFolder(store: store)
        } catch {
            throw AssemblyFault("fleet", error.explanation)
        }
    }

    /// The configuration that counts: the file's with what the documents change, and none of its lanes and callers where the
    /// kiosk is stopped.
    func configuration(over file: [UInt8]) throws(ConfigurationFaults) -> DaemonConfiguration {
        let isStopped: Bool
        let bytes: [UInt8]
        do {
            let state = try state()
            isStopped = state.isStopped
            bytes = try state.accepted.configuration(over: file)
        } catch {
            throw ConfigurationFaults(faults: [JSONFault(.wrongValue("\(Self.fault(error))"), line: 0)])
        }
        let configuration = try Self.parse(bytes)
        return isStopped ? configuration.stopped : configuration
    }

    private static func fault(_ error: any Error) -> AssemblyFault {
        switch error {
        case let error as AssemblyFault: error
        case let error as FleetDocumentError: AssemblyFault("fleet", error.explanation)
        default: AssemblyFault("fleet", "\(error)")
        }
    }

    private func state() throws(AssemblyFault) -> (accepted: AcceptedDocuments, isStopped: Bool) {
        do throws(FleetFolderError) {
            return try folder.load(settings.membership, settings.keys)
        } catch {
            throw AssemblyFault("fleet", error.explanation)
        }
    }

    private static func parse(_ bytes: [UInt8]) throws(ConfigurationFaults) -> DaemonConfiguration {
        try DaemonConfiguration(bytes, environment: ProcessInfo.processInfo.environment)
    }

    /// - Parameter apply: puts a configuration in force; false where a lane that is in use stays as it was.
    func agent(
        _ coordinator: PresentationCoordinator, _ log: Logger,
        apply: @escaping @Sendable (DaemonConfiguration) async -> Bool
    ) throws(AssemblyFault) -> FleetAgentService {
        let path = path
        let file: @Sendable () -> [UInt8] = {
            FileManager.default.contents(atPath: path).map { [UInt8]($0) } ?? []
        }
        let actions = FleetActions(
            file: file,
            check: { bytes in
                do throws(ConfigurationFaults) {
                    _ = try Self.parse(bytes)
                    return nil
                } catch {
                    return error.text(of: "configuration")
                }
            },
            apply: { bytes in
                guard let configuration = try? Self.parse(bytes) else { return false }
                let before = await coordinator.readyLanes()
                await Self.applyBetweenPresentations(configuration, apply)
                return await Self.areReady(configuration, before, coordinator)
            },
            stop: {
                guard let configuration = try? Self.parse(file()) else { return }
                await Self.applyBetweenPresentations(configuration.stopped, apply)
            })
        return FleetAgentService(agent: FleetAgent(settings, folder, try state(), actions, log))
    }

    /// Lanes that are in use follow when their presentation is over.
    private static func applyBetweenPresentations(
        _ configuration: DaemonConfiguration, _ apply: @Sendable (DaemonConfiguration) async -> Bool
    ) async {
        while await !apply(configuration) {
            do { try await Task.sleep(for: .seconds(1)) } catch { return }
        }
    }

    /// Whether the lanes that were ready before, and are still there, are ready again.
    private static func areReady(
        _ configuration: DaemonConfiguration, _ before: Set<String>, _ coordinator: PresentationCoordinator
    ) async -> Bool {
        let expected = before.intersection(configuration.lanes.map(\.name))
        let deadline = ContinuousClock.now + readyTimeout
        while ContinuousClock.now < deadline {
            let ready = await coordinator.readyLanes()
            if ready.isSuperset(of: expected), before.isEmpty || !ready.isEmpty { return true }
            try? await Task.sleep(for: readyInterval)
        }
        return false
    }
}

extension DaemonConfiguration {
    /// Takes no order and knows nobody.
    fileprivate var stopped: DaemonConfiguration {
        var stopped = self
        stopped.lanes = []
        stopped.access = AccessRules()
        stopped.readerTokens = TokenIssuing()
        stopped.online?.merchants = []
        stopped.online?.web = nil
        return stopped
    }
}

struct FleetAgentService: Service {
    let agent: FleetAgent

    func run() async throws {
        await cancelWhenGracefulShutdown { await agent.run() }
    }
}
