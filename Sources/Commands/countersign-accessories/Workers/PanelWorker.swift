internal import Accessories
internal import AccessoryDevices

/// The worker of a reader at a door controller (OSDP). `OSDPPeripheral` decides what is answered; this worker has the
/// line, the key file and the calls to the daemon.
struct PanelWorker {
    private let desk: WorkerDesk
    private let output: Output
    private let settings: OSDPOutput
    /// The outputs whose end is not known yet, by number.
    private var outputs: [Int64: DueOutput] = [:]

    /// `nil` for an accessory that is no panel.
    init?(_ desk: WorkerDesk) {
        guard let output = desk.accessory.output, case .osdp(let settings) = output.device else { return nil }
        self.desk = desk
        self.output = output
        self.settings = settings
    }

    /// Runs until the message `stop`.
    mutating func run() {
        while true {
            do throws(DeviceFault) {
                guard try serve() else { return }
            } catch {
                desk.report(error)
            }
            endOutputs()
            guard desk.wait(WorkerDesk.pause) else { return }
        }
    }

    /// Opens the line, and answers the panel until the line fails.
    ///
    /// - Returns: false after the message `stop`.
    private mutating func serve() throws(DeviceFault) -> Bool {
        let line = try SerialLine(path: settings.device, speed: settings.speed)
        var peripheral = try makePeripheral()
        desk.report(peripheral.status.state)
        while true {
            var waiting = WaitSet()
            waiting.add(line.descriptor)
            waiting.add(desk.mailbox.descriptor)
            let ready = try waiting.wait(
                atMost: peripheral.deadline.map { max(.zero, $0 - ContinuousClock.now) })
            // The panel comes first: it waits for 200 ms only.
            if ready.contains(line.descriptor) {
                let bytes = try line.read()
                try perform(peripheral.receive(bytes[...], at: .now), over: line)
            }
            for message in desk.mailbox.takeAll() {
                switch message {
                case .stop:
                    endOutputs()
                    return false
                case .output(let due):
                    outputs[due.number] = due
                    try perform(peripheral.due(due, at: .now), over: line)
                case .claimed(let answer, let number):
                    try perform(
                        peripheral.claimed(answer == .given, for: number, at: .now), over: line)
                case .reportAgain: desk.reportAgain()
                case .lane, .lanes, .daemonLost, .broker, .attempt: break
                }
            }
            try perform(peripheral.expire(at: .now), over: line)
        }
    }

    private func makePeripheral() throws(DeviceFault) -> OSDPPeripheral {
        var contents = try SecretFile.read(settings.keyFile)
        // The machine has its own copy, which it overwrites.
        defer { for index in contents.indices { contents[index] = 0 } }
        do throws(OSDPFault) {
            return try OSDPPeripheral(
                settings, valid: output.rule.valid, isTrial: desk.accessory.isTrial,
                key: OSDPKey(fileContents: contents[...]))
        } catch {
            throw .misconfigured(error.explanation)
        }
    }

    private mutating func perform(
        _ actions: [OSDPPeripheral.Action], over line: borrowing SerialLine
    ) throws(DeviceFault) {
        for action in actions {
            switch action {
            case .transmit(let bytes): try line.write(bytes)
            case .claim(let due): desk.claim(due)
            case .delivered(let due): finish(due, as: .done)
            case .unknown(let due): finish(due, as: .unknown)
            case .refused(let due): finish(due, as: .refused)
            case .report(let status): desk.report(status.state)
            // No page shows the light: a colour has another meaning at each panel
            // (Documentation/Decisions/panel-light.md).
            case .light: break
            }
        }
    }

    private mutating func finish(_ due: DueOutput, as end: OutputEnd) {
        outputs[due.number] = nil
        desk.daemon.finish(due, as: end)
    }

    /// Ends the outputs of a line that is left. A card may have been sent. The daemon refuses the end of an output that
    /// was not given, and settles it by itself.
    private mutating func endOutputs() {
        for due in outputs.values { desk.daemon.finish(due, as: .unknown) }
        outputs = [:]
    }
}
