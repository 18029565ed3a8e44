internal import Dispatch
internal import Glibc
internal import Logging
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

/// The coordinator from the first request to the end: sends beats to listeners, and at the end lets everybody go.
struct CoordinatorLifetime: Service {
    let coordinator: PresentationCoordinator
    let systemd: SystemdNotice

    func run() async throws {
        let beats = Task { await coordinator.beat() }
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
