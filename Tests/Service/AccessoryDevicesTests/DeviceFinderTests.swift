import Accessories
import JSON
import Testing

@testable import AccessoryDevices

@Suite("Plugged-in devices, as setup and doctor find them")
struct DeviceFinderTests {
    /// A HID POS scanner with one report of decoded data, and the same report on a page of a maker.
    private static let descriptor: [UInt8] = [
        0x05, 0x8c, 0x09, 0x02, 0xa1, 0x01, 0x85, 0x02, 0x15, 0x00, 0x26, 0xff, 0x00, 0x75, 0x08, 0x95, 0x3f,
        0x09,
        0xfe, 0x81, 0x02, 0xc0,
    ]
    private static var ownPage: [UInt8] { [0x06, 0x00, 0xff] + descriptor.dropFirst(2) }

    private let tree: MadeUpTree
    private var finder: DeviceFinder { DeviceFinder(root: tree.path) }
    private var kinds: [PluggedInDevice.Kind] { finder.devices().map(\.kind) }

    init() throws { tree = try MadeUpTree() }

    @Test("A computer without accessories has none, and one without /sys neither")
    func nothing() throws {
        #expect(finder.devices().isEmpty)
        #expect(DeviceFinder(root: "\(tree.path)/none").devices().isEmpty)
    }

    @Test("A serial line has the kind that its maker or its texts say, and no other line is guessed")
    func lines() throws {
        for (number, (id, maker, product, kind))
            in ([
                ("0c2e:0b61", "", "", .serialScanner),
                ("1234:0001", "Some", "2D Barcode Reader", .serialScanner),
                ("1234:0002", "Some", "SCANNER", .serialScanner), ("0c2f:0b61", "", "", .serialLine),
                ("1a86:7523", "", "USB Serial", .ch340), ("1a86:7523", "", "QR Scanner", .serialScanner),
                ("1a86:55d4", "", "USB Serial", .serialLine), ("0403:6001", "KMTronic", "Relay", .kmtronic),
                ("0403:6001", "FTDI", "FT232R USB UART", .serialLine),
            ] as [(String, String, String, PluggedInDevice.Kind)]).enumerated()
        {
            let tree = try MadeUpTree()
            try tree.plugInLine(
                "ttyUSB\(number)", at: "1-\(number + 1)", id, maker: maker, product: product,
                link: "usb-x-if00")
            let device = try #require(DeviceFinder(root: tree.path).devices().first)
            #expect(device.kind == kind, "\(id) \(maker) \(product)")
            #expect(device.path == "/dev/serial/by-id/usb-x-if00" && device.usb == USBIdentity(id))
            #expect(device.usbPath == "1-\(number + 1)")
        }
    }

    @Test("Two lines of one adapter are two devices; a link without a node is none")
    func ports() throws {
        try tree.plugInLine("ttyUSB0", at: "1-1", "0403:6010", link: "usb-x-if00-port0")
        try tree.plugInLine("ttyUSB1", at: "1-1", "0403:6010", link: "usb-x-if01-port0")
        try tree.link("dev/serial/by-id/usb-gone-if00", to: "dev/ttyUSB9")
        #expect(finder.devices().map(\.path).map { $0.suffix(10) } == ["if00-port0", "if01-port0"])
    }

    @Test("A HID POS scanner is found by its descriptor; a page of a maker, and half a descriptor, are none")
    func hidPOS() throws {
        try tree.plugInHID("hidraw0", at: "1-1", "1234:0001", descriptor: Self.descriptor)
        try tree.plugInHID("hidraw1", at: "1-2", "1234:0002", descriptor: Self.ownPage)
        try tree.plugInHID("hidraw2", at: "1-3", "1234:0003", descriptor: Self.descriptor.dropLast(3))
        try tree.plugInHID("hidraw3", at: "1-4", "1234:0004")
        let found = finder.devices()
        #expect(found.map(\.kind) == [.hidPOSScanner] && found.first?.path == "/dev/hidraw0")
        #expect(found.first?.usb == USBIdentity("1234:0001"))
    }

    @Test("A relay board is found by its numbers and its product text together")
    func relays() throws {
        try tree.plugInHID("hidraw0", at: "1-1", "16c0:05df", maker: "www.dcttech.com", product: "USBRelay2")
        try tree.plugInHID(
            "hidraw1", at: "1-1.2", "16c0:05df", maker: "www.dcttech.com", product: "HIDRelay4")
        try tree.plugInHID("hidraw2", at: "1-3", "16c0:05df", product: "A keyboard of somebody")
        try tree.plugInHID("hidraw3", at: "1-4", "16c0:05de", product: "USBRelay2")
        let found = finder.devices()
        #expect(found.map(\.kind) == [.usbRelay(contacts: 2), .hidRelay(contacts: 4)])
        #expect(
            found.map(\.usbPath) == ["1-1", "1-1.2"] && found.map(\.path) == ["/dev/hidraw0", "/dev/hidraw1"])
    }

    @Test(
        "The contacts of a board are the number of its product text, and 8 without a number that makes sense",
        arguments: [("USBRelay1", 1), ("USBRelay8", 8), ("USBRelay9", 8), ("USBRelay0", 8), ("USBRelay", 8)])
    func contacts(_ text: String, _ count: Int) {
        #expect(DeviceRules.kind(ofRelay: text) == .usbRelay(contacts: count))
        #expect(DeviceRules.kind(ofRelay: "My\(text)") == nil)
    }

    @Test(
        "A keyboard is a scanner only if its maker or its texts say so, and only with the keys of a keyboard")
    func keyboards() throws {
        try tree.plugInKeys("event2", at: "1-1", "0c2e:0b61")
        try tree.plugInKeys("event3", at: "1-2", "1234:0001", product: "Barcode Scanner")
        try tree.plugInKeys("event4", at: "1-3", "046d:c31c", maker: "Logitech", product: "USB Keyboard")
        try tree.plugInKeys("event5", at: "1-4", "0c2e:0b62", keys: "3e 0 0 0")
        try tree.plugInKeys("event6", at: "1-5", "0c2e:0b63", keys: "no bits")
        let found = finder.devices()
        #expect(found.map(\.kind) == [.keyboardScanner, .keyboardScanner])
        #expect(found.map(\.path) == ["/dev/input/event2", "/dev/input/event3"])
    }

    @Test("A scanner with several interfaces is one device, and two scanners are two")
    func interfaces() throws {
        try tree.plugInLine("ttyACM0", at: "1-1", "0c2e:0b61", link: "usb-x-if00")
        try tree.plugInKeys("event2", at: "1-1", "0c2e:0b61")
        try tree.plugInHID("hidraw0", at: "1-2", "0c2e:0b67", descriptor: Self.descriptor)
        try tree.plugInKeys("event3", at: "1-2", "0c2e:0b67")
        #expect(kinds == [.serialScanner, .hidPOSScanner])
        try tree.plugInKeys("event4", at: "1-3", "0c2e:0b61")
        #expect(kinds == [.serialScanner, .hidPOSScanner, .keyboardScanner])
    }

    @Test("GPIO chips are listed, and their lines are not")
    func chips() throws {
        try tree.write("", to: "sys/bus/gpio/devices/gpiochip0/dev")
        try tree.write("", to: "sys/bus/gpio/devices/gpio-mockup/dev")
        let found = finder.devices()
        #expect(found.map(\.kind) == [.gpioChip] && found.map(\.path) == ["/dev/gpiochip0"])
    }

    @Test("At most 64 devices of a kind are looked at")
    func bound() throws {
        for number in 0..<70 { try tree.write("", to: "sys/bus/gpio/devices/gpiochip\(number)/dev") }
        #expect(finder.devices().count == 64)
    }

    @Test("udev's record says whether ModemManager leaves a line alone; a line without a record is unknown")
    func modemManager() throws {
        let line = "/dev/serial/by-id/usb-x-if00"
        for (record, isIgnored) in [
            ("I:1\nE:ID_MM_DEVICE_IGNORE=1\nE:ID_BUS=usb\n", true), ("E:ID_BUS=usb\n", false),
            ("E:ID_MM_DEVICE_IGNORE=0\n", false), ("S:ID_MM_DEVICE_IGNORE=1\n", false),
            ("E:ID_MM_DEVICE_IGNORE=10\n", false), (nil, nil),
        ] as [(String?, Bool?)] {
            let tree = try MadeUpTree()
            try tree.plugInLine("ttyACM0", at: "1-1", "0c2e:0b61", link: "usb-x-if00", record: record)
            let finder = DeviceFinder(root: tree.path)
            #expect(finder.isIgnoredByModemManager(line) == isIgnored)
            #expect(finder.isIgnoredByModemManager("/dev/ttyACM0") == isIgnored)
            #expect(finder.isIgnoredByModemManager("/dev/ttyACM1") == nil)
        }
    }
}

@Suite("The nodes of a configured accessory")
struct AccessoryNodeTests {
    private static func accessory(_ role: Accessory.Role) -> Accessory {
        Accessory(name: "x", lane: "gate", role: role, isTrial: false, source: .null)
    }

    private static func relay(_ board: RelayBoard) -> Accessory {
        accessory(.output(Output(device: .relay(RelayOutput(board: board)), rule: OutputRule())))
    }

    @Test(
        "A device that is plugged in has nodes, one that is not has none, and one in the network is not looked for"
    )
    func nodes() throws {
        let tree = try MadeUpTree()
        let finder = DeviceFinder(root: tree.path)
        var (line, keyboard, pos) = (SerialScanner(), KeyboardScanner(), HIDPOSScanner())
        line.device = "/dev/serial/by-id/usb-x-if00"
        keyboard.usb = USBIdentity(vendor: 0x0c2e, product: 0x0b61)
        pos.usb = USBIdentity(vendor: 0x0c2e, product: 0x0b67)
        let scanners = [Scanner.serial(line), .keyboard(keyboard), .hidPOS(pos)].map {
            Self.accessory(.scanner($0))
        }
        let boards = [
            RelayBoard.usbRelay(serial: "HURTM"), .hidRelay(usbPath: "1-6"), .lcus(device: line.device),
            .gpio(chip: "/dev/gpiochip0", line: 1, isActiveLow: false),
        ].map(Self.relay)
        for accessory in scanners + boards { #expect(finder.nodes(of: accessory) == []) }
        #expect(
            finder.nodes(of: Self.relay(.modbusTCP(host: "192.0.2.7", port: 502, unit: 1, coil: 0))) == nil)
        try tree.plugInLine("ttyACM0", at: "1-1", "0c2e:0b61", link: "usb-x-if00")
        try tree.plugInKeys("event2", at: "1-2", "0c2e:0b61")
        try tree.plugInHID("hidraw0", at: "1-3", "0c2e:0b67")
        try tree.plugInHID("hidraw1", at: "1-5", "16c0:05df", product: "USBRelay2")
        try tree.plugInHID("hidraw2", at: "1-6", "16c0:05df", product: "HIDRelay2")
        try tree.write("", to: "dev/gpiochip0")
        #expect(
            (scanners + boards).map { finder.nodes(of: $0) } == [
                [line.device], ["/dev/input/event2"], ["/dev/hidraw0"], ["/dev/hidraw1"], ["/dev/hidraw2"],
                [line.device], ["/dev/gpiochip0"],
            ])
        #expect(finder.nodes(of: Self.relay(.hidRelay(usbPath: "1-5"))) == [])
    }
}
