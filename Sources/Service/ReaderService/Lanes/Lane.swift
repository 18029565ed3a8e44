package import MdocModel
package import Transport

/// One place where phones are presented: a reader and an adapter, or the bench link. It has one presentation at a time.
///
/// Devices are used in turns. A presentation waits until the phone of the one before was notified of the end, and until nobody looks
/// at the devices; while it runs nobody looks. A look tells whether phones can be asked. It is bounded, and used for a moment.
package actor Lane {
    package nonisolated let name: String
    private let device: any LaneDevice
    private let now: @Sendable () -> ContinuousClock.Instant
    private var run: LaneRun?
    /// Whether the phone before could not decode an extended request: the next presentation sends none.
    private var avoidsExtendedRequest = false
    /// The previous presentation, while its phone is being notified of the end.
    private var leaving: Task<Void, Never>?
    /// The look at the devices that is running: one at a time, whoever asks.
    private var look: Task<LaneReadiness, Never>?
    /// The inspection that began last: a look, or a trial of the radio alone. Each waits for the one before, and a
    /// presentation waits for the last.
    private var inspection: Task<Void, Never>?
    private var looked: RecentLook?

    /// How long devices may take to answer.
    private static let lookTimeout = Duration.seconds(2)

    /// - Parameter now: the clock by which a look is recent.
    package init(
        name: String, device: any LaneDevice,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.name = name
        self.device = device
        self.now = now
    }

    package var isBusy: Bool { run != nil }

    /// Starts a presentation. It continues whether anybody reads its events or not.
    ///
    /// - Returns: the events of the presentation, to its end, and the presentation once it ended.
    package func present(
        _ plan: PresentationPlan
    ) throws(LaneError) -> (events: AsyncStream<PresentationEvent>, presentation: Task<Presentation, Never>) {
        guard run == nil else { throw .busy }
        let run = LaneRun()
        self.run = run
        let (events, continuation) = AsyncStream<PresentationEvent>.makeStream()
        let (device, before, inspection) = (device, leaving, inspection)
        var plan = plan
        if avoidsExtendedRequest { plan.requestVersion = .first }
        avoidsExtendedRequest = false
        let task = Task { [plan] in
            await before?.value
            // An inspection may have the adapter's only place for an advertisement.
            await inspection?.value
            let presentation = await run.present(plan, on: device) { continuation.yield($0) }
            self.end(presentation)
            continuation.finish()
            return presentation
        }
        return (events, task)
    }

    private func end(_ presentation: Presentation) {
        run = nil
        avoidsExtendedRequest = presentation.failedOnExtendedRequest
        leaving = Task { await presentation.left() }
        // The presentation may have changed the state of the devices.
        looked = nil
    }

    /// Takes the phone whose QR code was scanned.
    package func scan(_ engagement: DeviceEngagement) throws(LaneError) {
        guard let run else { throw .notRunning }
        try run.scan(engagement)
    }

    /// Ends the presentation, whatever it is waiting for; its phone is notified.
    package func cancel() {
        run?.cancel()
    }

    /// Returns when neither the last presentation that ended nor an inspection uses the devices any more.
    package func left() async {
        await leaving?.value
        await inspection?.value
    }

    /// The reason why phones cannot be asked over Bluetooth; nil if nothing prevents it, or a presentation is running.
    package func radioFault() async -> RadioFault? {
        guard run == nil else { return nil }
        return await inspect { [device] in await device.radioFault() }.value
    }

    /// Inspects the devices after the inspection before has ended. It is cancelled after `lookTimeout`.
    private func inspect<Value: Sendable>(
        _ body: @escaping @Sendable () async -> Value
    ) -> Task<Value, Never> {
        let before = inspection
        let task = Task {
            await before?.value
            return await bounded(by: .now + Self.lookTimeout) { () throws(Never) in await body() }.get()
        }
        inspection = Task { _ = await task.value }
        return task
    }

    /// Whether phones can be asked, as of a moment ago.
    package func readiness() async -> LaneReadiness {
        if let looked, looked.isRecent(at: now()) { return looked.readiness }
        // A reader in use answers nobody else, so it is not asked. It works.
        guard run == nil else { return looked?.readiness ?? .ready }
        if let look { return await look.value }
        let look = inspect { [device] in await device.readiness() }
        self.look = look
        let readiness = await look.value
        self.look = nil
        looked = RecentLook(readiness: readiness, ended: now())
        return readiness
    }
}

/// The result of a look at a lane's devices. Others use it for a moment instead of looking again.
struct RecentLook {
    static let lifetime = Duration.seconds(2)

    let readiness: LaneReadiness
    /// The instant at which the look ended.
    let ended: ContinuousClock.Instant

    func isRecent(at now: ContinuousClock.Instant) -> Bool { now < ended + Self.lifetime }
}

/// Why a lane refuses a request.
package enum LaneError: Error, Equatable, Sendable {
    /// A presentation is running: each lane has one at a time.
    case busy
    /// The presentation is over, or is another lane's.
    case notRunning
    /// A phone is engaged already, or another code was scanned before.
    case alreadyEngaged
}

/// What a lane asks phones with: a reader and an adapter, or the bench link.
package protocol LaneDevice: Sendable {
    /// Runs one presentation. Returns when its outcome may be shown, which is before the phone is notified of the
    /// end (Q76).
    func run(_ transaction: ReaderTransaction) async -> Presentation

    /// The same for the phone whose QR code was scanned.
    func run(_ transaction: ReaderTransaction, scanned engagement: DeviceEngagement) async -> Presentation

    /// What is missing now. It may ask other processes, may try the radio for a moment, and ends with the task that it
    /// runs in. No presentation begins before it has ended.
    func readiness() async -> LaneReadiness

    /// The reason why phones cannot be asked over Bluetooth, whether or not there is a reader. As `readiness`, it may try
    /// the radio.
    func radioFault() async -> RadioFault?
}

extension LaneDevice {
    package func radioFault() async -> RadioFault? { nil }
}

/// Whether phones can be asked at a lane.
package enum LaneReadiness: Equatable, Sendable {
    case ready
    /// NFC alone works; of `settingsMissing`, Bluetooth is used only where nothing else is allowed.
    case withoutBluetooth(RadioFault)
    /// No phone can be asked.
    case unavailable(ReaderFault)
}
