import Accessories
import CAccessoryDevices
import Foundation
import Glibc
import Testing

@testable import AccessoryDevices

@Suite("Keys typed and keys read", .enabled(if: GuestDevices.hasUinput, GuestDevices.uinputAbsence))
struct KeyboardTests {
    /// The keys by which a keyboard is known as one, with Shift, AltGr and a key that types nothing.
    private static let keys: Set<UInt16> = Set(
        [
            KEY_ENTER, KEY_A, KEY_C, KEY_D, KEY_M, KEY_O, KEY_Z, KEY_F24, KEY_LEFTSHIFT, KEY_RIGHTALT,
        ].map { UInt16($0) })

    /// A virtual keyboard that two threads have.
    private final class Typist: Sendable {
        let keyboard: VirtualKeyboard

        init(_ usb: USBIdentity) throws {
            keyboard = try VirtualKeyboard(codes: keys, identity: usb)
        }
    }

    /// Events with a moment of their own, as a virtual keyboard sends them.
    private static func moments(_ keys: [(code: Int32, isDown: Bool)]) -> [InputEvent] {
        keys.flatMap { [InputEvent.key(UInt16($0.code), isDown: $0.isDown), .report] }
    }

    private static func read(_ count: Int, from device: borrowing KeyboardDevice) throws -> [InputEvent] {
        var events: [InputEvent] = []
        while events.count < count {
            try waitUntilReadable(device.descriptor)
            events += try device.read()
        }
        return events
    }

    @Test("What is typed is read, key by key, with Shift and AltGr around it")
    func typed() throws {
        let usb = USBIdentity(vendor: 0x1209, product: 0xc501)
        let typist = try Typist(usb)
        let device = try KeyboardDevice(usb: usb)
        #expect(try device.read().isEmpty)
        try typist.keyboard.press(code: UInt16(KEY_M))
        try typist.keyboard.press(code: UInt16(KEY_D), shift: true)
        try typist.keyboard.press(code: UInt16(KEY_O), shift: true, altGr: true)
        let due = Self.moments([
            (KEY_M, true), (KEY_M, false), (KEY_LEFTSHIFT, true), (KEY_D, true), (KEY_D, false),
            (KEY_LEFTSHIFT, false), (KEY_LEFTSHIFT, true), (KEY_RIGHTALT, true), (KEY_O, true),
            (KEY_O, false),
            (KEY_RIGHTALT, false), (KEY_LEFTSHIFT, false),
        ])
        #expect(try Self.read(due.count, from: device) == due)
    }

    @Test("A keyboard that is taken is busy, and is free again when it was closed")
    func exclusive() throws {
        let usb = USBIdentity(vendor: 0x1209, product: 0xc502)
        let typist = try Typist(usb)
        do {
            let device = try KeyboardDevice(usb: usb)
            #expect(throws: DeviceFault.busy) { _ = try KeyboardDevice(usb: usb) }
            #expect(try device.read().isEmpty)
        }
        _ = try KeyboardDevice(usb: usb)
        #expect(typist.keyboard.systemName?.hasPrefix("input") == true)
    }

    @Test("A keyboard is taken only when no key is down, and keys from before are not read")
    func keyDown() throws {
        let usb = USBIdentity(vendor: 0x1209, product: 0xc503)
        let typist = try Typist(usb)
        let key = UInt16(KEY_F24)
        try typist.keyboard.send([.key(key, isDown: true), .report])
        #expect(throws: DeviceFault.busy) { _ = try KeyboardDevice(usb: usb) }
        let release = Thread { try? typist.keyboard.send([.key(key, isDown: false), .report]) }
        release.start()
        let device = try KeyboardDevice(usb: usb)
        #expect(try device.read().isEmpty)
        try typist.keyboard.press(code: key)
        #expect(try Self.read(4, from: device) == Self.moments([(KEY_F24, true), (KEY_F24, false)]))
    }

    @Test("A keyboard that was removed is absent, open and to be opened")
    func removed() throws {
        let usb = USBIdentity(vendor: 0x1209, product: 0xc504)
        var typist: Typist? = try Typist(usb)
        let device = try KeyboardDevice(usb: usb)
        try typist?.keyboard.press(code: UInt16(KEY_A))
        typist = nil
        #expect(throws: DeviceFault.absent) {
            // The keys from before the removal may still be read.
            while true { _ = try Self.read(1, from: device) }
        }
        #expect(throws: DeviceFault.absent) { _ = try KeyboardDevice(usb: usb) }
    }

    @Test("Two keyboards with the same numbers, and a device without letters, are misconfigured")
    func otherDevices() throws {
        let usb = USBIdentity(vendor: 0x1209, product: 0xc505)
        let first = try Typist(usb)
        do {
            let second = try Typist(usb)
            let error = #expect(throws: DeviceFault.self) { _ = try KeyboardDevice(usb: usb) }
            #expect(error?.state == .misconfigured)
            #expect(first.keyboard.systemName != second.keyboard.systemName)
        }
        _ = try KeyboardDevice(usb: usb)

        let buttons = USBIdentity(vendor: 0x1209, product: 0xc506)
        let device = try VirtualKeyboard(codes: [UInt16(KEY_ENTER), UInt16(KEY_F24)], identity: buttons)
        let error = #expect(throws: DeviceFault.self) { _ = try KeyboardDevice(usb: buttons) }
        #expect(error?.state == .misconfigured)
        #expect(device.systemName != nil)
    }

    @Test("A node without letters beside the keyboard's node does not matter")
    func secondNode() throws {
        let usb = USBIdentity(vendor: 0x1209, product: 0xc507)
        let buttons = try VirtualKeyboard(codes: [UInt16(KEY_F24)], identity: usb)
        let typist = try Typist(usb)
        let device = try KeyboardDevice(usb: usb)
        try typist.keyboard.press(code: UInt16(KEY_Z))
        #expect(try Self.read(4, from: device) == Self.moments([(KEY_Z, true), (KEY_Z, false)]))
        try buttons.press(code: UInt16(KEY_F24))
        #expect(try device.read().isEmpty)
    }

    @Test("Another keyboard is not opened, and can be taken meanwhile")
    func otherKeyboard() throws {
        let (usb, other) = (
            USBIdentity(vendor: 0x1209, product: 0xc509), USBIdentity(vendor: 0x1209, product: 0xc50a)
        )
        let typists = [try Typist(usb), try Typist(other)]
        let device = try KeyboardDevice(usb: usb)
        for (usb, isOpen) in [(usb, true), (other, false)] {
            let node = "/dev/input/\(try #require(InputNodes.names(of: usb).first))"
            let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
            }
            #expect(open.contains(node) == isOpen, "\(usb)")
        }
        let taken = try KeyboardDevice(usb: other)
        try typists[1].keyboard.press(code: UInt16(KEY_Z))
        #expect(try Self.read(4, from: taken) == Self.moments([(KEY_Z, true), (KEY_Z, false)]))
        #expect(try device.read().isEmpty)
    }

    @Test("A key that was not declared is refused")
    func undeclared() throws {
        let keyboard = try VirtualKeyboard(codes: [UInt16(KEY_F24)])
        for (code, shift, altGr) in [(KEY_A, false, false), (KEY_F24, true, false), (KEY_F24, false, true)] {
            let error = #expect(throws: DeviceFault.self) {
                try keyboard.press(code: UInt16(code), shift: shift, altGr: altGr)
            }
            #expect(error?.state == .misconfigured)
        }
        try keyboard.press(code: UInt16(KEY_F24))
    }

    @Test(
        "A keyboard without keys or with a mouse's buttons is not created",
        arguments: [[], [0], [0x110], [30, 0x110]])
    func noKeys(_ codes: Set<UInt16>) {
        let error = #expect(throws: DeviceFault.self) { _ = try VirtualKeyboard(codes: codes) }
        #expect(error?.state == .misconfigured)
    }

    @Test("Locks are read from the LEDs that another program sets")
    func locks() throws {
        let usb = USBIdentity(vendor: 0x1209, product: 0xc508)
        var keyboard = try VirtualKeyboard(codes: Self.keys, identity: usb)
        // Whoever shows the locks (a console, a desktop) writes events to the device's node.
        let name = try #require(InputNodes.names(of: usb).first)
        let node = try OwnedDescriptor.device("/dev/input/\(name)", O_RDWR)
        for (led, isOn) in [(LED_CAPSL, true), (LED_NUML, true), (LED_CAPSL, false)] {
            try node.writeEvents([
                InputEvent(type: UInt16(EV_LED), code: UInt16(led), value: isOn ? 1 : 0), .report,
            ])
            try waitUntilReadable(keyboard.descriptor)
            let locks = try keyboard.readLocks()
            #expect((led == LED_CAPSL ? locks.isCapsLockOn : locks.isNumLockOn) == isOn)
        }
        #expect(try keyboard.readLocks().isNumLockOn)
        let device = try KeyboardDevice(usb: usb)
        #expect(try !device.isCapsLockOn())
        #expect(throws: DeviceFault.busy) { _ = try KeyboardDevice(usb: usb) }
    }
}
