internal import Logging
internal import PCSCTransport
internal import PresentationService
internal import ReaderAPI
internal import Transport

/// The lanes in force. The lanes of another configuration replace these lanes one by one.
actor LanesInForce {
    private var lanes: [DaemonConfiguration.Lane]
    private let coordinator: PresentationCoordinator
    private let readers: PCSCService
    private let log: Logger

    init(
        _ lanes: [DaemonConfiguration.Lane], of coordinator: PresentationCoordinator, readers: PCSCService,
        log: Logger
    ) {
        self.lanes = lanes
        self.coordinator = coordinator
        self.readers = readers
        self.log = log
    }

    /// Replaces the lanes that differ. A lane in use stays as it is until the next reload.
    ///
    /// - Parameter isStopped: whether the kiosk is stopped. `new` is then empty, although the configuration
    ///   file has lanes.
    /// - Returns: whether no lane was in use.
    func apply(_ new: [DaemonConfiguration.Lane], isStopped: Bool = false) async -> Bool {
        // The names of the configured lanes are set before the first lane is removed. A lane that is being
        // replaced or cannot be assembled is not in force, but the desks of other lanes must not open its
        // retained data.
        if !isStopped { await coordinator.setConfiguredLanes(Set(new.map(\.name))) }
        var isDone = true
        // Lanes that end are removed first, because a new lane may use the reader or adapter of a removed
        // lane.
        for old in lanes where !new.contains(old) {
            guard await coordinator.remove(lane: old.name) else {
                isDone = false
                log.warning(
                    "a lane in use keeps its previous configuration: reload again when the lane is idle",
                    metadata: ["lane": "\(old.name)"])
                continue
            }
            lanes.removeAll { $0 == old }
        }
        // A lane that is unchanged or in use is still in the list, and is not added a second time.
        for lane in new where !lanes.contains(where: { $0.name == lane.name }) {
            if let conflict = lane.conflict(with: lanes) {
                logSkipped(lane, because: conflict)
                continue
            }
            do throws(TransportError) {
                await coordinator.add(try lane.assemble(readers))
                lanes.append(lane)
            } catch {
                logSkipped(lane, because: "\(error)")
            }
        }
        return isDone
    }

    /// Logs that a lane of the new configuration is not in force.
    private func logSkipped(_ lane: DaemonConfiguration.Lane, because why: String) {
        log.warning(
            "a lane of the configuration file cannot be used now: remove the cause and reload again",
            metadata: ["lane": "\(lane.name)", "why": "\(why)"])
    }
}
