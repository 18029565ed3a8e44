import Foundation
import Testing
import Transport
import VectorFiles

@testable import BlueZTransport

@Suite("Adapters")
struct AdapterDescriptionTests {
    /// The kernel's answer to Read Controller Information, up to the settings in use.
    private static let event: [UInt8] = [
        0x01, 0x00, 0x00, 0x00, 0x1b, 0x01, 0x04, 0x00, 0x00,  // command complete
        0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x0a, 0x5d, 0x00,  // address, HCI 5.1, maker 93
        0xff, 0xfe, 0x03, 0x00, 0x80, 0x02, 0x00, 0x00,  // what it could, and how it is used
    ]

    @Test("The kernel's answer is read: maker, version, and the radios in use")
    func kernel() throws {
        let information = try #require(ControllerInformation(event: Self.event))
        #expect(information.manufacturer == 93)
        #expect(information.hciVersion == 10)
        #expect(information.mode == .dual)
        for (settings, mode) in [(0x0200, .lowEnergy), (0x0080, .classic), (0x0001, nil)]
            as [(Int, AdapterMode?)]
        {
            var event = Self.event
            (event[22], event[23]) = (UInt8(settings & 0xff), UInt8(settings >> 8))
            #expect(ControllerInformation(event: event)?.mode == mode)
        }
    }

    @Test("Another event, another command's end, a failure or a cut-off answer is none")
    func otherEvents() {
        for index in [0, 1, 6, 7, 8] {
            var event = Self.event
            event[index] ^= 0x10
            #expect(ControllerInformation(event: event) == nil, "\(index)")
        }
        for count in 0..<Self.event.count {
            #expect(ControllerInformation(event: Array(Self.event.prefix(count))) == nil)
        }
    }

    private func adapter(_ change: (inout AdapterDescription.Controller) -> Void) -> AdapterDescription {
        var controller = AdapterDescription.Controller()
        change(&controller)
        return AdapterDescription(
            name: "hci0", isPowered: true, isPairable: false, advertising: nil, controller: controller)
    }

    @Test("Q106 Broadcom's radio on a board is reported, and no USB adapter of the same maker")
    func broadcom() {
        for manufacturer in [15, 305] as [UInt16] {
            #expect(
                adapter { ($0.manufacturer, $0.isSerial) = (manufacturer, true) }.quirks == [
                    .dropsPhonesEarly
                ])
            #expect(adapter { $0.manufacturer = manufacturer }.quirks.isEmpty)
        }
        #expect(adapter { ($0.manufacturer, $0.isSerial) = (2, true) }.quirks.isEmpty)
    }

    @Test("Q109 A dongle with an RTL8761B is reported, and more so while its firmware is missing")
    func realtek() {
        let bare = adapter {
            $0.usb = USBIdentity(vendor: 0x0bda, product: 0x8771)
            ($0.subversion, $0.revision) = (0x8761, 0x000b)
        }
        #expect(bare.quirks == [.deafWithoutFirmware, .firmwareMissing])
        let loaded = adapter {
            $0.usb = USBIdentity(vendor: 0x0bda, product: 0x8771)
            ($0.subversion, $0.revision) = (0xd922, 0x0001)
        }
        #expect(loaded.quirks == [.deafWithoutFirmware])
        #expect(adapter { $0.usb = USBIdentity(vendor: 0x0bda, product: 0x8772) }.quirks.isEmpty)
        #expect(adapter { ($0.subversion, $0.revision) = (0x8761, 0x000b) }.quirks.isEmpty)
    }

    @Test("Every model with quirks stands in the page on hardware")
    func page() throws {
        let file = VectorFiles.repository.appending(path: "Documentation/hardware.md")
        let page = try String(contentsOf: file, encoding: .utf8)
        for model in AdapterModel.all {
            switch model.identity {
            case .usb(let usb): #expect(page.contains("\(usb)"), "\(usb)")
            case .serial(let manufacturer): #expect(page.contains("\(manufacturer) ("), "\(manufacturer)")
            }
        }
    }

    @Test("The identity of a USB adapter stands in the folder above its interface")
    func usb() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "countersign-adapter-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let interface = folder.appending(path: "usb/1-2/1-2:1.0")
        try FileManager.default.createDirectory(at: interface, withIntermediateDirectories: true)
        let adapter = folder.appending(path: "bluetooth/hci9000")
        try FileManager.default.createDirectory(at: adapter, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: adapter.appending(path: "device").path, withDestinationPath: interface.path)
        try Data("0bda\n".utf8).write(to: folder.appending(path: "usb/1-2/idVendor"))
        try Data("8771\n".utf8).write(to: folder.appending(path: "usb/1-2/idProduct"))
        let devices = folder.appending(path: "bluetooth").path
        let found = AdapterDescription.Controller.current(named: "hci9000", devices: devices)
        #expect(found.usb == USBIdentity(vendor: 0x0bda, product: 0x8771))
        #expect(AdapterDescription.Controller.current(named: "hci9001", devices: devices) == .init())
    }

    @Test("Bluetooth versions go by the HCI's number")
    func versions() {
        for (number, version) in [(6, "4.0"), (10, "5.1"), (14, "6.0")] as [(UInt8, String)] {
            #expect(adapter { $0.hciVersion = number }.controller.bluetoothVersion == version)
        }
        for number in [0, 16, 255] as [UInt8] {
            #expect(adapter { $0.hciVersion = number }.controller.bluetoothVersion == nil)
        }
    }

    @Test("What bluetoothd says of an adapter is read; one without advertising has none")
    func properties() {
        let properties: BusInterfaces = [
            "org.bluez.Adapter1": ["Powered": .boolean(true), "Pairable": .boolean(true)],
            "org.bluez.LEAdvertisingManager1": ["ActiveInstances": .byte(1), "SupportedInstances": .byte(4)],
        ]
        let able = AdapterDescription(name: "hci0", interfaces: properties, controller: .init())
        #expect(able.isPowered && able.isPairable)
        #expect(able.advertising == .init(active: 1, free: 4))
        let bare = AdapterDescription(
            name: "hci0", interfaces: ["org.bluez.Adapter1": [:]], controller: .init())
        #expect(!bare.isPowered && !bare.isPairable && bare.advertising == nil)
    }
}
