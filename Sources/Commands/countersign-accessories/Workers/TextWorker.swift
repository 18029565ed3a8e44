internal import Accessories
internal import AccessoryDevices
internal import Glibc

/// The worker of an output that types a text, or sends it on a serial line.
struct TextWorker {

    private let desk: WorkerDesk
    private let output: Output
    private let lane: String
    private var machine: ClaimedOutputs

    /// `nil` for an accessory that is no keyboard and no line.
    init?(_ desk: WorkerDesk) {
        guard let output = desk.accessory.output, let lane = desk.accessory.lane else { return nil }
        switch output.device {
        case .keys, .line: break
        case .relay, .osdp, .mqtt: return nil
        }
        self.desk = desk
        self.output = output
        self.lane = lane
        machine = ClaimedOutputs(rule: output.rule, isTrial: desk.accessory.isTrial)
    }

    /// Runs until the message `stop`.
    mutating func run() {
        while true {
            do throws(DeviceFault) {
                switch output.device {
                case .keys(let keys):
                    var device = try KeyboardWriter(keys, lane: lane)
                    guard try serve(&device) else { return }
                case .line(let line):
                    var device = try LineWriter(line)
                    guard try serve(&device) else { return }
                case .relay, .osdp, .mqtt: return
                }
            } catch {
                perform(machine.lost())
                desk.report(error)
                guard desk.wait(WorkerDesk.pause) else { return }
            }
        }
    }

    private mutating func serve(_ device: inout some TextDevice & ~Copyable) throws(DeviceFault) -> Bool {
        desk.report(.ready)
        while true {
            if try isReadable(device.descriptor) { try device.drain() }
            for message in desk.mailbox.takeAll() {
                if case .stop = message {
                    perform(machine.lost())
                    return false
                }
                try follow(message, on: &device)
            }
            perform(machine.expire(at: .now))
        }
    }

    /// Waits for a message, the device or a deadline. Returns whether the device has sent something.
    private func isReadable(_ descriptor: Int32) throws(DeviceFault) -> Bool {
        var waiting = WaitSet()
        waiting.add(desk.mailbox.descriptor)
        waiting.add(descriptor)
        return try waiting.wait(atMost: machine.deadline.map { max(.zero, $0 - .now) }).contains(descriptor)
    }

    /// Follows a message other than `stop`.
    private mutating func follow(
        _ message: WorkerMessage, on device: inout some TextDevice & ~Copyable
    ) throws(DeviceFault) {
        switch message {
        case .output(let due):
            let isReady = try device.isReady()
            perform(machine.due(due, isReady: isReady, at: .now))
        case .claimed(let answer, let number):
            let actions = machine.claimed(answer, output: number, at: .now)
            perform(actions)
            for action in actions {
                if case .give(let due) = action { try give(due, on: &device) }
            }
        case .reportAgain: desk.reportAgain()
        case .lane, .lanes, .daemonLost, .broker, .attempt, .stop: break
        }
    }

    /// Gives an output, and reports its end.
    private func give(_ due: DueOutput, on device: inout some TextDevice & ~Copyable) throws(DeviceFault) {
        do throws(DeviceFault) {
            // Nothing was typed if the device has no text for the output.
            desk.daemon.finish(due, as: try device.write(due) ? .done : .refused)
        } catch {
            // A part of the text may have been given.
            desk.daemon.finish(due, as: .unknown)
            throw error
        }
    }

    private func perform(_ actions: [ClaimedOutputs.Action]) {
        for action in actions {
            switch action {
            case .claim(let due): desk.claim(due)
            case .finish(let due, let end): desk.daemon.finish(due, as: end)
            // `follow` has the device.
            case .give: break
            }
        }
    }
}

/// A device that gives a text.
protocol TextDevice: ~Copyable {
    var descriptor: Int32 { get }
    /// Reads and drops what the device has sent.
    mutating func drain() throws(DeviceFault)
    /// Whether a text can be given now.
    mutating func isReady() throws(DeviceFault) -> Bool
    /// Gives the text for an output. Returns false, and gives nothing, if there is no text for it.
    mutating func write(_ due: DueOutput) throws(DeviceFault) -> Bool
}

/// A keyboard of this computer's own.
struct KeyboardWriter: TextDevice, ~Copyable {
    /// The pause between two keys. Programs that read a keyboard slowly lose keys without it.
    private static let pause = Duration.milliseconds(8)

    private let keys: KeysOutput
    private var keyboard: VirtualKeyboard

    init(_ keys: KeysOutput, lane: String) throws(DeviceFault) {
        self.keys = keys
        keyboard = try VirtualKeyboard(codes: KeyStrokes.codes(usedBy: keys, lane: lane))
    }

    var descriptor: Int32 { keyboard.descriptor }

    mutating func drain() throws(DeviceFault) { _ = try keyboard.readLocks() }

    // With Caps Lock on, a word would be another word.
    mutating func isReady() throws(DeviceFault) -> Bool { try !keyboard.readLocks().isCapsLockOn }

    mutating func write(_ due: DueOutput) throws(DeviceFault) -> Bool {
        guard let template = keys.templates[due.outcome],
            let pieces = template.text(for: due, standIn: keys.standIn),
            let steps = KeyStrokes.steps(for: pieces, layout: keys.layout)
        else { return false }
        for step in steps {
            switch step {
            case .wait(let time): Pause.sleep(time)
            case .stroke(let stroke):
                try keyboard.press(code: stroke.code, shift: stroke.shift, altGr: stroke.altGr)
                Pause.sleep(Self.pause)
            }
        }
        return true
    }
}

/// A serial line to a till.
struct LineWriter: TextDevice, ~Copyable {
    private let output: LineOutput
    private let line: SerialLine

    init(_ output: LineOutput) throws(DeviceFault) {
        self.output = output
        line = try SerialLine(path: output.device, speed: output.speed)
    }

    var descriptor: Int32 { line.descriptor }

    mutating func drain() throws(DeviceFault) { _ = try line.read() }

    mutating func isReady() throws(DeviceFault) -> Bool { true }

    mutating func write(_ due: DueOutput) throws(DeviceFault) -> Bool {
        guard let template = output.templates[due.outcome],
            let pieces = template.bytes(for: due, standIn: output.standIn)
        else { return false }
        for piece in pieces {
            switch piece {
            case .bytes(let bytes): try line.write(bytes)
            case .wait(let time): Pause.sleep(time)
            }
        }
        return true
    }
}

/// A pause of a worker's thread.
enum Pause {
    static func sleep(_ time: Duration) {
        let (seconds, attoseconds) = time.components
        var left = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        // A signal ends the sleep early.
        var rest = timespec()
        while unsafe nanosleep(&left, &rest) != 0, errno == EINTR { left = rest }
    }
}
