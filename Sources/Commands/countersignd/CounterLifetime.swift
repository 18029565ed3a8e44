internal import ReaderAPI
internal import ServiceLifecycle

/// The counter from the first request to the end: sends beats to listeners, and at the end lets everybody go.
struct CounterLifetime: Service {
    let counter: Counter
    let systemd: SystemdNotice

    func run() async throws {
        let beats = Task { await counter.beat() }
        try? await gracefulShutdown()
        systemd.ending()
        beats.cancel()
        await counter.close()
    }
}
