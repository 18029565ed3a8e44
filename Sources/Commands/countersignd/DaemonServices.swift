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
                log.notice("the daemon read the file again")
            } catch {
                log.error(
                    "the file has faults and is not used", metadata: ["faults": "\(error.text(of: path))"])
            }
            // This is sent after a fault, too, because systemd waits for the end of the reload.
            systemd.ready()
        }
    }
}

/// The parts of the daemon that another configuration replaces while the daemon runs.
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
        // If a stopped kiosk is started again, the lanes are replaced before the access rules: a caller's
        // order for a lane that is not there yet would be refused as an unknown lane. In every other case the
        // access rules are replaced first, so that a caller who has lost the access cannot order in the
        // meantime.
        let isStarted = access.current == .stopped
        if !isStarted { access.replace(with: new.access) }
        // Callers that have lost their access must not receive later events.
        await coordinator.endStreams(under: new.access)
        await issuing.apply(new.readerTokens)
        basis.replace(policy: new.policy, policies: new.policies)
        new.warnOfTestDocuments(log)
        let isDone = await lanes.apply(new.lanes)
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
            log.error("the keys of online stay as they were", metadata: ["fault": "\(error)"])
        }
    }
}

/// The service of the coordinator's lifetime. It sends heartbeats to event listeners, and ends all
/// presentations when the daemon ends.
struct CoordinatorLifetime: Service {
    let coordinator: PresentationCoordinator
    let systemd: SystemdNotice

    func run() async throws {
        let beats = Task {
            // The lanes are inspected now, so that a refusal of bluetoothd is in the log before the first
            // customer comes (Q239).
            await coordinator.inspectLanesAtStart()
            await coordinator.beat()
        }
        // An error means that the service was cancelled, which ends the daemon too.
        try? await gracefulShutdown()
        systemd.ending()
        beats.cancel()
        await coordinator.close()
    }
}

/// A service that ends with the standard input. It ignores the input's bytes.
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
