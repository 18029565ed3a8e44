import BlueZBench
import Deadlines
import NDEF
import Testing
import Transport

@testable import BlueZTransport

extension OneAfterAnother.BenchTests {
    @Test(
        "Q107 A channel to the phone's PSM carries a large message both ways, at either kind of address",
        arguments: ["public", "random:F2:C1:22:33:44:55"])
    func channel(address: String) async throws {
        try await withPhone(["--l2cap-psm", "129", "--address", address]) { phone in
            let link = try await BlueZRadio().connect(to: Self.service.uuid, psm: 129)
            #expect(link.kind == .l2cap)
            #expect(await link.packetLimit >= 512)
            let message = Self.message(90_000)
            async let answer = Self.collect(4 + message.count, from: link)
            try await Self.sendFrame(message, over: link)
            #expect(try await answer.dropFirst(4) == message[...])
            try await link.signal(0x02)
            await link.close()
            try await phone.said("disconnected")
        }
        try await expectNothingLeft()
    }

    @Test(
        "Q61 A channel over the connection that is up takes its place; the phone is connected to once",
        arguments: ["public", "random:F2:C1:22:33:44:55"])
    func channelInPlace(address: String) async throws {
        let options = ["--l2cap-psm", "129", "--psm-characteristic", "2", "--address", address]
        try await withPhone(options) { phone in
            let link = try await BlueZRadio().connect(to: Self.service) { $0 == [0, 129] ? 129 : nil }
            #expect(link.kind == .l2cap)
            try await Self.expectEcho(of: 25_000, over: link)
            await link.close()
            try await phone.said("disconnected")
            #expect(phone.lines.count { $0.hasPrefix("connected") } == 1)
            #expect(!phone.lines.contains { $0.contains("subscribed") })
        }
        try await expectNothingLeft()
    }

    @Test("Q61 Where the phone refuses the channel, its characteristics serve on the same connection")
    func channelRefused() async throws {
        try await withPhone(["--psm-characteristic", "4", "--psm-shown", "135"]) { phone in
            let link = try await BlueZRadio().connect(to: Self.service) { $0.last.map { UInt16($0) } }
            #expect(link.kind == .client)
            try await link.signal(0x01)
            #expect(try await Self.echo(Self.message(3000), over: link) == Self.message(3000))
            await link.close()
            #expect(phone.lines.count { $0.hasPrefix("connected") } == 1)
        }
        try await expectNothingLeft()
    }

    /// Sends a message of so many bytes, which the phone returns.
    static func expectEcho(of count: Int, over link: any BluetoothLELink) async throws {
        let message = Self.message(count)
        async let answer = collect(4 + count, from: link)
        try await sendFrame(message, over: link)
        #expect(try await answer.dropFirst(4) == message[...])
    }

    static func sendFrame(_ message: [UInt8], over link: any BluetoothLELink) async throws {
        let limit = await link.packetLimit
        var rest = message[...]
        try await link.send(.length(UInt32(message.count)), rest.prefix(limit - 4))
        rest = rest.dropFirst(limit - 4)
        while !rest.isEmpty {
            try await link.send(.none, rest.prefix(limit))
            rest = rest.dropFirst(limit)
        }
    }

    static func collect(_ count: Int, from link: any BluetoothLELink) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            guard case .data(let packet) = try await link.receive() else { continue }
            bytes += packet
        }
        return bytes
    }

    @Test("Q63 A PSM that nobody listens on is refused by name at once: it is not there a moment later")
    func wrongPSM() async throws {
        try await withPhone { phone in
            await #expect(throws: BluetoothLEError.connectionFailed(.channelRefused)) {
                try await BlueZRadio().connect(to: Self.service.uuid, psm: 0x85)
            }
            #expect(phone.lines.count { $0.hasPrefix("connected") } == 1)
        }
        try await expectNothingLeft()
    }

    @Test("What the phone said before it left is delivered over a channel, then the link is lost")
    func channelClosedByPhone() async throws {
        try await withPhone(
            ["--l2cap-psm", "129", "--end", "disconnect"]
        ) { phone in
            let link = try await BlueZRadio().connect(to: Self.service.uuid, psm: 129)
            try await Self.sendFrame(Self.message(3000), over: link)
            try await phone.said("disconnected")
            #expect(try await Self.collect(3004, from: link).dropFirst(4) == Self.message(3000)[...])
            await #expect(throws: BluetoothLEError.linkLost) { try await link.receive() }
            await link.close()
        }
        try await expectNothingLeft()
    }

    @Test("Q65 A phone that reads our PSM opens a channel to us; the service goes off the air with it")
    func channelToUs() async throws {
        var configuration = BlueZConfiguration()
        configuration.offersL2CAP = true
        let server = try await BlueZRadio(configuration: configuration).serve(Self.readerService)
        await server.setIdent([UInt8](repeating: 0, count: 16))
        let phone = try AirPhone(.central, uuid: Self.readerService.uuid.description, ["--l2cap"])
        let link = try await withDeadline("the channel", .seconds(120)) { try await server.link() }
        #expect(link.kind == .l2cap)
        try await Self.expectEcho(of: 25_000, over: link)
        await link.close()
        await server.close()
        await phone.leave()
        try await expectNothingLeft()
    }

    /// The characteristics of mdoc central client mode.
    static var readerService: GATTService {
        GATTService(
            uuid: service.uuid, state: characteristic(5), clientToServer: characteristic(6),
            serverToClient: characteristic(7), ident: characteristic(8), psm: characteristic(11))
    }
}
