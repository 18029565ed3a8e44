/// The state machine of a contact: a lock, a turnstile or a lamp at a relay board or a GPIO line.
///
/// The machine decides when the contact is closed and opened, so that it closes at most once for an output
/// and never stays closed. It is a value that does no I/O and reads no clock. Its driver opens the device,
/// talks to the daemon, passes in what happened with the time since an arbitrary start, and does each
/// `ContactAction`.
///
/// | state | next |
/// |---|---|
/// | `unknown` | the device is not open; `connected` leads to `switchingOff` |
/// | `switchingOff` | "off" is on its way, at the start or as the end of a pulse; then `readingBack` |
/// | `readingBack` | the device is asked whether the contact is open; then `ready` |
/// | `ready` | an output that is due, and that the rule accepts, leads to `claiming` |
/// | `claiming` | the daemon's answer "given" within 2 s switches on and leads to `closed` |
/// | `closed` | the end of the pulse, or a failure to switch on, leads to `switchingOff` |
/// | `failed` | "off" was not confirmed; it is sent again after 200 ms |
///
/// A device that cannot be read back skips `readingBack`.
///
/// A try (`tryPulse`) takes the same way as an output, and is claimed too. It needs no rule, because it has no outcome.
///
/// `lost` leads to `unknown` from each state. `stop` switches off in each state with a device, and no output
/// is accepted afterwards.
///
/// The contact is never closed
/// - before "off" was confirmed since the device was opened or the contact was closed;
/// - without the daemon's answer "given" for this very output or try, in time.
///
/// The end of an output is `done` only if the device confirmed both "on" and "off" and the pulse had its full
/// length. It is `refused` if "on" was not sent, and `unknown` otherwise. An output that was claimed and not
/// closed is `unknown` if the daemon may have marked it as given.
///
/// The driver has to answer each command within `answerLimit`, also if the device is silent (`failed`), and
/// each claim. Commands may overlap: at the end of a pulse "off" is sent although the answer to "on" has not
/// come. Their answers come in the order of the commands.
package struct ContactMachine: Sendable {
    /// The time in which the driver has to answer a command.
    package static let answerLimit = Duration.seconds(1)
    /// The time after which "off" is sent again.
    package static let retryPause = Duration.milliseconds(200)
    /// The number of failures after which the device is opened again.
    package static let failuresBeforeReconnect = 5

    /// An output or a try for which "on" was sent.
    private struct Pulse {
        let cause: ContactCause
        /// Whether the device confirmed "on".
        var isConfirmed = false
        /// Whether "off" was sent before the end of the pulse.
        var isCutShort = false

        /// The end of the output or try after the contact was opened again.
        var end: OutputEnd { isConfirmed && !isCutShort ? .done : .unknown }
    }

    private enum State {
        case unknown
        case switchingOff(after: Pulse?)
        case readingBack(after: Pulse?)
        case ready
        case claiming(ContactCause, until: Duration)
        case closed(Pulse, until: Duration)
        case failed(after: Pulse?, again: Duration)
    }

    private enum Command { case off, on, readBack }

    private let canReadBack: Bool
    private let pulseLength: Duration
    private let rule: OutputRule
    private let isTrial: Bool
    private var state = State.unknown
    /// The commands without an answer, the oldest first.
    private var unanswered: [Command] = []
    /// The time of the last command.
    private var lastCommand = Duration.zero
    /// The number of failures since the contact was last known to be open.
    private var failures = 0
    /// Outputs and tries whose claims have no answer yet, and for which the answer closes the contact no longer.
    private var abandoned: [ContactCause] = []
    private var reported: AccessoryState?
    private var isStopping = false
    /// Whether "on" was sent, and the contact was not known to be open since. Holds on while the device is
    /// away.
    package private(set) var mayBeClosed = false

    /// Creates the machine of a device that is not open yet.
    ///
    /// - Parameters:
    ///   - canReadBack: whether the device can be asked for the contact's state.
    ///   - pulse: the time for which the contact is closed.
    ///   - rule: the rule of the accessory.
    ///   - isTrial: whether the accessory acts on test documents too.
    package init(canReadBack: Bool, pulse: Duration, rule: OutputRule, isTrial: Bool) {
        self.canReadBack = canReadBack
        pulseLength = pulse
        self.rule = rule
        self.isTrial = isTrial
    }

    /// The time at which `expire` has to be called; `nil` while the machine waits for nothing.
    package var deadline: Duration? {
        switch state {
        case .unknown, .ready: nil
        case .switchingOff, .readingBack: lastCommand + Self.answerLimit
        case .claiming(_, let until): until
        case .closed(_, let until):
            unanswered.isEmpty ? until : min(until, lastCommand + Self.answerLimit)
        case .failed(_, let again): again
        }
    }

    /// Whether the driver may leave: the machine was stopped, and the contact is known to be open, or was not
    /// closed and its device is not there.
    package var isStopped: Bool {
        guard isStopping else { return false }
        return switch state {
        case .unknown: !mayBeClosed
        case .ready: true
        case .switchingOff, .readingBack, .claiming, .closed, .failed: false
        }
    }

    // MARK: The device

    /// Records that the device is open. Everything that was known of the contact is forgotten.
    package mutating func connected(at now: Duration) -> [ContactAction] {
        let ends = leave()
        return withDeadline(switchOff(after: nil, now) + ends)
    }

    /// Records that the device is gone, or cannot be opened.
    ///
    /// - Parameter accessory: the state to report, which says why.
    package mutating func lost(as accessory: AccessoryState = .absent, at now: Duration) -> [ContactAction] {
        let ends = leave()
        return withDeadline(ends + report(accessory))
    }

    /// Records the device's answer to the oldest command without an answer.
    package mutating func answered(_ answer: RelayAnswer, at now: Duration) -> [ContactAction] {
        // An answer that nobody waits for is one to a command before the device was opened again. It must not
        // count for a command that this call sends.
        guard !unanswered.isEmpty else { return expire(at: now) }
        return step(now) { machine in
            guard !machine.unanswered.isEmpty else { return [] }
            let command = machine.unanswered.removeFirst()
            if command == .on, answer == .accepted { return machine.confirmOn() }
            // The answer to a later "off" decides.
            guard !machine.unanswered.contains(.off) else { return [] }
            switch (command, answer) {
            case (.on, .accepted): return []
            case (.off, .accepted): return machine.confirmOff(now)
            case (.readBack, .state(isOn: false)): return machine.rest()
            case (.readBack, .state(isOn: true)): return machine.fail(.stillClosed, now)
            case (.on, .state), (.off, .state), (.readBack, .accepted):
                return machine.fail(.replyUnexpected, now)
            }
        }
    }

    /// Records that the oldest command without an answer failed.
    package mutating func failed(_ fault: RelayFault, at now: Duration) -> [ContactAction] {
        guard !unanswered.isEmpty else { return expire(at: now) }
        return step(now) { machine in
            guard !machine.unanswered.isEmpty else { return [] }
            machine.unanswered.removeFirst()
            // The answer to a later "off" decides.
            return machine.unanswered.contains(.off) ? [] : machine.fail(fault, now)
        }
    }

    // MARK: Outputs

    /// Receives an output that is due. An output that comes while another is in progress is refused, because
    /// one opening of the contact lets one person through.
    package mutating func due(_ output: DueOutput, at now: Duration) -> [ContactAction] {
        step(now) { machine in
            guard case .ready = machine.state, !machine.isStopping,
                OutputRule.acts(output, rule: machine.rule, isTrial: machine.isTrial)
            else { return [.finish(output, .refused)] }
            let cause = ContactCause.output(output)
            machine.state = .claiming(cause, until: now + min(ClaimAnswer.limit, machine.rule.valid))
            return [cause.claim]
        }
    }

    /// Receives a try: the operator wants to see one pulse. A try that comes while the contact is in use is refused.
    package mutating func tryPulse(_ attempt: AccessoryTry, at now: Duration) -> [ContactAction] {
        step(now) { machine in
            let cause = ContactCause.attempt(attempt)
            guard case .ready = machine.state, !machine.isStopping else { return [cause.finish(.refused)] }
            machine.state = .claiming(cause, until: now + ClaimAnswer.limit)
            return [cause.claim]
        }
    }

    /// Receives the daemon's answer to the claim of an output.
    ///
    /// - Parameter number: the number of the output that was claimed.
    package mutating func claimed(_ answer: ClaimAnswer, output number: Int64, at now: Duration)
        -> [ContactAction]
    {
        claimed(answer, at: now) { cause in
            if case .output(let output) = cause { output.number == number } else { false }
        }
    }

    /// Receives the daemon's answer to the claim of a try.
    ///
    /// - Parameter number: the number of the try that was claimed.
    package mutating func claimed(_ answer: ClaimAnswer, try number: Int64, at now: Duration)
        -> [ContactAction]
    {
        claimed(answer, at: now) { cause in
            if case .attempt(let attempt) = cause { attempt.number == number } else { false }
        }
    }

    private mutating func claimed(
        _ answer: ClaimAnswer, at now: Duration, for isClaimed: (ContactCause) -> Bool
    ) -> [ContactAction] {
        step(now) { machine in
            if case .claiming(let cause, _) = machine.state, isClaimed(cause) {
                switch answer {
                case .given: return machine.switchOn(cause, now)
                case .notDue, .failed:
                    machine.state = .ready
                    return answer == .failed ? [cause.finish(.unknown)] : []
                }
            }
            // The answer is too late to close the contact.
            guard let index = machine.abandoned.firstIndex(where: isClaimed) else { return [] }
            let cause = machine.abandoned.remove(at: index)
            return answer == .notDue ? [] : [cause.finish(.unknown)]
        }
    }

    // MARK: Time and end

    /// Does what is due at this time.
    package mutating func expire(at now: Duration) -> [ContactAction] { step(now) { _ in [] } }

    /// Switches the contact off for good. The driver continues to call the machine, and to open a device that
    /// is not there, until `isStopped` or until it has no more time.
    package mutating func stop(at now: Duration) -> [ContactAction] {
        isStopping = true
        if case .unknown = state { return withDeadline([]) }
        // "Off" is sent again even if it is on its way, so that a stop always ends with it.
        let ends = endOutput(sentOn: .unknown)
        return withDeadline(switchOff(after: nil, now) + ends)
    }

    // MARK: Steps

    /// Does what is due, then runs `body`, and adds the time to wait for.
    private mutating func step(_ now: Duration, _ body: (inout Self) -> [ContactAction]) -> [ContactAction] {
        let passed = passDeadline(now)
        return withDeadline(passed + body(&self))
    }

    /// Adds the time to wait for.
    ///
    /// The function is mutating so that Swift reads the machine after the actions were made: for another method, Swift
    /// copies the machine before it evaluates the argument, which changes the machine.
    private mutating func withDeadline(_ actions: [ContactAction]) -> [ContactAction] {
        deadline.map { actions + [.wait(until: $0)] } ?? actions
    }

    private mutating func passDeadline(_ now: Duration) -> [ContactAction] {
        guard let deadline, now >= deadline else { return [] }
        switch state {
        case .unknown, .ready: return []
        case .claiming(let cause, _):
            abandon(cause)
            state = .ready
            return []
        case .closed(var pulse, let until):
            // Without an answer to "on" the contact is opened before the pulse is over.
            pulse.isCutShort = now < until
            return switchOff(after: pulse, now)
        case .failed(let pulse, _): return switchOff(after: pulse, now)
        case .switchingOff, .readingBack: return reconnect(reporting: .noReply)
        }
    }

    private mutating func switchOff(after pulse: Pulse?, _ now: Duration) -> [ContactAction] {
        state = .switchingOff(after: pulse)
        send(.off, now)
        return [.switchOff]
    }

    private mutating func switchOn(_ cause: ContactCause, _ now: Duration) -> [ContactAction] {
        // The pulse begins when "on" is sent. As "off" takes as long to the device as "on" did, the contact
        // is closed for the length of the pulse.
        state = .closed(Pulse(cause: cause), until: now + pulseLength)
        mayBeClosed = true
        send(.on, now)
        return [.switchOn]
    }

    private mutating func send(_ command: Command, _ now: Duration) {
        unanswered.append(command)
        lastCommand = now
    }

    private mutating func confirmOn() -> [ContactAction] {
        switch state {
        case .closed(var pulse, let until):
            pulse.isConfirmed = true
            state = .closed(pulse, until: until)
        case .switchingOff(after: var pulse?):
            pulse.isConfirmed = true
            state = .switchingOff(after: pulse)
        case .unknown, .switchingOff, .readingBack, .ready, .claiming, .failed: break
        }
        return []
    }

    private mutating func confirmOff(_ now: Duration) -> [ContactAction] {
        guard case .switchingOff(let pulse) = state else { return [] }
        guard canReadBack else { return rest() }
        state = .readingBack(after: pulse)
        send(.readBack, now)
        return [.readBack]
    }

    /// Ends the output in progress, now that the contact is known to be open.
    private mutating func rest() -> [ContactAction] {
        let ends = endOutput(sentOn: nil)
        state = .ready
        mayBeClosed = false
        failures = 0
        return ends + report(isTrial ? .trial : .ready)
    }

    /// Records that the state of the contact is not known, although the device is there.
    private mutating func fail(_ fault: RelayFault, _ now: Duration) -> [ContactAction] {
        // "On" failed, and the contact may be closed nevertheless.
        if case .closed(let pulse, _) = state { return switchOff(after: pulse, now) }
        failures += 1
        guard failures < Self.failuresBeforeReconnect else { return reconnect(reporting: fault) }
        state = .failed(after: pulse, again: now + Self.retryPause)
        return report(fault.state)
    }

    /// Gives up the connection, whose replies may have lost their order, or that has ended without a notice.
    private mutating func reconnect(reporting fault: RelayFault) -> [ContactAction] {
        let ends = leave()
        return [.reconnect] + ends + report(fault.state)
    }

    /// Forgets the device, and ends the output in progress.
    private mutating func leave() -> [ContactAction] {
        let ends = endOutput(sentOn: .unknown)
        state = .unknown
        unanswered = []
        failures = 0
        return ends
    }

    /// Returns the end of the output or try in progress, if there is one. The caller leaves the state.
    ///
    /// - Parameter end: the end if "on" was sent; `nil` for the end that follows from the confirmations.
    private mutating func endOutput(sentOn end: OutputEnd?) -> [ContactAction] {
        if case .claiming(let cause, _) = state {
            abandon(cause)
            return [cause.finish(.refused)]
        }
        guard let pulse else { return [] }
        return [pulse.cause.finish(end ?? pulse.end)]
    }

    /// The output or try for which "on" was sent and whose end is not known yet.
    private var pulse: Pulse? {
        switch state {
        case .switchingOff(let pulse), .readingBack(let pulse), .failed(let pulse, _): pulse
        case .closed(let pulse, _): pulse
        case .unknown, .ready, .claiming: nil
        }
    }

    /// Keeps an output or a try whose claim has no answer, since the daemon may mark it as given yet.
    private mutating func abandon(_ cause: ContactCause) {
        // A driver answers each claim. The limit only bounds the memory if one does not.
        if abandoned.count >= 16 { abandoned.removeFirst() }
        abandoned.append(cause)
    }

    /// Reports a state of the accessory if it is another one.
    private mutating func report(_ accessory: AccessoryState) -> [ContactAction] {
        guard reported != accessory else { return [] }
        reported = accessory
        return [.report(accessory)]
    }
}
