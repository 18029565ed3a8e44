import Accessories
import CAccessoryDevices
import Foundation
import Testing

@testable import AccessoryDevices

/// The other side is Debian's evdev, with a table of a US keyboard that is not the product's.
@Suite(
    "Keys to and from a foreign program", .enabled(if: ForeignProgram.isThere, ForeignProgram.absence))
struct ForeignKeyboardTests {
    private static let due = DueOutput(
        number: 17, accessory: "keys", lane: "gate", presentation: "0f", outcome: .allow, isTest: false,
        age: 21, code: "042137")

    /// An output with a template for the outcome of `due`.
    private static func keys(_ template: String) throws -> KeysOutput {
        var output = KeysOutput()
        output.layout = .us
        output.templates = [.allow: try OutputTemplate(parsing: template)]
        return output
    }

    /// A keyboard that has the keys of an output's templates, and no other.
    private static func keyboard(for output: KeysOutput, _ usb: USBIdentity) throws -> VirtualKeyboard {
        try VirtualKeyboard(codes: KeyStrokes.codes(usedBy: output, lane: due.lane), identity: usb)
    }

    /// The strokes that type `due`.
    private static func strokes(_ output: KeysOutput) throws -> [KeyStroke] {
        let pieces = try #require(output.templates[due.outcome]?.text(for: due, standIn: nil))
        return try #require(KeyStrokes.steps(for: pieces, layout: output.layout))
            .compactMap { if case .stroke(let stroke) = $0 { stroke } else { nil } }
    }

    /// Reads until the machine has a code.
    private static func nextCode(
        from device: borrowing KeyboardDevice, _ machine: inout KeyboardText, later: Duration = .zero
    ) throws -> ScannedCode {
        while true {
            try waitUntilReadable(device.descriptor)
            let codes = feed(try device.read(), &machine, at: MonotonicNow.sinceBoot + later)
            if let code = codes.first { return code }
        }
    }

    private static func feed(
        _ events: [InputEvent], _ machine: inout KeyboardText, at now: Duration
    ) -> [ScannedCode] {
        events.compactMap { machine.receive(type: $0.type, code: $0.code, value: $0.value, at: now) }
    }

    @Test("The keys of a template arrive as its text")
    func typed() async throws {
        let usb = USBIdentity(vendor: 0x1209, product: 0xc511)
        let output = try Self.keys("CS1/{outcome}/{age}/{code}_{lane}: OK!{f9}{enter}")
        let keyboard = try Self.keyboard(for: output, usb)
        let till = try await ForeignProgram("keyboard", ["read", "\(usb)"])
        for (index, stroke) in try Self.strokes(output).enumerated() {
            try keyboard.press(code: stroke.code, shift: stroke.shift, altGr: stroke.altGr)
            // A program that is slower than the typist would lose keys.
            _ = try await till.lines(count: index + 2)
        }
        let text = "CS1/allow/21/042137_gate: OK!"
        let pressed = text.map { "pressed \($0)" } + ["pressed KEY_F9", "text \(text)"]
        #expect(till.lines == ["ready"] + pressed)
        #expect(keyboard.systemName != nil)
    }

    @Test("A key that the template does not have reaches nobody")
    func undeclared() async throws {
        let usb = USBIdentity(vendor: 0x1209, product: 0xc512)
        let keyboard = try Self.keyboard(for: try Self.keys("b{enter}"), usb)
        let till = try await ForeignProgram("keyboard", ["read", "\(usb)"])
        for code in [KEY_DELETE, KEY_B, KEY_LEFTSHIFT, KEY_B, KEY_ENTER] {
            try keyboard.send([
                .key(UInt16(code), isDown: true), .report, .key(UInt16(code), isDown: false), .report,
            ])
        }
        #expect(try await till.lines("text", count: 1) == ["text bb"])
        #expect(till.lines == ["ready", "pressed b", "pressed b", "text bb"])
        #expect(keyboard.systemName != nil)
    }

    @Test("A code that a foreign program types is ours alone while we have the scanner, and anybody's later")
    func exclusive() async throws {
        let usb = USBIdentity(vendor: 0x0c2e, product: 0xc513)
        let sample = try SampleEngagement()
        let scanner = try await ForeignProgram("keyboard", ["type", "\(usb)", sample.path])
        let till = try await ForeignProgram("keyboard", ["read", "\(usb)"])
        do {
            let device = try KeyboardDevice(usb: usb)
            var machine = KeyboardText()
            scanner.act()
            #expect(try Self.nextCode(from: device, &machine).uri == SampleEngagement.uri)
            _ = try await scanner.lines("typed", count: 1)
            till.act()
            #expect(try await till.lines("grab", count: 1) == ["grab refused"])
            #expect(till.lines == ["ready", "grab refused"])
            // The device is ours up to here.
            _ = try device.read()
        }
        scanner.act()
        #expect(try await till.lines("text", count: 1) == ["text \(SampleEngagement.uri)"])
        till.act()
        #expect(try await till.lines("grab", count: 2).last == "grab granted")
    }

    @Test("A code of which the kernel drops keys is none, and the next code is read")
    func dropped() async throws {
        let usb = USBIdentity(vendor: 0x0c2e, product: 0xc514)
        let sample = try SampleEngagement()
        let scanner = try await ForeignProgram("keyboard", ["type", "\(usb)", sample.path])
        let device = try KeyboardDevice(usb: usb)
        var machine = KeyboardText()
        scanner.act()
        // Nobody reads meanwhile, and the kernel keeps fewer events than a code has.
        _ = try await scanner.lines("typed", count: 1)
        var events: [InputEvent] = []
        while case let more = try device.read(), !more.isEmpty { events += more }
        #expect(events.contains { $0.type == UInt16(EV_SYN) && $0.code == UInt16(SYN_DROPPED) })
        let now = MonotonicNow.sinceBoot
        #expect(Self.feed(events, &machine, at: now).isEmpty)
        _ = machine.expire(at: now + KeyboardText.pause)
        #expect(machine.isIdle)
        scanner.act()
        let code = try Self.nextCode(from: device, &machine, later: KeyboardText.pause)
        #expect(code.uri == SampleEngagement.uri)
    }

    @Test("A scanner that is unplugged is absent, for us and for a foreign program")
    func unplugged() async throws {
        let usb = USBIdentity(vendor: 0x0c2e, product: 0xc515)
        let sample = try SampleEngagement()
        let scanner = try await ForeignProgram("keyboard", ["type", "\(usb)", sample.path])
        let till = try await ForeignProgram("keyboard", ["read", "\(usb)"])
        let device = try KeyboardDevice(usb: usb)
        #expect(try device.read().isEmpty)
        try await scanner.end()
        try waitUntilReadable(device.descriptor)
        #expect(throws: DeviceFault.absent) { try device.read() }
        #expect(throws: DeviceFault.absent) { _ = try KeyboardDevice(usb: usb) }
        #expect(try await till.lines("unplugged", count: 1).count == 1)
    }
}
