internal import VersionNumber
internal import Accessories
internal import AccessoryDevices
internal import JSON
internal import Synchronization
internal import Transport

/// The accessories that this program serves, each with a worker on a thread of its own.
///
/// The daemon sends the whole list after each connection and after each change of its configuration. Accessories that did
/// not change keep their workers. The contacts of one serial line share a worker, and are restarted together if one of
/// them changes.
///
/// **At rest** the threads of this program and the watchdog wait without a time limit, and only these things wake one:
/// - a comment line of the daemon, every 15 s;
/// - the keep-alive of a broker, once a second;
/// - a camera that is off, every 5 s, to see whether it is still plugged in; while its lane takes a code, a camera takes
///   four pictures a second;
/// - a panel's polls on an OSDP line, as often as the panel sends them;
/// - a device that is away or cannot be used, which its worker opens again every 2 s, and a broker every 2 to 60 s;
/// - a daemon that is away, to which the program connects every second.
///
/// A worker has a shorter time limit only while something is in progress: a code that has begun, a claim, a contact that
/// is closed, or "off" that a board has not confirmed.
final class RunningAccessories: Sendable {
    /// A worker with its accessories.
    private final class Group: Sendable {
        let desks: [WorkerDesk]
        let thread = WorkerThread()
        private let end = Completion()

        init(_ desks: [WorkerDesk]) {
            self.desks = desks
        }

        var accessories: [Accessory] { desks.map(\.accessory) }

        func start(_ work: @escaping @Sendable ([WorkerDesk]) -> Void) {
            thread.perform { [self] in
                work(desks)
                end.complete()
            }
        }

        func post(_ message: WorkerMessage) {
            for desk in desks { desk.mailbox.post(message) }
        }

        /// Waits until the worker, which was told to stop, has left its device.
        ///
        /// - Returns: false if the worker hangs in a call to its device.
        func waitForEnd(until limit: Duration) -> Bool { end.wait(until: limit) }
    }

    /// The time in which all workers together have to leave their devices. It is shorter than the time that the
    /// service's unit gives (`TimeoutStopSec`), so that the watchdog has some of that time.
    private static let stopLimit = Duration.seconds(8)

    private let daemon: DaemonLink
    private let watchdog = Watchdog()
    private let groups = Mutex<[Group]>([])
    private let isEnding = Atomic(false)
    /// Starts and stops workers, so that a worker that hangs delays no output of the others.
    private let changes = WorkerThread()
    /// The lanes as the daemon has announced them, for workers that start later.
    private let lanes = Mutex((described: [LaneDescription](), news: [String: LaneNews]()))

    init(_ daemon: DaemonLink) {
        self.daemon = daemon
    }

    /// Replaces the accessories by those of the daemon. Returns before the workers were replaced.
    func replace(by accessories: [Accessory]) {
        changes.perform { [self] in change(to: accessories) }
    }

    private func change(to accessories: [Accessory]) {
        guard !isEnding.load(ordering: .acquiring) else { return }
        let wanted = Self.grouped(accessories)
        let (kept, ended) = groups.withLock { groups in
            let kept = groups.filter { wanted.contains($0.accessories) }
            let ended = groups.filter { !wanted.contains($0.accessories) }
            groups = kept
            return (kept, ended)
        }
        // The devices of all ended workers are free before the first new worker opens one.
        stop(ended)
        for group in kept { group.post(.reportAgain) }
        for accessories in wanted where !kept.contains(where: { $0.accessories == accessories }) {
            start(accessories)
        }
    }

    /// Passes an output to its accessory. An output of an unknown accessory is refused.
    func deliver(_ output: DueOutput) {
        let desk = groups.withLock { groups in
            groups.lazy.flatMap(\.desks).first {
                // An accessory that a reload has moved to another lane gives nothing for its earlier lane.
                $0.accessory.name == output.accessory && ($0.accessory.lane ?? output.lane) == output.lane
            }
        }
        guard let desk else { return daemon.finish(output, as: .refused) }
        desk.mailbox.post(.output(output))
    }

    /// Passes a try to its accessory. A try of an unknown accessory, or of a kind that is not tried, is refused.
    func deliver(_ attempt: AccessoryTry) {
        let desk = groups.withLock { groups in
            groups.lazy.flatMap(\.desks).first {
                $0.accessory.name == attempt.accessory && $0.accessory.lane == attempt.lane
                    && $0.accessory.tryAction == attempt.action
            }
        }
        guard let desk else { return daemon.finish(attempt, as: .refused) }
        desk.mailbox.post(.attempt(.begun(attempt)))
        Journal.write("\(attempt.accessory): the operator tries the accessory (\(attempt.action.rawValue))")
    }

    /// Sends a message to all workers, and keeps what it says of the lanes.
    func post(_ message: WorkerMessage) {
        lanes.withLock { lanes in
            switch message {
            case .lanes(let described): lanes.described = described
            case .lane(let news): lanes.news[news.lane] = news
            case .daemonLost: lanes = ([], [:])
            case .output, .claimed, .attempt, .broker, .reportAgain, .stop: break
            }
        }
        for group in groups.withLock({ $0 }) { group.post(message) }
    }

    /// Stops all workers. Contacts are open afterwards.
    func stop() {
        isEnding.store(true, ordering: .releasing)
        let ended = groups.withLock { groups in
            defer { groups = [] }
            return groups
        }
        stop(ended)
    }

    private func stop(_ ended: [Group]) {
        // All are told before the first is waited for.
        for group in ended { group.post(.stop) }
        let end = Duration.now + Self.stopLimit
        for group in ended where !group.waitForEnd(until: end) {
            let names = group.accessories.map(\.name).joined(separator: ", ")
            Journal.write(
                "\(names): the device does not let go of its worker; unplug it or restart this program")
        }
    }

    private func start(_ accessories: [Accessory]) {
        do throws(DeviceFault) {
            let group = Group(
                try accessories.map { accessory throws(DeviceFault) in
                    try WorkerDesk(accessory, daemon: daemon)
                })
            let known = lanes.withLock { $0 }
            group.post(.lanes(known.described))
            for news in known.news.values { group.post(.lane(news)) }
            groups.withLock { $0.append(group) }
            group.start { [watchdog] desks in Self.run(desks, watchdog: watchdog) }
        } catch {
            for accessory in accessories { daemon.report(error.state, of: accessory.name) }
        }
    }

    /// Runs the worker of a group until it is stopped.
    private static func run(_ desks: [WorkerDesk], watchdog: Watchdog) {
        if var worker = BoardWorker(desks, watchdog: watchdog) { return worker.run() }
        // Only contacts share a worker.
        guard let desk = desks.first else { return }
        if var worker = ScannerWorker(desk) { return worker.run() }
        if var worker = TextWorker(desk) { return worker.run() }
        if var worker = PanelWorker(desk) { return worker.run() }
        if var worker = BrokerWorker(desk, software: Version.number) { return worker.run() }
        desk.report(.misconfigured)
        while desk.wait(.seconds(60)) {}
    }

    /// Returns the accessories of each worker. The contacts of one serial line have one worker.
    static func grouped(_ accessories: [Accessory]) -> [[Accessory]] {
        var groups: [[Accessory]] = []
        for accessory in accessories {
            let line = serialLine(of: accessory)
            let shared = line.flatMap { line in
                groups.firstIndex { $0.first.flatMap(serialLine) == line }
            }
            if let shared {
                groups[shared].append(accessory)
            } else {
                groups.append([accessory])
            }
        }
        return groups
    }

    /// The path of the serial line of a contact, or `nil` for an accessory that has its device alone.
    private static func serialLine(of accessory: Accessory) -> String? {
        guard case .relay(let relay)? = accessory.output?.device else { return nil }
        return switch relay.board {
        case .lcus(let device), .kmtronic(let device), .modbusRTU(let device, _, _, _): device
        case .gpio, .usbRelay, .hidRelay, .modbusTCP: nil
        }
    }
}
