package import Accessories

/// Finds plugged-in scanners, relay boards, serial lines and GPIO chips in the kernel's descriptions.
///
/// `countersign setup` and `countersign doctor` call it. It reads `/sys`, the links below `/dev/serial/by-id` and udev's
/// database. It opens no device, so that no scanner beeps and no relay switches.
package struct DeviceFinder: Sendable {
    /// The folder with udev's links to serial lines.
    package static let serialLines = "/dev/serial/by-id"
    private static let gpioChips = "/sys/bus/gpio/devices"
    /// The maximum number of devices of one kind of node.
    private static let most = 64
    /// The longest record of udev's database that is read, in bytes.
    private static let longestRecord = 16_384

    /// The folder that stands for `/`; an empty text for `/` itself.
    private let root: String

    package init(root: String = "") { self.root = root }

    /// Returns the devices that are plugged in: serial lines, HID devices, keyboards, then GPIO chips.
    ///
    /// A scanner with several interfaces is found once: as a serial scanner rather than HID POS, and as HID POS rather
    /// than a keyboard.
    package func devices() -> [PluggedInDevice] {
        // One adapter can have several serial lines, and each of them is a device of its own.
        var found = lines()
        for device in hidDevices() + keyboards() where !found.contains(where: { Self.isSame($0, device) }) {
            found.append(device)
        }
        return found + chips()
    }

    /// Whether both are interfaces of one USB device.
    private static func isSame(_ one: PluggedInDevice, _ other: PluggedInDevice) -> Bool {
        one.usbPath != nil && one.usbPath == other.usbPath
    }

    private func lines() -> [PluggedInDevice] {
        SystemFiles.names(in: root + Self.serialLines).prefix(Self.most).compactMap { name in
            let path = "\(Self.serialLines)/\(name)"
            guard let node = node(of: path) else { return nil }
            let device = USBDescription(of: "\(root)/sys/class/tty/\(node)/device")
            // The link's name has the texts of the device too, if the kernel does not tell them.
            let text = device?.text ?? name
            return PluggedInDevice(
                DeviceRules.kind(ofSerialLine: device?.usb, text), path: path, usb: device?.usb,
                usbPath: device?.place, text: text)
        }
    }

    private func hidDevices() -> [PluggedInDevice] {
        let folder = root + HIDRawDevice.folder
        return SystemFiles.names(in: folder, beginningWith: "hidraw").prefix(Self.most).compactMap { name in
            guard let device = USBDescription(of: "\(folder)/\(name)/device"),
                let kind = kind(ofHID: device, "\(folder)/\(name)/device/report_descriptor")
            else { return nil }
            return PluggedInDevice(
                kind, path: "/dev/\(name)", usb: device.usb, usbPath: device.place, text: device.text)
        }
    }

    private func kind(ofHID device: USBDescription, _ descriptor: String) -> PluggedInDevice.Kind? {
        if device.usb == RelayFinder.usb { return DeviceRules.kind(ofRelay: device.text) }
        guard let bytes = SystemFiles.bytes(of: descriptor),
            let parsed = try? HIDReportDescriptor(bytes[...]), HIDPOSReport(parsed) != nil
        else { return nil }
        return .hidPOSScanner
    }

    private func keyboards() -> [PluggedInDevice] {
        let folder = root + InputNodes.folder
        return SystemFiles.names(in: folder, beginningWith: "event").prefix(Self.most).compactMap { name in
            guard let device = USBDescription(of: "\(folder)/\(name)/device"),
                InputNodes.isKeyboard("\(folder)/\(name)/device/capabilities/key"),
                DeviceRules.isScanner(device.usb, device.text)
            else { return nil }
            return PluggedInDevice(
                .keyboardScanner, path: "/dev/input/\(name)", usb: device.usb, usbPath: device.place,
                text: device.text)
        }
    }

    private func chips() -> [PluggedInDevice] {
        SystemFiles.names(in: root + Self.gpioChips, beginningWith: "gpiochip").prefix(Self.most).map {
            name in
            PluggedInDevice(.gpioChip, path: "/dev/\(name)", text: name)
        }
    }

    /// Returns the name of the node to which a path leads, such as `ttyACM0`, or `nil` if there is no node.
    private func node(of path: String) -> String? {
        SystemFiles.realPath(root + path).flatMap { $0.split(separator: "/").last.map(String.init) }
    }
}

extension DeviceFinder {
    /// Returns the nodes that an accessory may use. Returns no node if its device is not plugged in, and `nil` for an
    /// accessory in the network.
    ///
    /// A USBRelay board tells its five characters only to the program that opens it, so every such board counts.
    package func nodes(of accessory: Accessory) -> [String]? {
        switch accessory.role {
        case .scanner(.serial(let scanner)): existing(scanner.device)
        case .scanner(.keyboard(let scanner)):
            InputNodes.names(of: scanner.usb, in: root + InputNodes.folder).map { "/dev/input/\($0)" }
        case .scanner(.camera(let scanner)): existing(scanner.device)
        case .scanner(.hidPOS(let scanner)):
            HIDRawDevice.names(of: scanner.usb, in: root + HIDRawDevice.folder).map { "/dev/\($0)" }
        case .output(let output): nodes(of: output.device)
        }
    }

    private func nodes(of output: OutputDevice) -> [String]? {
        switch output {
        case .keys: existing("/dev/uinput")
        case .line(let line): existing(line.device)
        case .osdp(let panel): existing(panel.device)
        case .relay(let relay): nodes(of: relay.board)
        case .mqtt: nil
        }
    }

    private func nodes(of board: RelayBoard) -> [String]? {
        switch board {
        case .gpio(let chip, _, _): existing(chip)
        case .lcus(let device), .kmtronic(let device), .modbusRTU(let device, _, _, _): existing(device)
        case .usbRelay:
            hidDevices().filter { if case .usbRelay = $0.kind { true } else { false } }.map(\.path)
        case .hidRelay(let place):
            hidDevices().filter { device in
                if case .hidRelay = device.kind { device.usbPath == place } else { false }
            }.map(\.path)
        case .modbusTCP: nil
        }
    }

    private func existing(_ path: String) -> [String] { node(of: path) == nil ? [] : [path] }

    /// Whether udev tells ModemManager to leave a serial line alone. `nil` if udev's database does not know the line.
    ///
    /// - Parameter path: the path of the line, which may be a link.
    package func isIgnoredByModemManager(_ path: String) -> Bool? {
        guard let node = node(of: path),
            let numbers = SystemFiles.text(of: "\(root)/sys/class/tty/\(node)/dev"),
            let record = SystemFiles.text(
                of: "\(root)/run/udev/data/c\(numbers)", upTo: Self.longestRecord)
        else { return nil }
        // ModemManager takes 1 and true in any case.
        let ignoring = ["e:id_mm_device_ignore=1", "e:id_mm_device_ignore=true"]
        return record.split(separator: "\n").contains { line in ignoring.contains(line.lowercased()) }
    }
}

/// The numbers, the place and the texts of the USB device to which a device of the kernel belongs.
private struct USBDescription {
    let usb: USBIdentity?
    let place: String
    /// The maker's and the product's text, with a space between them.
    let text: String

    /// Reads the description of a device. Returns `nil` for a device that is not at USB.
    ///
    /// - Parameter link: the path of the device below `/sys`, which may be a link.
    init?(of link: String) {
        guard let place = SystemFiles.realPath(link).flatMap(USBPlace.init(devicePath:)) else { return nil }
        func word(_ name: String) -> String { SystemFiles.text(of: "\(place.folder)/\(name)") ?? "" }
        self.place = place.name
        usb = USBIdentity("\(word("idVendor")):\(word("idProduct"))")
        text = [word("manufacturer"), word("product")].filter { !$0.isEmpty }.joined(separator: " ")
    }
}
