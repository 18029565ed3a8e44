internal import Accessories
internal import AccessoryDevices

/// A code that a scanner has read.
struct ReadCode: Equatable, Sendable {
    let code: ScannedCode
    /// The number of characters, or `nil` for a code that is too long or incomplete.
    let characters: Int?

    init(_ scanned: ScannedBytes) {
        self.init(ScannedCode(scanned), characters: scanned.length)
    }

    /// - Parameter characters: the number of characters if the code is not a phone's.
    init(_ code: ScannedCode, characters: Int?) {
        self.code = code
        if case .engagement(let engagement) = code {
            self.characters = engagement.length
        } else {
            self.characters = characters
        }
    }

    /// The result of a try in which this code was read.
    var result: TryResult {
        switch code {
        case .engagement(let engagement): .phoneCode(characters: engagement.length)
        case .fault: .otherCode(characters: characters)
        }
    }
}

/// The device of a scanner, with the machine that finds codes in what the device sends.
protocol ScannerDevice: ~Copyable {
    /// The descriptor that is readable when the device has sent something.
    var descriptor: Int32 { get }
    /// The time at which `expire` has to be called, or `nil` while no code has begun.
    var deadline: Duration? { get }
    /// Switches the scanner on or off, if it has commands for that.
    mutating func turn(on isOn: Bool) throws(DeviceFault)
    /// Reads what the device has sent.
    mutating func read(at now: Duration) throws(DeviceFault) -> [ReadCode]
    /// Ends a code whose deadline has passed. Also called before the deadline, and then does nothing.
    ///
    /// - Throws: the fault of a device that sends nothing although it should.
    mutating func expire(at now: Duration) throws(DeviceFault) -> [ReadCode]
}

/// A scanner at a serial line.
struct SerialScannerDevice: ScannerDevice, ~Copyable {
    private let line: SerialLine
    private var framing: ScanFraming
    private let commands: ScannerCommands?

    init(_ scanner: SerialScanner) throws(DeviceFault) {
        line = try SerialLine(path: scanner.device, speed: scanner.speed)
        framing = ScanFraming(scanner)
        commands = scanner.commands.map { ScannerCommands($0) }
    }

    var descriptor: Int32 { line.descriptor }

    var deadline: Duration? { framing.deadline }

    mutating func turn(on isOn: Bool) throws(DeviceFault) {
        guard let commands else { return }
        try line.write(isOn ? commands.on : commands.off)
    }

    mutating func read(at now: Duration) throws(DeviceFault) -> [ReadCode] {
        try framing.receive(line.read(upTo: 4096)[...], at: now).map { ReadCode($0) }
    }

    mutating func expire(at now: Duration) -> [ReadCode] {
        framing.expire(at: now).map { ReadCode($0) }
    }
}

/// A scanner that types, taken exclusively.
struct KeyboardScannerDevice: ScannerDevice, ~Copyable {
    private let device: KeyboardDevice
    private var text: KeyboardText

    init(_ scanner: KeyboardScanner) throws(DeviceFault) {
        let keyboard = try KeyboardDevice(usb: scanner.usb)
        var text = KeyboardText(layout: scanner.layout)
        text.setCapsLock(try keyboard.isCapsLockOn())
        device = keyboard
        self.text = text
    }

    var descriptor: Int32 { device.descriptor }

    var deadline: Duration? { text.deadline }

    mutating func turn(on isOn: Bool) throws(DeviceFault) {}

    mutating func read(at now: Duration) throws(DeviceFault) -> [ReadCode] {
        let events = try device.read()
        var codes: [ReadCode] = []
        for event in events {
            if let code = text.receive(type: event.type, code: event.code, value: event.value, at: now) {
                codes.append(ReadCode(code, characters: text.lastLength))
            }
        }
        return codes
    }

    mutating func expire(at now: Duration) -> [ReadCode] {
        text.expire(at: now).map { [ReadCode($0, characters: nil)] } ?? []
    }
}

/// A scanner of the HID usage page 8Ch.
struct HIDPOSScannerDevice: ScannerDevice, ~Copyable {
    private let device: HIDRawDevice
    private var report: HIDPOSReport

    /// Opens the first device with these numbers whose report descriptor is a bar code scanner's. A scanner often has
    /// further HID interfaces, such as a keyboard.
    init(_ scanner: HIDPOSScanner) throws(DeviceFault) {
        let (path, report) = try Self.find(scanner.usb)
        device = try HIDRawDevice(path: path)
        self.report = report
    }

    private static func find(_ usb: USBIdentity) throws(DeviceFault) -> (path: String, HIDPOSReport) {
        let paths = HIDRawDevice.paths(of: usb)
        guard !paths.isEmpty else { throw .absent }
        for path in paths {
            let bytes = try HIDRawDevice(path: path).reportDescriptor()
            if let descriptor = try? HIDReportDescriptor(bytes[...]), let report = HIDPOSReport(descriptor) {
                return (path, report)
            }
        }
        throw .misconfigured("the device has no report of a bar code scanner: set the scanner to HID POS")
    }

    var descriptor: Int32 { device.descriptor }

    // A report comes whole, and a code that continues has no silence to wait for: its time is checked with the next
    // report.
    var deadline: Duration? { nil }

    mutating func turn(on isOn: Bool) throws(DeviceFault) {}

    mutating func read(at now: Duration) throws(DeviceFault) -> [ReadCode] {
        let bytes = try device.read()
        guard !bytes.isEmpty else { return [] }
        return report.receive(bytes[...], at: now).map { [ReadCode($0)] } ?? []
    }

    mutating func expire(at now: Duration) -> [ReadCode] { [] }
}
