import Accessories
import AccessoryDevices
import Deadlines
import Testing

/// The board is a program of the bench. The other driver is Debian's usbrelay.
@Suite(
    "Relay boards and a foreign driver", .serialized,
    .enabled(if: ForeignProgram.isThere, ForeignProgram.absence))
struct ForeignRelayTests {
    /// Sends a command to a contact and returns the board's answer, as the program does.
    private static func perform(
        _ command: RelayCommand, _ exchange: inout RelayExchange, _ device: borrowing HIDRawDevice
    ) throws -> RelayAnswer {
        let next = exchange.begin(command)
        let request = try #require(next)
        var reply: [UInt8] = []
        if case .hidFeature(let length) = request.transport {
            reply = try device.feature(report: try #require(request.bytes.first), length: length)
        } else {
            try device.write(request.bytes)
        }
        return try exchange.end(reply)
    }

    /// Unplugs the board, and waits until the kernel has removed it: all boards have the same USB numbers.
    private static func unplug(_ board: ForeignProgram) async throws {
        try await board.end()
        try await until("the end of the hidraw node") { HIDRawDevice.paths(of: RelayFinder.usb).isEmpty }
    }

    /// The contacts as usbrelay reports them. udevd may need a moment until usbrelay finds the board.
    private static func contacts() async throws -> [String] {
        try await awaited("a board that usbrelay finds") {
            let lines = try await ForeignProgram.lines(of: ["usbrelay"])
            return lines.isEmpty ? nil : lines
        }
    }

    @Test(
        "A contact that one driver closes is closed for the other, with the same bytes",
        arguments: [false, true])
    func usbRelay(_ isAtUSB: Bool) async throws {
        let program = try await ForeignProgram(
            "relay-board", ["usbrelay", "HURTM", "2"] + (isAtUSB ? ["--usb"] : []))
        let board = RelayBoard.usbRelay(serial: "HURTM")
        let path = try #require(program.place.first)
        #expect(try RelayFinder.path(of: board) == path)
        let device = try HIDRawDevice(path: path)
        #expect(device.product == "USBRelay2" && board.fault(product: device.product, channel: 2) == nil)
        #expect(board.fault(product: device.product, channel: 3) == .channelMissing(3, of: 2))
        var exchange = RelayExchange(board: board, channel: 2)
        #expect(try Self.perform(.on, &exchange, device) == .accepted)
        #expect(try await program.lines("closed", count: 1) == ["closed 2"])
        #expect(try Self.perform(.read, &exchange, device) == .state(isOn: true))
        #expect(try await Self.contacts() == ["HURTM_1=0", "HURTM_2=1"])
        _ = try await ForeignProgram.lines(of: ["usbrelay", "-q", "HURTM_2=0"])
        #expect(try await program.lines("closed", count: 2).last == "closed none")
        #expect(try Self.perform(.read, &exchange, device) == .state(isOn: false))
        _ = try await ForeignProgram.lines(of: ["usbrelay", "-q", "HURTM_2=1"])
        #expect(try await program.lines("closed", count: 3).last == "closed 2")
        #expect(try Self.perform(.read, &exchange, device) == .state(isOn: true))
        var first = RelayExchange(board: board, channel: 1)
        #expect(try Self.perform(.read, &first, device) == .state(isOn: false))
        #expect(try Self.perform(.off, &exchange, device) == .accepted)
        let reports = try await program.lines("report", count: 4)
        #expect(reports == ["ff02", "fd02", "ff02", "fd02"].map { "report \($0)000000000000" })
        try await Self.unplug(program)
        try waitUntilReadable(device.descriptor)
        #expect(throws: DeviceFault.absent) { try device.read() }
    }

    @Test("A board is found by its characters alone, and another kind of board at its USB path is refused")
    func names() async throws {
        let program = try await ForeignProgram("relay-board", ["usbrelay", "HURTM", "1", "--usb"])
        let place = try #require(program.place.last)
        #expect(try HIDRawDevice(path: try #require(program.place.first)).usbPath == place)
        #expect(throws: DeviceFault.absent) { try RelayFinder.path(of: .usbRelay(serial: "HURTN")) }
        #expect(throws: DeviceFault.absent) { try RelayFinder.path(of: .hidRelay(usbPath: "\(place).1")) }
        let error = #expect(throws: DeviceFault.self) { try RelayFinder.path(of: .hidRelay(usbPath: place)) }
        #expect(error?.state == .misconfigured)
        try await Self.unplug(program)
    }

    @Test("A board without a state is found by its USB path, is never asked, and understands both drivers")
    func hidRelay() async throws {
        let program = try await ForeignProgram("relay-board", ["hidrelay", "2", "--usb"])
        let path = try #require(program.place.first)
        let board = RelayBoard.hidRelay(usbPath: try #require(program.place.last))
        #expect(try RelayFinder.path(of: board) == path)
        #expect(throws: DeviceFault.absent) { try RelayFinder.path(of: .usbRelay(serial: "HURTM")) }
        let device = try HIDRawDevice(path: path)
        #expect(board.fault(product: device.product, channel: 2) == nil)
        #expect(RelayBoard.usbRelay(serial: "HURTM").fault(product: device.product, channel: 2) != nil)
        var exchange = RelayExchange(board: board, channel: 2)
        #expect(try Self.perform(.on, &exchange, device) == .accepted)
        #expect(try await program.lines("closed", count: 1) == ["closed 2"])
        #expect(try Self.perform(.off, &exchange, device) == .accepted)
        #expect(try await program.lines("closed", count: 2).last == "closed none")
        #expect(program.lines.allSatisfy { !$0.hasPrefix("asked") })
        for (value, closed) in [(1, "closed 2"), (0, "closed none")] {
            let before = program.lines.count { $0.hasPrefix("closed") }
            _ = try await ForeignProgram.lines(of: ["usbrelay", "-q", "\(path)_2=\(value)"])
            #expect(try await program.lines("closed", count: before + 1).last == closed)
        }
        let reports = try await program.lines("report", count: 4).map {
            $0.dropFirst("report ".count).prefix(2)
        }
        #expect(reports == ["f2", "02", "f2", "02"])
        try await Self.unplug(program)
    }
}
