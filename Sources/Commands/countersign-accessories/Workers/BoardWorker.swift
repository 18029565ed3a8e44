internal import Accessories
internal import AccessoryDevices

/// The worker of the contacts of one board.
///
/// A serial line can be open only once, so that all contacts at a line have one worker. Each contact has a
/// `ContactMachine`, which decides when it is closed and opened. The worker opens the device, feeds the machines, and does
/// their actions.
struct BoardWorker: BoardUse {
    /// A contact with its machine.
    private struct Contact {
        let desk: WorkerDesk
        let channel: Int
        var machine: ContactMachine
        var exchange: RelayExchange
        /// The outputs whose claim has no answer yet, by number.
        var claims: [Int64: DueOutput] = [:]
        /// The tries whose claim has no answer yet, by number.
        var tryClaims: [Int64: AccessoryTry] = [:]
    }

    private let board: RelayBoard
    private let watchdog: Watchdog
    private var contacts: [Contact]

    /// - Parameter desks: the accessories of the board, each a contact. `nil` if one of them is no contact.
    init?(_ desks: [WorkerDesk], watchdog: Watchdog) {
        var contacts: [Contact] = []
        for desk in desks {
            guard let output = desk.accessory.output, case .relay(let relay) = output.device else {
                return nil
            }
            contacts.append(
                Contact(
                    desk: desk, channel: relay.channel,
                    machine: ContactMachine(
                        canReadBack: relay.board.canReadBack, pulse: relay.pulse, rule: output.rule,
                        isTrial: desk.accessory.isTrial),
                    exchange: RelayExchange(board: relay.board, channel: relay.channel)))
        }
        guard case .relay(let first)? = desks.first?.accessory.output?.device else { return nil }
        board = first.board
        self.contacts = contacts
        self.watchdog = watchdog
    }

    /// Runs until the message `stop`, and leaves with all contacts open.
    mutating func run() {
        serveUntilStopped()
        // The answer to a claim is not waited for. The daemon accepts this end if it has marked the output as given.
        for contact in contacts {
            for output in contact.claims.values { contact.desk.daemon.finish(output, as: .unknown) }
            for attempt in contact.tryClaims.values { contact.desk.finish(attempt, as: .unknown) }
        }
    }

    private mutating func serveUntilStopped() {
        while true {
            do throws(DeviceFault) {
                guard try openAndServe() else { return }
            } catch {
                for index in contacts.indices {
                    contacts[index].desk.note(error)
                    perform(contacts[index].machine.lost(as: error.state, at: .now), at: index)
                }
            }
            // A contact that may be closed is not left so for the pause of a device that is away.
            let mayBeClosed = contacts.contains { $0.machine.mayBeClosed }
            guard wait(mayBeClosed ? ContactMachine.retryPause : WorkerDesk.pause) else { return }
        }
    }

    /// Opens the device, and serves the contacts until it fails.
    ///
    /// - Returns: false after the message `stop`.
    private mutating func openAndServe() throws(DeviceFault) -> Bool {
        let (board, channels) = (board, contacts.map(\.channel))
        return try board.open(channels: channels, for: &self)
    }

    /// Serves the contacts until the device fails.
    mutating func use(_ device: borrowing some BoardDevice & ~Copyable) throws(DeviceFault) -> Bool {
        for index in contacts.indices {
            try perform(connected(at: index), at: index, on: device)
        }
        while !contacts.allSatisfy(\.machine.isStopped) {
            let ready = try waitForNews(device.descriptor)
            for index in contacts.indices {
                for message in contacts[index].desk.mailbox.takeAll() {
                    try perform(follow(message, at: index), at: index, on: device)
                }
            }
            if let descriptor = device.descriptor, ready.contains(descriptor) { try device.drain() }
            for index in contacts.indices where contacts[index].machine.deadline.map({ $0 <= .now }) ?? false
            {
                try perform(contacts[index].machine.expire(at: .now), at: index, on: device)
            }
        }
        return false
    }

    /// Waits for a message, a deadline of a machine or the device.
    private func waitForNews(_ descriptor: Int32?) throws(DeviceFault) -> Set<Int32> {
        var waiting = WaitSet()
        for contact in contacts { waiting.add(contact.desk.mailbox.descriptor) }
        if let descriptor { waiting.add(descriptor) }
        let deadline = contacts.compactMap(\.machine.deadline).min()
        return try waiting.wait(atMost: deadline.map { max(.zero, $0 - .now) })
    }

    /// Follows a message, and returns what the contact's machine then wants.
    private mutating func follow(_ message: WorkerMessage, at index: Int) -> [ContactAction] {
        switch message {
        case .output(let output): return contacts[index].machine.due(output, at: .now)
        case .claimed(let answer, let output):
            contacts[index].claims[output] = nil
            return contacts[index].machine.claimed(answer, output: output, at: .now)
        case .attempt(.begun(let attempt)): return contacts[index].machine.tryPulse(attempt, at: .now)
        case .attempt(.claimed(let answer, let number)):
            contacts[index].tryClaims[number] = nil
            return contacts[index].machine.claimed(answer, try: number, at: .now)
        case .stop: return contacts[index].machine.stop(at: .now)
        case .reportAgain:
            contacts[index].desk.reportAgain()
            return []
        case .lane, .lanes, .daemonLost, .broker: return []
        }
    }

    /// Does the actions of a contact's machine, and the actions that follow from their results.
    private mutating func perform(
        _ actions: [ContactAction], at index: Int, on device: borrowing some BoardDevice & ~Copyable
    ) throws(DeviceFault) {
        var actions = actions[...]
        while let action = actions.popFirst() {
            let command: RelayCommand
            switch action {
            case .switchOff: command = .off
            case .switchOn: command = .on
            case .readBack: command = .read
            case .reconnect:
                // The ends of outputs follow, and must be reported in any case.
                perform(Array(actions), at: index)
                // One unit of a line that does not answer must not close the line for the others.
                guard contacts.count > 1 else { throw .notAnswering }
                actions = connected(at: index)[...]
                continue
            case .claim, .finish, .claimTry, .finishTry, .report, .wait:
                perform([action], at: index)
                continue
            }
            // A machine's further actions come after the rest of these: the machine has not seen their results.
            actions += try send(command, at: index, to: device)
            if !contacts[index].machine.mayBeClosed { watchdog.end(contacts[index].desk.accessory) }
        }
    }

    /// Begins with a contact on a line that is open. Replies to earlier requests belong to no request from here on.
    private mutating func connected(at index: Int) -> [ContactAction] {
        contacts[index].exchange = RelayExchange(board: board, channel: contacts[index].channel)
        return contacts[index].machine.connected(at: .now)
    }

    /// Sends a command to a contact, and returns what its machine then wants.
    private mutating func send(
        _ command: RelayCommand, at index: Int, to device: borrowing some BoardDevice & ~Copyable
    ) throws(DeviceFault) -> [ContactAction] {
        // A contact that nobody would open after this program's death is not closed.
        if command == .on, !watchdog.begin(contacts[index].desk.accessory) {
            return contacts[index].machine.failed(.deviceFailed, at: .now)
        }
        do throws(BoardFault) {
            let answer = try device.perform(command, &contacts[index].exchange)
            return contacts[index].machine.answered(answer, at: .now)
        } catch {
            switch error {
            case .device(let fault): throw fault
            case .reply(let fault):
                contacts[index].desk.note(.misconfigured(fault.explanation))
                return contacts[index].machine.failed(fault, at: .now)
            }
        }
    }

    /// Does the actions that need no device.
    private mutating func perform(_ actions: [ContactAction], at index: Int) {
        let desk = contacts[index].desk
        for action in actions {
            switch action {
            case .claim(let output):
                contacts[index].claims[output.number] = output
                desk.claim(output)
            case .finish(let output, let end): desk.daemon.finish(output, as: end)
            case .claimTry(let attempt):
                contacts[index].tryClaims[attempt.number] = attempt
                desk.claim(attempt)
            case .finishTry(let attempt, let end): desk.finish(attempt, as: TryResult(end))
            case .report(let state): desk.report(state)
            // Commands to a device that is gone have no effect. `waitForNews` reads the deadlines of the machines.
            case .switchOff, .switchOn, .readBack, .reconnect, .wait: break
            }
        }
    }

    /// Waits before the device is opened again. Outputs are refused meanwhile by the machines, which know no device.
    ///
    /// - Returns: false after the message `stop`.
    private mutating func wait(_ time: Duration) -> Bool {
        let end = Duration.now + time
        for index in contacts.indices where contacts[index].desk.mailbox.isStopped {
            perform(contacts[index].machine.stop(at: .now), at: index)
        }
        while true {
            let left = end - .now
            guard left > .zero else { return true }
            var waiting = WaitSet()
            for contact in contacts { waiting.add(contact.desk.mailbox.descriptor) }
            // The call fails only without memory.
            _ = try? waiting.wait(atMost: left)
            for index in contacts.indices {
                for message in contacts[index].desk.mailbox.takeAll() {
                    perform(follow(message, at: index), at: index)
                }
            }
            // A contact that may be closed keeps the worker, until the device is back or the program ends.
            if contacts.allSatisfy(\.machine.isStopped) { return false }
        }
    }
}

extension BoardWorker {
    /// The command "off" to one contact. The value is whether the board has confirmed it.
    private struct SwitchOff: BoardUse {
        let relay: RelayOutput

        func use(_ device: borrowing some BoardDevice & ~Copyable) -> Bool {
            var exchange = RelayExchange(board: relay.board, channel: relay.channel)
            return (try? device.perform(.off, &exchange)) != nil
        }
    }

    /// Opens the contact of an accessory, for the watchdog.
    ///
    /// - Returns: whether the board has confirmed it.
    static func switchOff(_ relay: RelayOutput) -> Bool {
        var work = SwitchOff(relay: relay)
        return (try? relay.board.open(channels: [relay.channel], for: &work)) ?? false
    }
}

extension Duration {
    /// The time since the computer was started.
    static var now: Duration { MonotonicNow.sinceBoot }
}
