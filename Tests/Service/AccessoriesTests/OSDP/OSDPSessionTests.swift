import Testing
import VectorFiles

@testable import Accessories

/// A whole session in figures, which a short Python program with the AES of `cryptography` calculated from the
/// published rules: key 6f1c2a93d47be05588a1c3e9f0127d46, random values b0…b7 of the panel and a0…a7 of the
/// peripheral, address 5.
@Suite("An OSDP session")
struct OSDPSessionTests {
    private static let handshake: [(command: String, reply: String)] = [
        // ID; PDID: vendor 024353, model 1, version 1, serial number 5, firmware 1.0.0.
        ("53 05 0900 04 61 00 c125", "53 85 1400 04 45 024353 01 01 05000000 010000 4a97"),
        // CAP; PDCAP: cards as bits, light, CRC, AES-128, 1440 bytes, one reader.
        (
            "53 05 0900 05 62 00 a247",
            "53 85 1d00 05 46 030100 040301 080100 090100 0aa005 0ba005 0d0001 ca08"
        ),
        // CHLNG with block 11 and the own key; CCRYPT: identifier, random value, cryptogram.
        (
            "53 05 1300 0e 03 11 01 76 b0b1b2b3b4b5b6b7 27ff",
            """
            53 85 2b00 0e 03 12 01 76 0243530101050000 a0a1a2a3a4a5a6a7
            2478a008b294b978686526981044dee6 5e08
            """
        ),
        // SCRYPT with block 13: cryptogram; RMAC_I: the first MAC.
        (
            "53 05 1b00 0f 03 13 01 77 5fad3f971fd5515173cb10c40761959d a9fe",
            "53 85 1b00 0f 03 14 01 78 eba699e535682dc26eee7a935b96af2b 9e61"
        ),
    ]
    private static let polls: [(command: String, reply: String)] = [
        // POLL, block 15 with MAC; ACK, block 16 with MAC.
        ("53 05 0e00 0d 02 15 60 5f205e6e 0a07", "53 85 0e00 0d 02 16 40 1e87108c 7f9b"),
        // POLL; RAW, block 18: 0000 1a00 26800a80 encrypted.
        (
            "53 05 0e00 0e 02 15 60 db112b8a 2560",
            "53 85 1e00 0e 02 18 50 f9bf0dbf360ad279067e5d321a2e99af 14f4d520 00b5"
        ),
        // POLL; ACK.
        ("53 05 0e00 0f 02 15 60 56ad5a99 ec51", "53 85 0e00 0f 02 16 40 070a24ac 3168"),
    ]
    private static let others: [(command: String, reply: String)] = [
        // LED, block 17: temporary green, encrypted; ACK.
        (
            "53 05 1e00 0d 02 17 69 4b0887c4c2fb6fd691448fa96ad8a29b fae31a13 9cd7",
            "53 85 0e00 0d 02 16 40 046b5742 fa91"
        ),
        // LSTAT; LSTATR: 0000 encrypted.
        (
            "53 05 0e00 0e 02 15 64 f96e4a20 87eb",
            "53 85 1e00 0e 02 18 48 64e4dfed8a62defe1c3928129f67cc60 26a93a9d 6194"
        ),
        // KEYSET with a key; NAK 3.
        (
            """
            53 05 2e00 0f 02 17 75 1f8fc711bf527ad65755ef6688dbfab54523ffda2ed35423aab9579eddfcbe18
            48713f8f c189
            """,
            "53 85 1e00 0f 02 18 41 1c99b5eeb35cf21934c603f8202cd362 53aa3c2e 9983"
        ),
        // TEXT of 16 bytes, padded to 32; ACK.
        (
            """
            53 05 2e00 0d 02 17 6b ac0f3dbedec16d56b520e323b1acffc86c99da36a20c92fd71fa6b96756e66a0
            1fea191c 0faf
            """,
            "53 85 0e00 0d 02 16 40 9d346884 cc7a"
        ),
        // OUT, block 15: not encrypted, and its MAC covers exactly one block; ACK.
        ("53 05 1600 0e 02 15 68 0001000001020000 eab1ca8c 1ea0", "53 85 0e00 0e 02 16 40 15fd450b f942"),
        // POLL, block 17: only padding is encrypted; ACK.
        (
            "53 05 1e00 0f 02 17 60 30239d0cc5eeda052ae761e8b45f1150 ca076e2c 07a6",
            "53 85 0e00 0f 02 16 40 6ac6cd51 6bcf"
        ),
    ]

    @Test("Handshake, card, light and refusals come out byte for byte")
    func wholeSession() throws {
        var bench = try OSDPBench.keyed()
        var actions: [OSDPPeripheral.Action] = []
        for (command, reply) in Self.handshake {
            actions = bench.receive(command.bytes)
            #expect(actions.first == .transmit(reply.bytes))
        }
        #expect(actions.dropFirst() == [.report(OSDPStatus(isOnline: true, isSecure: true, state: .ready))])
        #expect(bench.receive(Self.polls[0].command.bytes) == [.transmit(Self.polls[0].reply.bytes)])
        let output = DueOutput.sample()
        #expect(bench.peripheral.due(output, at: bench.now) == [.claim(output)])
        #expect(bench.peripheral.claimed(true, for: 17, at: bench.now) == [])
        #expect(bench.receive(Self.polls[1].command.bytes) == [.transmit(Self.polls[1].reply.bytes)])
        #expect(
            bench.receive(Self.polls[2].command.bytes)
                == [.transmit(Self.polls[2].reply.bytes), .delivered(output)])
        #expect(
            bench.receive(Self.others[0].command.bytes)
                == [.transmit(Self.others[0].reply.bytes), .light(.green)])
        for (command, reply) in Self.others.dropFirst() {
            #expect(bench.receive(command.bytes) == [.transmit(reply.bytes)])
        }
    }

    @Test("The same session comes out byte by byte, with the mark FF and with other readers on the line")
    func byteByByte() throws {
        var bench = try OSDPBench.keyed()
        // The reply of another reader, and the echo of the own reply that some adapters give.
        var disturbance = "ff 53 80 09 00 06 41 06 a0 ba".bytes
        for (command, reply) in Self.handshake + Self.polls.prefix(1) {
            var actions: [OSDPPeripheral.Action] = []
            for byte in disturbance + [0xff] + command.bytes { actions += bench.receive([byte]) }
            #expect(actions.first == .transmit(reply.bytes))
            #expect(actions.compactMap(\.message).count == 1)
            disturbance = reply.bytes
        }
        let isSecure = bench.peripheral.status.isSecure
        #expect(isSecure)
    }

    @Test("The panel in memory computes the same session")
    func panel() throws {
        var panel = OSDPPanel()
        #expect(panel.clear(0x61, [0]) == Self.handshake[0].command.bytes)
        #expect(panel.clear(0x62, [0]) == Self.handshake[1].command.bytes)
        #expect(panel.challenge() == Self.handshake[2].command.bytes)
        #expect(
            try panel.confirmation(of: Self.handshake[2].reply.bytes) == Self.handshake[3].command.bytes)
        #expect(try panel.command(0x60) == Self.polls[0].command.bytes)
        #expect(try panel.read(Self.polls[0].reply.bytes) == .acknowledgement)
        #expect(try panel.command(0x60) == Self.polls[1].command.bytes)
        let card = try panel.read(Self.polls[1].reply.bytes)
        #expect(card == OSDPPanel.Reply(code: 0x50, data: "00001a0026800a80".bytes))
    }

    @Test("The status follows the panel: absent, in the handshake, ready, absent")
    func status() throws {
        var bench = try OSDPBench.keyed()
        #expect(
            bench.peripheral.status == OSDPStatus(isOnline: false, isSecure: false, state: .notAnswering))
        #expect(bench.peripheral.deadline == nil)
        let first = try bench.exchange(0x61, [0])
        #expect(
            first.actions == [.report(OSDPStatus(isOnline: true, isSecure: false, state: .notAnswering))])
        #expect(bench.peripheral.deadline == bench.now + .seconds(8))
        try bench.openChannel()
        bench.now += .milliseconds(7999)
        #expect(bench.peripheral.expire(at: bench.now) == [])
        bench.now += .milliseconds(1)
        #expect(
            bench.peripheral.expire(at: bench.now)
                == [.report(OSDPStatus(isOnline: false, isSecure: false, state: .notAnswering))])
        #expect(bench.peripheral.deadline == nil)
    }

    @Test("A trial accessory says so")
    func trial() throws {
        let bench = try OSDPBench.secure(isTrial: true)
        #expect(bench.peripheral.status.state == .trial)
    }

    @Test("Without a key everything is said in the clear")
    func withoutKey() throws {
        var bench = try OSDPBench(key: nil)
        let first = try bench.exchange(0x60)
        #expect(first.reply == .acknowledgement)
        #expect(first.actions == [.report(OSDPStatus(isOnline: true, isSecure: false, state: .ready))])
        // PDCAP says that there is no secure channel.
        let capabilities = try bench.exchange(0x62, [0])
        #expect(capabilities.reply.data.hex.contains("090000"))
        let output = DueOutput.sample()
        #expect(bench.peripheral.due(output, at: bench.now) == [.claim(output)])
        #expect(bench.peripheral.claimed(true, for: 17, at: bench.now) == [])
        let card = try bench.exchange(0x60)
        #expect(card.reply == OSDPPanel.Reply(code: 0x50, data: "00001a0026800a80".bytes))
        #expect(try bench.exchange(0x60).actions == [.delivered(output)])
        // No handshake either.
        #expect(try bench.exchange(bench.panel.challenge()).reply == .refusal(5))
    }

    @Test(
        "The light is reported if it becomes green or red",
        arguments: [
            // Reader and light, temporary state: code, times, colours, timer; permanent state: code, times, colours.
            ("0000 02 0a00 0200 1e00 00 0000 0000", [.light(.green)]),
            ("0000 02 0a00 0100 1e00 00 0000 0000", [.light(.red)]),
            ("0000 00 0000 0000 0000 01 0a00 0200", [.light(.green)]),
            // While the time on is 0, the second colour shows.
            ("0000 00 0000 0000 0000 01 000a 0201", [.light(.red)]),
            // The temporary state covers the permanent state.
            ("0000 02 0a00 0200 1e00 01 0a00 0100", [.light(.green)]),
            // The last record counts.
            ("0000 02 0a00 0200 1e00 00 0000 0000 0000 02 0a00 0100 1e00 00 0000 0000", [.light(.red)]),
            ("0000 00 0000 0000 0000 00 0000 0000", []), ("0000 02 0a00 0400 1e00 00 0000 0000", []),
            ("0000 01 0a00 0200 1e00 00 0000 0000", []), ("0100 02 0a00 0200 1e00 00 0000 0000", []),
            ("0001 02 0a00 0200 1e00 00 0000 0000", []),
        ] as [(String, [OSDPPeripheral.Action])])
    func light(record: String, expected: [OSDPPeripheral.Action]) throws {
        var bench = try OSDPBench.secure()
        let exchange = try bench.exchange(0x69, record.bytes)
        #expect(exchange.reply == .acknowledgement && exchange.actions == expected)
    }

    @Test(
        "Each command has its reply, in the channel",
        arguments: [
            (0x60, "", 0x40, ""), (0x61, "00", 0x45, "0243530101050000000 10000"),
            (0x61, "", 0x45, "024353010105000000010000"),
            (0x62, "", 0x46, "0301000403010801000901000aa0050ba0050d0001"), (0x64, "", 0x48, "0000"),
            (0x65, "", 0x49, ""), (0x66, "", 0x4a, ""), (0x67, "", 0x4b, "00"), (0x68, "00010000", 0x40, ""),
            (0x6a, "0002020201", 0x40, ""), (0x6b, "000100010103616263", 0x40, ""),
        ] as [(UInt8, String, UInt8, String)])
    func replies(code: UInt8, data: String, reply: UInt8, content: String) throws {
        var bench = try OSDPBench.secure()
        let exchange = try bench.exchange(code, data.bytes)
        #expect(exchange.reply == OSDPPanel.Reply(code: reply, data: content.bytes))
        #expect(exchange.actions == [])
    }

    @Test(
        "Commands that the peripheral does not have are refused inside the channel, which stays open",
        arguments: [0x6e, 0x75, 0x63, 0x7b, 0x7c, 0x80, 0xa7, 0xff] as [UInt8])
    func unsupported(code: UInt8) throws {
        var bench = try OSDPBench.secure()
        #expect(try bench.exchange(code, [1, 2, 3, 4, 5]).reply == .refusal(3))
        #expect(try bench.exchange(0x60).reply == .acknowledgement)
        let isSecure = bench.peripheral.status.isSecure
        #expect(isSecure)
    }

    @Test(
        "Data of another size is refused inside the channel, which stays open",
        arguments: [
            (0x60, "00"), (0x61, "0000"), (0x62, "0000"), (0x64, "00"), (0x65, "00"), (0x66, "00"),
            (0x67, "00"), (0x68, ""),
            (0x68, "000100"), (0x69, ""), (0x69, "0000020a0002001e00000000 00"), (0x6a, "00020202"),
            (0x6a, ""),
            (0x6b, "0001000101"), (0x6b, "0001000101046162 63"), (0x6b, "00010001010261626 3"),
        ] as [(UInt8, String)])
    func wrongSize(code: UInt8, data: String) throws {
        var bench = try OSDPBench.secure()
        #expect(try bench.exchange(code, data.bytes).reply == .refusal(2))
        #expect(try bench.exchange(0x60).reply == .acknowledgement)
    }
}
