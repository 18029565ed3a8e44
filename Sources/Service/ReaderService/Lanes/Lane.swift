package import MdocModel
package import Transport

/// A till at which customers present their phones: a PC/SC reader with a Bluetooth adapter, or the bench link
/// (a TCP connection to a software wallet). A lane has one presentation at a time.
///
/// The daemon's `PresentationCoordinator` starts a presentation with `present(_:)`, passes on a scanned QR
/// code with `scan(_:)`, and calls `readiness()` to find out whether the lane can read phones. All of these
/// may be called from any task; the actor puts the calls in order.
///
/// Three activities use the devices:
/// - a presentation, until its result is known (`run`);
/// - the end of the previous presentation (`leaving`), whose phone is notified while the result is already
///   shown (Q76);
/// - an inspection, for at most 2 s: a look at all devices, or a test of the radio alone. An inspection may
///   advertise a service for a moment (Q239).
///
/// A presentation waits until the other two have ended, and no inspection begins while a presentation runs.
/// Inspections run one after another. The result of a look is used again for 2 s.
///
/// A second presentation is refused with `busy`; there is no queue. A lane stores nothing and judges nothing.
/// A lane reads only one fact from a result: whether the phone failed on an extended request, so that the
/// next presentation sends a request of version 1.0 (Q168).
package actor Lane {
    package nonisolated let name: String
    private nonisolated let device: any LaneDevice
    private let now: @Sendable () -> ContinuousClock.Instant
    private var run: LaneRun?
    /// Whether the next presentation sends a request of version 1.0, because the previous phone could not
    /// decode an extended request (Q168).
    private var avoidsExtendedRequest = false
    /// A task that ends when the previous presentation's phone has been notified of the end.
    private var leaving: Task<Void, Never>?
    /// The look at the devices that is in progress. Concurrent calls of `readiness()` share it.
    private var look: Task<LaneReadiness, Never>?
    /// A task that ends with the latest inspection: a look at the devices, or a test of the radio alone. The
    /// next inspection and the next presentation wait for the task.
    private var inspection: Task<Void, Never>?
    /// The result of the last look at the devices; `nil` after a presentation, which may have changed the
    /// devices.
    private var looked: RecentLook?

    /// The maximum time of an inspection.
    private static let lookTimeout = Duration.seconds(2)

    /// - Parameter now: the clock that measures the age of the last look at the devices.
    package init(
        name: String, device: any LaneDevice,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.name = name
        self.device = device
        self.now = now
    }

    package var isBusy: Bool { run != nil }

    /// The links that the lane uses for phones.
    package nonisolated var link: LaneLink { device.link }

    /// Starts a presentation, which runs to its end even if no caller reads its events.
    ///
    /// - Returns: the events until the end, and a task that returns the presentation.
    /// - Throws: `busy` if a presentation is running.
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
        // The flag applies to one presentation only. `end` sets the flag again if the phone failed on an
        // extended request.
        avoidsExtendedRequest = false
        let task = Task { [plan] in
            await before?.value
            // An inspection may advertise a service, and some adapters advertise only one service at a time.
            await inspection?.value
            let presentation = await run.present(plan, on: device) { continuation.yield($0) }
            // A caller that sees the end of the events may start the next presentation immediately, so the
            // lane is set free first.
            self.end(presentation)
            continuation.finish()
            return presentation
        }
        return (events, task)
    }

    /// Sets the lane free after a presentation. The next presentation waits until the phone was notified.
    private func end(_ presentation: Presentation) {
        run = nil
        avoidsExtendedRequest = presentation.failedOnExtendedRequest
        leaving = Task { await presentation.waitUntilLeft() }
        // The presentation may have changed the state of the devices.
        looked = nil
    }

    /// Continues the presentation with the phone whose QR code was scanned.
    ///
    /// - Throws: `notRunning` without a presentation, `alreadyEngaged` if another phone is engaged or another
    ///   code was scanned.
    package func scan(_ engagement: DeviceEngagement) throws(LaneError) {
        guard let run else { throw .notRunning }
        try run.scan(engagement)
    }

    /// Cancels the presentation in any of its states. A phone that is engaged is notified.
    package func cancel() {
        run?.cancel()
    }

    /// Waits until neither the previous presentation nor an inspection uses the devices.
    package func waitUntilLeft() async {
        await leaving?.value
        await inspection?.value
    }

    /// The reason why phones cannot be read over Bluetooth; `nil` if they can be read. Also `nil` while a
    /// presentation is running, because a test of the radio would disturb it.
    package func radioFault() async -> RadioFault? {
        guard run == nil else { return nil }
        return await inspect { [device] in await device.radioFault() }.value
    }

    /// Runs `body` after the previous inspection has ended, and cancels it after `lookTimeout`.
    private func inspect<Value: Sendable>(
        _ body: @escaping @Sendable () async -> Value
    ) -> Task<Value, Never> {
        let before = inspection
        let task = Task {
            await before?.value
            return await bounded(by: .now + Self.lookTimeout) { () throws(Never) in await body() }.get()
        }
        // A later inspection or presentation waits only for the end of this one. The value is dropped,
        // because its type differs between inspections.
        inspection = Task { _ = await task.value }
        return task
    }

    /// Whether this lane can read phones. The result of a look at the devices is used again for 2 s. While a
    /// presentation runs, the devices are not inspected.
    package func readiness() async -> LaneReadiness {
        if let looked, looked.isRecent(at: now()) { return looked.readiness }
        // A presentation occupies the reader, which then answers no other caller. A reader that is in use is
        // known to work.
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

/// The result of a look at a lane's devices. Calls of `readiness()` within `lifetime` use it again.
struct RecentLook {
    static let lifetime = Duration.seconds(2)

    let readiness: LaneReadiness
    /// The instant at which the look ended.
    let ended: ContinuousClock.Instant

    func isRecent(at now: ContinuousClock.Instant) -> Bool { now < ended + Self.lifetime }
}

/// The reason why a lane refuses a call.
package enum LaneError: Error, Equatable, Sendable {
    /// A presentation is running, and each lane has one presentation at a time.
    case busy
    /// No presentation is running at this lane.
    case notRunning
    /// A phone is engaged already, or another code was scanned earlier.
    case alreadyEngaged
}

/// The devices of a lane: a PC/SC reader with a Bluetooth adapter, or the bench link (a TCP connection to a
/// software wallet).
package protocol LaneDevice: Sendable {
    /// The links that the device uses for phones.
    var link: LaneLink { get }

    /// Runs one presentation. Returns as soon as the outcome may be shown; the phone is notified of the end
    /// afterwards (Q76).
    func run(_ transaction: ReaderTransaction) async -> Presentation

    /// Runs one presentation with the phone whose QR code was scanned. Returns as soon as the outcome may be
    /// shown.
    func run(_ transaction: ReaderTransaction, scanned engagement: DeviceEngagement) async -> Presentation

    /// Whether the device can read phones now and, if not, the fault. An implementation may query other
    /// processes and try the radio for a moment. An implementation has to end when its task is cancelled,
    /// because no presentation begins before the end of the call.
    func readiness() async -> LaneReadiness

    /// The reason why phones cannot be read over Bluetooth, whether or not there is a PC/SC reader; `nil` if
    /// they can be read. An implementation may try the radio for a moment.
    func radioFault() async -> RadioFault?
}

extension LaneDevice {
    /// The default for a device without a radio: `nfc`.
    package var link: LaneLink { .nfc }

    /// The default for a device without a radio: `nil`.
    package func radioFault() async -> RadioFault? { nil }
}

/// The links that a lane uses for phones. The raw values are the values in the API.
package enum LaneLink: String, Sendable {
    case nfcAndBluetooth
    /// NFC alone, because the lane's `transport` is `nfc`.
    case nfc
    /// A software wallet in place of reader and Bluetooth.
    case benchLink
}

/// Whether a lane can read phones.
package enum LaneReadiness: Equatable, Sendable {
    /// The lane can read phones over all of its links.
    case ready
    /// Bluetooth has a fault, so only NFC is used. With the fault `settingsMissing`, a plan that allows only
    /// Bluetooth still uses Bluetooth.
    case withoutBluetooth(RadioFault)
    /// The lane cannot read any phone.
    case unavailable(ReaderFault)
}
