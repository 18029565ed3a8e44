import Testing
import VectorFiles

@testable import Accessories

@Suite("OSDP messages")
struct OSDPFrameTests {
    /// Messages that other programs and readers have sent: libosdp issues 274, 39 and 287, and OSDP.Net's
    /// `PacketDecodingTest` and `ReplyTest`.
    private static let foreign:
        [(String, address: UInt8, isReply: Bool, sequence: UInt8, code: UInt8, data: String)] =
            [
                ("53 01 09 00 04 61 00 60 23", 1, false, 0, 0x61, "00"),
                (
                    "53 81 14 00 04 45 18 68 CB 00 00 68 44 96 B7 02 01 00 F4 0C", 1, true, 0, 0x45,
                    "1868cb0000684496b7020100"
                ),
                ("53 80 09 00 06 41 06 A0 BA", 0, true, 2, 0x41, "06"),
                ("53 00 09 00 05 62 00 A3 04", 0, false, 1, 0x62, "00"),
                ("53 00 0D 00 06 6A 00 02 02 02 01 59 92", 0, false, 2, 0x6a, "0002020201"),
                ("53 80 08 00 05 40 68 9F", 0, true, 1, 0x40, ""),
            ]

    @Test("Messages of other programs and readers are read, and written again byte for byte")
    func foreignMessages() throws {
        for (hex, address, isReply, sequence, code, data) in Self.foreign {
            let frame = try OSDPFrame(hex.bytes)
            #expect(frame.address == address && frame.isReply == isReply)
            #expect(frame.sequence == sequence && frame.block == nil)
            #expect(frame.code == code && frame.data.hex == data && frame.mac == [])
            let head = OSDPFrame.head(
                address: address, isReply: isReply, sequence: sequence, block: nil, code: code,
                data: data.bytes)
            #expect(OSDPFrame.closed(head) == hex.bytes)
        }
    }

    @Test("A message of the handshake has a security block")
    func securityBlock() throws {
        // libosdp issue 60: CCRYPT of a reader.
        let frame = try OSDPFrame(
            """
            53 81 2b 00 0e 03 12 01 76 00 11 12 4d 42 31 31 30 ec 1a 61 5c 42 4d 4a 49
            a8 df b0 6b 34 b1 2f 12 7a 00 47 a7 06 40 c6 8f 7b 50
            """.bytes)
        #expect(frame.block == OSDPSecurityBlock(.clientCryptogram, data: [1]))
        #expect(frame.data.prefix(8).hex == "0011124d42313130" && frame.data.count == 32)
        #expect(frame.mac == [])
    }

    @Test("A message of the channel ends with four bytes of its MAC")
    func mac() throws {
        let frame = try OSDPFrame("53050e000d0215605f205e6e0a07".bytes)
        #expect(frame.block == OSDPSecurityBlock(.authenticatedCommand))
        #expect(frame.code == 0x60 && frame.data == [] && frame.mac.hex == "5f205e6e")
        #expect(frame.authenticated.hex == "53050e000d021560")
    }

    @Test("A message with one bit changed is none")
    func everyBit() {
        for (hex, _, _, _, _, _) in Self.foreign {
            let bytes = hex.bytes
            for bit in 0..<(8 * bytes.count) {
                var changed = bytes
                changed[bit / 8] ^= 1 << (bit % 8)
                let frame = try? OSDPFrame(changed)
                #expect(frame == nil, "bit \(bit) of \(hex)")
            }
        }
    }

    @Test("The CRC of the digits 1 to 9 is E5CC, the published check value of CRC-16 with 1021 and 1D0F")
    func crc() {
        #expect(OSDPFrame.crc([UInt8]("123456789".utf8)[...]) == 0xe5cc)
    }

    @Test("A message with a checksum of one byte is refused")
    func checksum() {
        // osdp 1.6 of PyPI: the reply to a poll, with CRC switched off.
        #expect(throws: OSDPFrameFault.lengthWrong) { try OSDPFrame("53 FF 07 00 01 40 66".bytes) }
        // The same program: the command ID.
        #expect(throws: OSDPFrameFault.checksumUnsupported) {
            try OSDPFrame("53 7F 08 00 00 61 00 C5".bytes)
        }
    }

    @Test(
        "A length that is not that of the bytes is refused",
        arguments: [
            "53 01 0a 00 04 61 00 60 23", "53 01 09 01 04 61 00 60 23", "53 01 07 00 04 61 00", "53", "",
        ])
    func length(hex: String) {
        #expect(throws: OSDPFrameFault.lengthWrong) { try OSDPFrame(hex.bytes) }
    }

    @Test("The longest message has 1440 bytes", arguments: [1440, 1441])
    func longest(size: Int) throws {
        let head = OSDPFrame.head(
            address: 5, isReply: false, sequence: 1, block: nil, code: 0x6b,
            data: [UInt8](repeating: 7, count: size - 8))
        let bytes = OSDPFrame.closed(head)
        #expect(bytes.count == size)
        if size == 1440 {
            #expect(try OSDPFrame(bytes).data.count == 1432)
        } else {
            #expect(throws: OSDPFrameFault.lengthWrong) { try OSDPFrame(bytes) }
        }
    }

    /// A message with a right CRC, whatever is in it.
    private static func closed(control: UInt8, _ rest: String) -> [UInt8] {
        let rest = rest.bytes
        return OSDPFrame.closed([0x53, 5, UInt8(7 + rest.count), 0, control] + rest)
    }

    @Test("A reserved bit of the control byte is refused", arguments: [0x10, 0x20, 0x40, 0x80] as [UInt8])
    func reserved(bit: UInt8) throws {
        #expect(try OSDPFrame(Self.closed(control: 0x05, "60")).code == 0x60)
        #expect(throws: OSDPFrameFault.controlMalformed) {
            try OSDPFrame(Self.closed(control: 0x05 | bit, "60"))
        }
    }

    @Test(
        "A security block that is too short, too long or unknown is refused",
        arguments: ["00 15 60", "01 15 60", "04 15 60", "02 10 60 00000000", "02 19 60 00000000", "ff 15 60"])
    func malformedBlock(rest: String) {
        #expect(throws: OSDPFrameFault.securityBlockMalformed) {
            try OSDPFrame(Self.closed(control: 0x0d, rest))
        }
    }

    @Test(
        "A message without room for its code and its MAC is refused",
        arguments: ["02 15 60 000000", "02 15 00000000"])
    func truncated(rest: String) throws {
        #expect(try OSDPFrame(Self.closed(control: 0x0d, "02 15 60 00000000")).code == 0x60)
        #expect(throws: OSDPFrameFault.truncated) { try OSDPFrame(Self.closed(control: 0x0d, rest)) }
    }
}

@Suite("The bytes of an OSDP line")
struct OSDPFrameStreamTests {
    private static let poll = "53 05 08 00 04 60 bc 89".bytes
    private static let identify = "53 05 09 00 04 61 00 c1 25".bytes

    /// The messages in pieces of bytes.
    private static func messages(in pieces: [[UInt8]]) -> [[UInt8]] {
        var stream = OSDPFrameStream()
        var found: [[UInt8]] = []
        for piece in pieces {
            stream.append(piece[...])
            while let frame = stream.next() { found.append(frame.bytes) }
        }
        return found
    }

    @Test("Messages come out, in one piece and byte by byte, with and without the mark FF")
    func pieces() {
        for line in [Self.poll + Self.identify, [0xff] + Self.poll + [0xff, 0xff] + Self.identify] {
            #expect(Self.messages(in: [line]) == [Self.poll, Self.identify])
            #expect(Self.messages(in: line.map { [$0] }) == [Self.poll, Self.identify])
        }
    }

    @Test("A message that lacks its last byte is none")
    func incomplete() {
        #expect(Self.messages(in: [Self.poll.dropLast()]) == [])
        #expect(Self.messages(in: [Self.poll.dropLast(), [0x89]]) == [Self.poll])
    }

    @Test("A start byte that announces a long message does not hold up the messages after it")
    func falseStart() {
        let long: [UInt8] = [0x53, 0x05, 0xa0, 0x05]
        #expect(Self.messages(in: [long, Self.poll]) == [Self.poll])
        #expect(Self.messages(in: [long + Self.poll + long, Self.identify]) == [Self.poll, Self.identify])
        // A length outside the limits is no start at all.
        #expect(Self.messages(in: [[0x53, 0x05, 0x07, 0x00] + Self.poll]) == [Self.poll])
        #expect(Self.messages(in: [[0x53, 0x05, 0xa1, 0x05] + Self.poll]) == [Self.poll])
    }

    @Test("A message with a wrong CRC is skipped, and the next one is found")
    func wrongCRC() {
        var wrong = Self.poll
        wrong[6] ^= 1
        #expect(Self.messages(in: [wrong + Self.identify]) == [Self.identify])
    }

    @Test("Messages are found in seeded noise, in pieces of any size", arguments: [1, 2, 3, 4] as [UInt64])
    func noise(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var line: [UInt8] = []
        for _ in 0..<200 {
            let count = Int.random(in: 0...40, using: &random)
            // Start bytes are frequent, so that false starts are too.
            line += (0..<count).map { _ in
                Bool.random(using: &random) ? 0x53 : UInt8.random(in: 0...255, using: &random)
            }
            line += Self.poll
        }
        var pieces: [[UInt8]] = []
        var rest = line[...]
        while !rest.isEmpty {
            let count = Int.random(in: 1...70, using: &random)
            pieces.append([UInt8](rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        let found = Self.messages(in: pieces)
        #expect(found.count == 200 && found.allSatisfy { $0 == Self.poll })
    }

    @Test("What a stalled driver passes in at once is cut off at the limit; its end is kept")
    func limit() {
        let noise = [UInt8](repeating: 0x53, count: 3 * OSDPFrameStream.limit)
        #expect(Self.messages(in: [Self.poll + noise + Self.identify]) == [Self.identify])
    }
}
