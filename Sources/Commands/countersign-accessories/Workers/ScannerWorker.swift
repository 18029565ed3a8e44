internal import Accessories
internal import AccessoryDevices

/// The worker of a scanner: opens the device, finds codes in what the device sends, and passes phones' codes to the
/// lane.
///
/// A device that is unplugged is looked for again every two seconds. Codes are not kept: a code that the daemon refuses,
/// or that comes while the daemon cannot be reached, is dropped. `LaneCodes` decides which codes are passed.
///
/// During a try, the scanner is on and the next code is described to the daemon instead of passed on.
struct ScannerWorker {
    private let desk: WorkerDesk
    private let scanner: Scanner
    private let lane: String
    private var codes = LaneCodes()
    /// The operator's try in progress, and the time at which it ends without a code.
    private var scan: (attempt: AccessoryTry, end: Duration)?

    /// `nil` for an accessory that is no scanner, or has no lane.
    init?(_ desk: WorkerDesk) {
        guard let scanner = desk.accessory.scanner, let lane = desk.accessory.lane else { return nil }
        self.desk = desk
        self.scanner = scanner
        self.lane = lane
    }

    /// Runs until the message `stop`.
    mutating func run() {
        while true {
            do throws(DeviceFault) {
                guard try openAndServe() else { return }
            } catch {
                endTry(as: .refused)
                desk.report(error)
                guard waitToOpenAgain() else { return }
            }
        }
    }

    /// Opens the device, and reads codes until it fails.
    ///
    /// - Returns: false after the message `stop`.
    private mutating func openAndServe() throws(DeviceFault) -> Bool {
        switch scanner {
        case .serial(let scanner):
            var device = try SerialScannerDevice(scanner)
            return try serve(&device)
        case .keyboard(let scanner):
            var device = try KeyboardScannerDevice(scanner)
            return try serve(&device)
        case .hidPOS(let scanner):
            var device = try HIDPOSScannerDevice(scanner)
            return try serve(&device)
        case .camera(let scanner):
            var device = try CameraScannerDevice(scanner)
            return try serve(&device)
        }
    }

    /// Reads codes from an open device until it fails.
    ///
    /// - Returns: false after the message `stop`.
    mutating func serve(
        _ device: inout some ScannerDevice & ~Copyable
    ) throws(DeviceFault) -> Bool {
        try device.turn(on: isOn)
        desk.report(.ready)
        while true {
            let now = MonotonicNow.sinceBoot
            var waiting = WaitSet()
            waiting.add(device.descriptor)
            waiting.add(desk.mailbox.descriptor)
            let deadline = [device.deadline, scan?.end].compactMap(\.self).min()
            let ready = try waiting.wait(atMost: deadline.map { max(.zero, $0 - now) })
            // A fault waits for the messages behind it: one of them may switch the scanner off.
            var fault: DeviceFault?
            for message in desk.mailbox.takeAll() {
                switch message {
                case .stop:
                    endTry(as: .refused)
                    // A scanner that is gone needs no command.
                    try? device.turn(on: false)
                    return false
                // A command that is sent again may start the scanner again.
                case .lane(let news) where news.lane == lane && news.takesCode != codes.takesCode:
                    codes.setTakesCode(news.takesCode)
                    fault = turn(&device) ?? fault
                case .attempt(.begun(let attempt)):
                    // The daemon begins one try at a time, so an earlier one has ended there.
                    scan = (attempt, MonotonicNow.sinceBoot + AccessoryTry.scanTime)
                    fault = turn(&device) ?? fault
                case .daemonLost:
                    // Nobody waits for a try's result any more, and no lane takes a code until the daemon says so.
                    scan = nil
                    codes.setTakesCode(false)
                    fault = turn(&device) ?? fault
                case .reportAgain: desk.reportAgain()
                case .lane, .lanes, .broker, .output, .claimed, .attempt(.claimed): break
                }
            }
            if let fault {
                endTry(as: .refused)
                throw fault
            }
            let later = MonotonicNow.sinceBoot
            let scanned =
                try ready.contains(device.descriptor) ? device.read(at: later) : device.expire(at: later)
            let isTried = scan != nil
            let others = scanned.drop { endTry(as: $0.result) }.map(\.code)
            for code in codes.accept(others) { desk.daemon.pass(code, by: desk.accessory.name, to: lane) }
            if let scan, scan.end <= later { endTry(as: .noCode) }
            if isTried, scan == nil { try device.turn(on: isOn) }
        }
    }

    /// Switches the device as `isOn` says, and returns its fault.
    private func turn(_ device: inout some ScannerDevice & ~Copyable) -> DeviceFault? {
        do throws(DeviceFault) {
            try device.turn(on: isOn)
            return nil
        } catch {
            return error
        }
    }

    /// Whether the scanner has to be on.
    private var isOn: Bool { codes.takesCode || scan != nil }

    /// Ends the try in progress.
    ///
    /// - Returns: false if no try is in progress.
    @discardableResult
    private mutating func endTry(as result: TryResult) -> Bool {
        guard let attempt = scan?.attempt else { return false }
        scan = nil
        desk.finish(attempt, as: result)
        return true
    }

    /// Waits two seconds, and follows the messages meanwhile.
    ///
    /// - Returns: false after the message `stop`.
    private mutating func waitToOpenAgain() -> Bool {
        var latest = codes.takesCode
        defer { codes.setTakesCode(latest) }
        return desk.wait(WorkerDesk.pause) { message in
            switch message {
            case .lane(let news) where news.lane == lane: latest = news.takesCode
            case .daemonLost: latest = false
            case .lane, .lanes, .broker, .output, .claimed, .attempt, .reportAgain, .stop: break
            }
        }
    }
}
