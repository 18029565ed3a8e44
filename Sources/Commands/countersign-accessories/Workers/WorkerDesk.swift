internal import Accessories
internal import AccessoryDevices
internal import Synchronization

/// The means of a worker beside its device: its messages, the daemon, and the state that was reported
/// last.
final class WorkerDesk: Sendable {
    /// The pause before a device that failed is opened again.
    static let pause = Duration.seconds(2)

    let accessory: Accessory
    let mailbox: Mailbox
    let daemon: DaemonLink
    private let lastState = Mutex<AccessoryState?>(nil)
    private let notes = Mutex(RepeatedText())

    init(_ accessory: Accessory, daemon: DaemonLink) throws(DeviceFault) {
        self.accessory = accessory
        self.daemon = daemon
        mailbox = try Mailbox()
    }

    /// Reports the accessory's state to the daemon if it has changed. A trial accessory that is ready is reported as
    /// `trial`.
    func report(_ state: AccessoryState) {
        let state = state == .ready && accessory.isTrial ? .trial : state
        let isNews = lastState.withLock { last in
            defer { last = state }
            return last != state
        }
        guard isNews else { return }
        if state == .ready || state == .trial { write(notes.withLock { $0.end() }) }
        write([state.rawValue])
        send(state)
    }

    private func send(_ state: AccessoryState) {
        daemon.report(state, of: accessory.name) { [mailbox] in mailbox.post(.reportAgain) }
    }

    /// Reports the fault of a device, and writes its text to the journal.
    func report(_ fault: DeviceFault) {
        note(fault)
        report(fault.state)
    }

    /// Writes the text of a fault to the journal. A text that comes again is counted.
    func note(_ fault: DeviceFault) {
        guard case .misconfigured(let why) = fault else { return }
        write(notes.withLock { $0.record(why) })
    }

    private func write(_ lines: [String]) {
        for line in lines { Journal.write("\(accessory.name): \(line)") }
    }

    /// Asks the daemon to mark an output as given. The answer comes as a message.
    func claim(_ output: DueOutput) {
        daemon.claim(output) { [mailbox] in mailbox.post(.claimed($0, output: output.number)) }
    }

    /// Asks the daemon whether a try may close its contact. The answer comes as a message.
    func claim(_ attempt: AccessoryTry) {
        daemon.claim(attempt) { [mailbox] in mailbox.post(.attempt(.claimed($0, number: attempt.number))) }
    }

    /// Reports the end of a try, and writes it to the journal.
    func finish(_ attempt: AccessoryTry, as result: TryResult) {
        Journal.write("\(accessory.name): the try has ended (\(result.kind.rawValue))")
        daemon.finish(attempt, as: result)
    }

    /// Reports the last state once more, to a daemon that was started again.
    func reportAgain() {
        if let state = lastState.withLock({ $0 }) { send(state) }
    }

    /// Waits for a time, and follows the messages meanwhile. An output or a try that comes meanwhile is refused, since
    /// the device is not ready.
    ///
    /// - Parameter follow: receives all messages but `stop`.
    /// - Returns: false after the message `stop`.
    func wait(_ time: Duration, following follow: (WorkerMessage) -> Void = { _ in }) -> Bool {
        let end = MonotonicNow.sinceBoot + time
        while true {
            guard !mailbox.isStopped else { return false }
            let left = end - MonotonicNow.sinceBoot
            guard left > .zero else { return true }
            var waiting = WaitSet()
            waiting.add(mailbox.descriptor)
            // The call fails only without memory. The rest of the time is then slept in the next turn.
            _ = try? waiting.wait(atMost: left)
            for message in mailbox.takeAll() {
                switch message {
                case .stop: return false
                case .output(let output): daemon.finish(output, as: .refused)
                case .attempt(.begun(let attempt)): finish(attempt, as: .refused)
                case .reportAgain: reportAgain()
                case .lane, .lanes, .daemonLost, .broker, .claimed, .attempt(.claimed): break
                }
                follow(message)
            }
        }
    }
}
