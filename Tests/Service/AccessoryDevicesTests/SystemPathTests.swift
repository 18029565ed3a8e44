import Accessories
import Foundation
import Testing

@testable import AccessoryDevices

@Suite("Devices as the kernel describes them")
struct SystemPathTests {
    private static let scanner = USBIdentity(vendor: 0x0c2e, product: 0x0b67)

    @Test("The numbers of a HID device are read from its uevent")
    func identity() throws {
        let text =
            "DRIVER=hid-generic\nHID_ID=0003:00000C2E:00000B67\nHID_NAME=POS scanner\nHID_UNIQ=\nMODALIAS=hid:b0003"
        let identity = try #require(HIDIdentity(uevent: text))
        #expect(identity.bus == 3 && identity.usb == Self.scanner)
    }

    @Test(
        "A uevent without one well-formed number line has no identity",
        arguments: [
            "", "DRIVER=hid-generic", "HID_ID=", "HID_ID=0003:00000C2E", "HID_ID=0003:00000C2E:00000B67:1",
            "HID_ID=3:C2E:B67", "HID_ID=0003:00010C2E:00000B67", "HID_ID=0003:0000C2EX:00000B67",
            "XHID_ID=0003:00000C2E:00000B67", "HID_NAME=HID_ID=0003:00000C2E:00000B67",
            "HID_ID=0003:00000C2E:00000B67\nHID_ID=0003:00000C2E:00000B68",
        ])
    func noIdentity(_ text: String) {
        #expect(HIDIdentity(uevent: text) == nil)
    }

    @Test(
        "The USB device is the nearest in the path",
        arguments: [
            (
                "/sys/devices/pci0000:00/0000:00:14.0/usb1/1-1/1-1:1.0/0003:16C0:05DF.0001/hidraw/hidraw0",
                "1-1"
            ),
            (
                "/sys/devices/pci0000:00/0000:00:14.0/usb1/1-1/1-1.2/1-1.2:1.0/0003:16C0:05DF.0003/hidraw/hidraw2",
                "1-1.2"
            ), ("/sys/devices/platform/soc/usb10/10-4/10-4.1.3/10-4.1.3:1.1/input/input4/event4", "10-4.1.3"),
        ])
    func place(_ path: String, _ name: String) throws {
        let place = try #require(USBPlace(devicePath: path))
        #expect(place.name == name)
        #expect(place.folder.hasSuffix("/\(name)") && path.hasPrefix(place.folder + "/"))
    }

    @Test(
        "A path without a USB device has no place",
        arguments: [
            "", "/", "/sys/devices/virtual/misc/uhid/0003:0C2E:0B67.0001/hidraw/hidraw0",
            "/sys/devices/pci0000:00/0000:00:14.0/usb1/usb1-1",
            "/sys/devices/platform/i2c-0/0-0050/hidraw/hidraw0",
            "/sys/devices/usb2/1-1/hidraw", "/sys/devices/usb1/1-1.:1.0", "/sys/devices/usb1/1-",
            "/sys/devices/usb1/1-1.",
        ])
    func noPlace(_ path: String) {
        #expect(USBPlace(devicePath: path) == nil)
    }

    @Test("The event nodes of a scanner are found by its numbers, in their order")
    func inputNodes() throws {
        let tree = try MadeUpTree()
        for (node, vendor, product) in [
            ("event10", "0c2e", "0b67"), ("event2", "0c2e", "0b67"), ("event3", "0c2e", "0b61"),
            ("event4", "046d", "0b67"), ("event5", "", ""), ("mouse0", "0c2e", "0b67"),
            ("eventx", "0c2e", "0b67"),
        ] {
            try tree.write("\(vendor)\n", to: "\(node)/device/id/vendor")
            try tree.write("\(product)\n", to: "\(node)/device/id/product")
        }
        try tree.write("", to: "event6/device/name")
        #expect(InputNodes.names(of: Self.scanner, in: tree.path) == ["event2", "event10"])
        #expect(InputNodes.names(of: USBIdentity(vendor: 0x0c2e, product: 1), in: tree.path).isEmpty)
        #expect(InputNodes.names(of: Self.scanner, in: "\(tree.path)/none").isEmpty)
    }

    @Test("The hidraw nodes of a device are found at USB alone")
    func hidrawNodes() throws {
        let tree = try MadeUpTree()
        for (node, id) in [
            ("hidraw0", "0003:00000C2E:00000B67"), ("hidraw11", "0003:00000C2E:00000B67"),
            ("hidraw2", "0005:00000C2E:00000B67"), ("hidraw3", "0003:00000C2E:00000B61"),
            ("hidraw4", "no number"),
            ("hidraw5", "0003:00000C2E:00000B67"),
        ] {
            try tree.write("DRIVER=hid-generic\nHID_ID=\(id)\n", to: "\(node)/device/uevent")
        }
        #expect(HIDRawDevice.names(of: Self.scanner, in: tree.path) == ["hidraw0", "hidraw5", "hidraw11"])
    }

    @Test("A board that is no HID device has no hidraw path")
    func otherBoards() throws {
        #expect(try RelayFinder.path(of: .lcus(device: "/dev/ttyUSB0")) == nil)
        #expect(try RelayFinder.path(of: .gpio(chip: "/dev/gpiochip0", line: 1, isActiveLow: false)) == nil)
        #expect(throws: DeviceFault.absent) { try RelayFinder.path(of: .hidRelay(usbPath: "99-99.9")) }
    }

    @Test("A bit of the kernel's field is found at its place, and no bit beyond the field")
    func bits() {
        let bits = InputBits([0b0000_0001, 0b1000_0000])
        #expect(bits.contains(0) && bits.contains(15) && !bits.isEmpty)
        for other: Int32 in [1, 7, 8, 14, 16, 1000] { #expect(!bits.contains(other)) }
        #expect(InputBits([0, 0]).isEmpty && InputBits.size(upTo: 7) == 1 && InputBits.size(upTo: 8) == 2)
    }
}
