import BlueZBench
import NDEF
import Testing
import Transport

@testable import BlueZTransport

extension OneAfterAnother.BenchTests {
    @Test("Q84 A phone is found, connected to once, spoken with, and leaves nothing behind")
    func wholeLink() async throws {
        try await withPhone(["--l2cap-psm", "129", "--psm-characteristic", "4", "--linger"]) {
            phone in
            let radio = BlueZRadio()
            let link = try await radio.connect(to: Self.service)
            let client = try #require(link as? GATTClient)
            #expect(client.attempts == 1)
            #expect(await link.packetLimit == 509, "Q67 Q98 what the MTU of 512 leaves")
            #expect(try await client.readPSM() == [0, 0, 0, 0x81])
            await #expect(throws: BluetoothLEError.serviceIncomplete) { try await client.readIdent() }
            try await link.signal(0x01)
            for size in [20, 25_000, 90_000] {
                #expect(try await Self.echo(Self.message(size), over: link) == Self.message(size))
            }
            #expect(
                phone.lines.contains { $0.hasPrefix("request bytes=90000") && $0.contains("largest=509") })
            await #expect(throws: BluetoothLEError.connectionFailed(.valueTooLong)) {
                try await link.send(.byte(0), [UInt8](repeating: 0, count: 509)[...])
            }
            try await link.signal(0x02)
            try await phone.said("state")
            await link.close()
            try await phone.said("disconnected")
            #expect(phone.lines.count { $0.hasPrefix("connected") } == 1)
            await #expect(throws: BluetoothLEError.linkLost) { try await link.send(.none, [1]) }
            await #expect(throws: BluetoothLEError.linkLost) { try await link.receive() }
        }
        try await expectNothingLeft()
    }

    @Test(
        "Q67 Q99 A value is as long as the phone's MTU lets it be, at a public and at a random address",
        arguments: [(23, 20, "public"), (185, 182, "random:F2:C1:22:33:44:55"), (517, 509, "public")])
    func maximumValue(mtu: Int, limit: Int, address: String) async throws {
        try await withPhone(["--mtu", "\(mtu)", "--address", address]) { phone in
            let link = try await BlueZRadio().connect(to: Self.service)
            #expect(await link.packetLimit == limit)
            try await link.signal(0x01)
            #expect(try await Self.echo(Self.message(3000), over: link) == Self.message(3000))
            #expect(phone.fact("largest", of: "request") == "\(limit)")
            await link.close()
        }
        try await expectNothingLeft()
    }

    @Test("Q110 Without sockets every value is a call of its own, and the order is kept")
    func calls() async throws {
        try await withPhone(["--end", "state02"]) { phone in
            var configuration = BlueZConfiguration()
            configuration.usesSockets = false
            let link = try await BlueZRadio(configuration: configuration).connect(to: Self.service)
            #expect(await link.packetLimit == 20)
            try await link.signal(0x01)
            // One value: bluetoothd keeps no more than the last that it has not yet told of.
            try await Self.send(Self.message(15), over: link)
            #expect(try await Self.untilState(link) == (Self.message(15), [0x02]))
            await link.close()
            try await phone.said("disconnected")
        }
        try await expectNothingLeft()
    }

    @Test("A state comes after all data before it")
    func order() async throws {
        try await withPhone(["--end", "state02"]) { phone in
            let link = try await BlueZRadio().connect(to: Self.service)
            try await link.signal(0x01)
            try await Self.send(Self.message(40_000), over: link)
            try await phone.said("state")
            #expect(try await Self.untilState(link) == (Self.message(40_000), [0x02]))
            await link.close()
        }
        try await expectNothingLeft()
    }

    @Test(
        "Q78 What a phone sent before it left is delivered, then the link is lost", arguments: [true, false])
    func leavesAfterAnswer(usesSockets: Bool) async throws {
        try await withPhone(["--end", "disconnect"]) { phone in
            var configuration = BlueZConfiguration()
            configuration.usesSockets = usesSockets
            let link = try await BlueZRadio(configuration: configuration).connect(to: Self.service)
            try await link.signal(0x01)
            try await Self.send(Self.message(2000), over: link)
            try await phone.said("disconnected")
            var data: [UInt8] = []
            await #expect(throws: BluetoothLEError.linkLost) {
                while case .data(let value) = try await link.receive() { data += value.dropFirst() }
            }
            #expect(data == Self.message(2000))
            await link.close()
        }
        try await expectNothingLeft()
    }

    /// All data of the phone up to its first state.
    static func untilState(_ link: any BluetoothLELink) async throws -> (data: [UInt8], state: [UInt8]) {
        var data: [UInt8] = []
        while true {
            switch try await link.receive() {
            case .data(let value): data += value.dropFirst()
            case .state(let value): return (data, value)
            }
        }
    }

    @Test("Q87 A UUID of 16 bits is found in its 128-bit form")
    func shortUUID() async throws {
        let service = Self.phoneService(BluetoothUUID(expanding: 0xfb12))
        try await withPhone(["--uuid16"], uuid: service.uuid) { _ in
            let link = try await BlueZRadio().connect(to: service)
            try await link.signal(0x01)
            #expect(try await Self.echo([1, 2], over: link) == [1, 2])
            await link.close()
        }
        try await expectNothingLeft()
    }

    @Test(
        "Q82 Q104 A phone without the service, or that lets nobody hear, is refused by name after a few attempts",
        arguments: [("wrong-service", ConnectionFaultID.serviceIncomplete), ("no-cccd", .notSubscribed)])
    func unusable(fault: String, id: ConnectionFaultID) async throws {
        try await withPhone(["--fault", fault]) { phone in
            var configuration = BlueZConfiguration()
            configuration.reappearance = .seconds(2)
            let radio = BlueZRadio(configuration: configuration)
            let error = await Self.error { _ = try await radio.connect(to: Self.service) }
            #expect(error?.connectionFault == id)
            #expect(phone.lines.count { $0.hasPrefix("connected") } == 1, "which has left then")
        }
        try await expectNothingLeft()
    }

    @Test(
        "A phone that never lets itself be used ends in a named error, after bounded attempts")
    func neverUsable() async throws {
        try await withPhone(["--fault", "connect-storm=2"]) { phone in
            var configuration = BlueZConfiguration()
            configuration.attempts = 2
            let error = await Self.error {
                _ = try await BlueZRadio(configuration: configuration).connect(to: Self.service)
            }
            #expect(AirPhone.droppedConnection.map { .connectionFailed(ConnectionFault($0)) }.contains(error))
            #expect(phone.lines.count { $0.hasPrefix("connected") } == 2)
            try await expectNothingLeft()
        }
    }

    @Test(
        "A phone that leaves at the start or during the request is a lost link",
        arguments: ["started", "request"])
    func leaves(at step: String) async throws {
        try await withPhone(["--fault", "disconnect-at=\(step)"]) { _ in
            let link = try await BlueZRadio().connect(to: Self.service)
            try await link.signal(0x01)
            if step == "request" { try await link.send(.byte(0), [1]) }
            await #expect(throws: BluetoothLEError.linkLost) { try await link.receive() }
            await #expect(throws: BluetoothLEError.linkLost) { try await link.send(.byte(1), [1]) }
            await link.close()
        }
        try await expectNothingLeft()
    }

    @Test("Q85 Nobody is there: the search ends when its caller does, and discovery with it")
    func nobody() async throws {
        let radio = BlueZRadio()
        let search = Task { try await radio.connect(to: Self.service) }
        try await AirObjects.untilReaderWaits(for: .peripheral)
        await #expect(throws: BluetoothLEError.alreadyWaiting) { try await radio.connect(to: Self.service) }
        search.cancel()
        await #expect(throws: BluetoothLEError.cancelled) { try await search.value }
        try await expectNothingLeft()
    }

    @Test(
        "Q85 Cancelled at any moment, connecting leaves nothing behind", arguments: [50, 250, 450, 700, 1000])
    func cancelled(after milliseconds: Int) async throws {
        try await withPhone { _ in
            let connecting = Task { try await BlueZRadio().connect(to: Self.service) }
            try await Task.sleep(for: .milliseconds(milliseconds))
            connecting.cancel()
            if case .success(let link) = await connecting.result { await link.close() }
        }
        try await expectNothingLeft()
    }

    @Test("Q85 Links one after the other leave no descriptor open")
    func descriptors() async throws {
        let radio = BlueZRadio()
        var before = 0
        for turn in 0..<5 {
            try await withPhone { _ in
                let link = try await radio.connect(to: Self.service)
                try await link.signal(0x01)
                #expect(try await Self.echo(Self.message(700), over: link) == Self.message(700))
                await link.close()
            }
            if turn == 0 { before = openDescriptors() }
        }
        try await expectOpenDescriptors(atMost: before)
        try await expectNothingLeft()
    }
}

extension BluetoothLEError {
    /// The id of the fault with which no link could be made.
    fileprivate var connectionFault: ConnectionFaultID? {
        switch self {
        case .connectionFailed(let fault): fault.id
        case .serviceIncomplete: .serviceIncomplete
        case .notSubscribed: .notSubscribed
        default: nil
        }
    }
}
