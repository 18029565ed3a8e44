internal import ConfigurationForms
internal import Dispatch
internal import Glibc
internal import Logging
internal import HTTPServing
internal import PresentationService
internal import ReaderAPI
internal import ServiceLifecycle
internal import UnixSignals

/// The service that reads the configuration file again at each SIGHUP. A file with a fault changes nothing.
/// Presentations continue in any case.
struct Reloading: Service {
    /// The SIGHUP signals since the start of the process.
    let hangUps: UnixSignalsSequence
    let read: @Sendable () throws(ConfigurationFaults) -> DaemonConfiguration
    let apply: @Sendable (DaemonConfiguration) async -> Void
    let path: String
    let systemd: SystemdNotice
    let log: Logger

    func run() async throws {
        for await _ in hangUps.cancelOnGracefulShutdown() {
            systemd.reloading()
            do throws(ConfigurationFaults) {
                await apply(try read())
                log.notice("the daemon read its configuration file again")
            } catch {
                log.error(
                    "the file has faults: the previous configuration stays in force",
                    metadata: ["faults": "\(error.text(of: path))"])
            }
            // systemd waits for the end of the reload, so `ready()` is also called after a fault.
            systemd.ready()
        }
    }
}

/// The parts of the daemon that can be replaced by the parts of a new configuration while the daemon runs.
struct ReplaceableParts: Sendable {
    let access: AccessBook
    let coordinator: PresentationCoordinator
    let issuing: ReaderTokensInForce
    let basis: StoredBasis
    let lanes: LanesInForce
    let online: OnlineVerifier?
    let tls: ServerTLS?
    let log: Logger

    /// Replaces the parts by the parts of another configuration.
    ///
    /// - Returns: whether no lane was in use. A lane in use keeps its previous configuration.
    func replace(by new: DaemonConfiguration) async -> Bool {
        // The access rules are normally replaced before the lanes, so that a caller who has lost access
        // cannot send orders in the meantime. When a stopped kiosk is started, the lanes are replaced first.
        // Otherwise an order for a lane that is not ready yet would be refused as an order for an unknown
        // lane.
        let isStarted = access.current == .stopped
        if !isStarted { access.replace(with: new.access) }
        // Callers that have lost their access must not receive later events.
        await coordinator.endStreams(under: new.access)
        await issuing.apply(new.readerTokens)
        basis.replace(policy: new.policy, policies: new.policies)
        new.warnOfTestDocuments(log)
        let isStopped = new.access == .stopped
        // Before the lanes, so that a new lane with a standing order waits for its required outputs. A stopped
        // kiosk has no lanes, and opens no door.
        await coordinator.replaceAccessories(by: isStopped ? [] : new.accessories)
        let isDone = await lanes.apply(new.lanes, isStopped: isStopped)
        if isStarted { access.replace(with: new.access) }
        replaceOnline(by: new.online)
        new.http?.renew(tls, log)
        return isDone
    }

    /// Replaces the keys and names of merchants and web pages. If a key cannot be read, nothing changes.
    private func replaceOnline(by settings: DaemonConfiguration.Online?) {
        // A daemon that started without `online` has no verifier to change. A new member `online` then needs
        // a restart.
        guard let online else { return }
        do throws(AssemblyFault) {
            online.replace(with: try settings?.settings() ?? OnlineSettings())
        } catch {
            log.error(
                "the new keys of \"online\" cannot be used: the previous keys stay in force",
                metadata: ["fault": "\(error)"])
        }
    }
}

/// A service that sends heartbeats to the coordinator's event listeners, and ends all presentations when the
/// daemon ends.
struct CoordinatorLifetime: Service {
    let coordinator: PresentationCoordinator
    let systemd: SystemdNotice

    func run() async throws {
        let beats = Task {
            // The lanes are inspected at the start, so that the log shows a refusal by bluetoothd before the
            // first customer comes (Q239).
            await coordinator.inspectLanesAtStart()
            await coordinator.beat()
        }
        // An error means that this service was cancelled. The daemon then ends, too.
        try? await gracefulShutdown()
        systemd.ending()
        beats.cancel()
        await coordinator.close()
    }
}

/// A service that reads the standard input, ignores the bytes, and ends at the end of the input.
struct InputLifetime: Service {
    func run() async throws {
        // Nothing is ever sent through the stream, because its end is the event.
        let (ends, ended) = AsyncStream.makeStream(of: Void.self)
        let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO)
        source.setEventHandler {
            var bytes = [UInt8](repeating: 0, count: 256)
            if unsafe read(STDIN_FILENO, &bytes, bytes.count) <= 0 { ended.finish() }
        }
        source.activate()
        for await _ in ends.cancelOnGracefulShutdown() {}
        source.cancel()
    }
}
