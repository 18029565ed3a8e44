internal import Dispatch
internal import Glibc
internal import Logging
internal import HTTPServing
internal import PresentationService
internal import ReaderAPI
internal import ServiceLifecycle
internal import UnixSignals

/// Reads the file again at SIGHUP. A file with a fault changes nothing. Presentations continue in any case.
struct Reloading: Service {
    /// Those that came since the start of the process are among them.
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
                log.notice("read the file again")
            } catch {
                log.error(
                    "the file has faults and is not used", metadata: ["faults": "\(error.text(of: path))"])
            }
            systemd.ready()
        }
    }
}

/// What another configuration replaces while the daemon runs.
struct ReplaceableParts: Sendable {
    let access: AccessBook
    let coordinator: PresentationCoordinator
    let issuing: ReaderTokensInForce
    let basis: StoredBasis
    let lanes: LanesInForce
    let online: OnlineVerifier?
    let tls: ServerTLS?
    let log: Logger

    /// - Returns: whether no lane was in use.
    func replace(by new: DaemonConfiguration) async -> Bool {
        // At a kiosk that is started again callers are known once the lanes are there: an order would be refused for good.
        let isStarted = access.current == .stopped
        if !isStarted { access.replace(with: new.access) }
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

    /// Keys and names of the file from now on; where one cannot be had, all stay as they were.
    private func replaceOnline(by settings: DaemonConfiguration.Online?) {
        guard let online else { return }
        do throws(AssemblyFault) {
            online.replace(with: try settings?.settings() ?? OnlineSettings())
        } catch {
            log.error("the keys of online stay as they were", metadata: ["fault": "\(error)"])
        }
    }
}

/// The coordinator from the first request to the end: sends beats to listeners, and at the end lets everybody go.
struct CoordinatorLifetime: Service {
    let coordinator: PresentationCoordinator
    let systemd: SystemdNotice

    func run() async throws {
        let beats = Task {
            await coordinator.lookAtStart()
            await coordinator.beat()
        }
        try? await gracefulShutdown()
        systemd.ending()
        beats.cancel()
        await coordinator.close()
    }
}

/// Lasts until the standard input ends, and skips what comes there.
struct InputLifetime: Service {
    func run() async throws {
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
