internal import ReaderAPI
internal import ServiceLifecycle

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
