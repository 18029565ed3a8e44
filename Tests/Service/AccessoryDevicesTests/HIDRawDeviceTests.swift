import Accessories
import AccessoryDevices
import Deadlines
import Testing

@Suite("HID devices", .serialized, .enabled(if: GuestDevices.hasUHID, GuestDevices.uhidAbsence))
struct HIDRawDeviceTests {
    /// A scanner of the usage page 8Ch with one input report: its number 2 and 63 bytes.
    private static let scanner: [UInt8] = [
        0x05, 0x8c, 0x09, 0x02, 0xa1, 0x01, 0x85, 0x02, 0x15, 0x00, 0x26, 0xff, 0x00, 0x75, 0x08, 0x95, 0x3f,
        0x09,
        0xfe, 0x81, 0x02, 0xc0,
    ]
    /// A relay board: a feature report and an output report of 8 bytes without a number.
    private static let board: [UInt8] = [
        0x06, 0x00, 0xff, 0x09, 0x01, 0xa1, 0x01, 0x15, 0x00, 0x26, 0xff, 0x00, 0x75, 0x08, 0x95, 0x08, 0x09,
        0x00,
        0xb2, 0x02, 0x01, 0x09, 0x00, 0x91, 0x02, 0xc0,
    ]

    /// Waits for the node of a device, and returns its path.
    private static func path(of usb: USBIdentity, count: Int = 1) async throws -> [String] {
        try await awaited("a hidraw node of \(usb)") {
            let paths = HIDRawDevice.paths(of: usb)
            return paths.count == count ? paths : nil
        }
    }

    @Test("A scanner's descriptor, name and reports are read, and its end is seen")
    func scanner() async throws {
        let usb = USBIdentity(vendor: 0x0c2e, product: 0xc5a1)
        let software = try SoftwareHIDDevice(name: "POS scanner", usb: usb, reportDescriptor: Self.scanner)
        defer { software.end() }
        let device = try HIDRawDevice(path: try #require(try await Self.path(of: usb).first))
        #expect(try device.reportDescriptor() == Self.scanner)
        #expect(device.name == "POS scanner" && device.product == "POS scanner" && device.usbPath == nil)
        #expect(try device.read().isEmpty)
        for byte: UInt8 in [1, 2] {
            let report = [0x02] + [UInt8](repeating: byte, count: 63)
            try software.sendInput(report)
            try waitUntilReadable(device.descriptor)
            #expect(try device.read() == report)
        }
        try software.unplug()
        try waitUntilReadable(device.descriptor)
        #expect(throws: DeviceFault.absent) { try device.read() }
        #expect(throws: DeviceFault.absent) { try device.reportDescriptor() }
        _ = try await Self.path(of: usb, count: 0)
    }

    @Test("A relay board is found by its five characters, read and written")
    func relayBoard() async throws {
        let feature = Array("HURTM".utf8) + [0, 0, 2]
        let software = try SoftwareHIDDevice(
            name: "www.dcttech.com USBRelay2", usb: RelayFinder.usb, reportDescriptor: Self.board,
            feature: feature)
        defer { software.end() }
        let path = try #require(try await Self.path(of: RelayFinder.usb).first)
        #expect(try RelayFinder.path(of: .usbRelay(serial: "HURTM")) == path)
        #expect(throws: DeviceFault.absent) { try RelayFinder.path(of: .usbRelay(serial: "HURTN")) }
        #expect(throws: DeviceFault.absent) { try RelayFinder.path(of: .hidRelay(usbPath: "1-1")) }
        let device = try HIDRawDevice(path: path)
        #expect(try device.feature(report: 1, length: 9) == feature)
        let report: [UInt8] = [0, 0xff, 1, 0, 0, 0, 0, 0, 0]
        try device.write(report)
        try await until("the report at the board") { software.written == [report] }
        try software.unplug()
        _ = try await Self.path(of: RelayFinder.usb, count: 0)
    }

    @Test("Two boards with the same characters are misconfigured, and the other kind of board is not asked")
    func twoBoards() async throws {
        let names = ["www.dcttech.com USBRelay1", "www.dcttech.com USBRelay2", "ucreatefun.com HIDRelay"]
        let boards = try names.map { name in
            try SoftwareHIDDevice(
                name: name, usb: RelayFinder.usb, reportDescriptor: Self.board,
                feature: Array("AAAAA".utf8) + [0, 0, 0])
        }
        defer { for board in boards { board.end() } }
        _ = try await Self.path(of: RelayFinder.usb, count: 3)
        let error = #expect(throws: DeviceFault.self) { try RelayFinder.path(of: .usbRelay(serial: "AAAAA")) }
        #expect(error?.state == .misconfigured)
        try boards[0].unplug()
        _ = try await Self.path(of: RelayFinder.usb, count: 2)
        let path = try #require(try RelayFinder.path(of: .usbRelay(serial: "AAAAA")))
        #expect(try HIDRawDevice(path: path).name == names[1])
        for board in boards[1...] { try board.unplug() }
        _ = try await Self.path(of: RelayFinder.usb, count: 0)
    }
}
