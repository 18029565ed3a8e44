import Foundation
import ISO7816
import Testing
import VectorFiles

@Suite("Command APDUs")
struct CommandAPDUTests {
    /// The seven cases of ISO/IEC 7816-4, 5.1.
    static let forms: [(hex: String, data: Int, expected: ExpectedLength?)] = [
        ("00a40000", 0, nil),
        ("00b000000f", 0, .short(15)),
        ("00b0000000", 0, .short(0)),
        ("00a4000c02e103", 2, nil),
        ("00a4040007d276000085010100", 7, .short(0)),
        ("00c00000000101", 0, .extended(0x0101)),
        ("00c00000000000", 0, .extended(0)),
        ("00c3000000000b5309a100a10281830501a0", 11, nil),
        ("00c3000000000b5309a100a10281830501a00000", 11, .extended(0)),
    ]

    @Test("Every form is read", arguments: forms)
    func everyFormIsRead(hex: String, data: Int, expected: ExpectedLength?) throws {
        let command = try CommandAPDU.parse([UInt8](hex: hex)[...])
        #expect(command.data.count == data)
        #expect(command.expectedLength == expected)
    }

    @Test(
        "A command is written in the shortest form and read back", arguments: [0, 1, 254, 255, 256, 65_535])
    func commandIsWrittenAndReadBack(count: Int) throws {
        let data = [UInt8](repeating: 0xab, count: count)
        for expected in [nil, ExpectedLength.short(0), .short(255), .extended(256), .extended(0)] {
            let command = CommandAPDU(
                ins: 0xc3, p1: 0, p2: 0, data: data[...], expectedLength: expected)
            let bytes = command.encode()
            let read = try CommandAPDU.parse(bytes[...])
            #expect(read.data == data[...])
            #expect(read.expectedLength?.maximum == expected?.maximum)
            let isExtended = if case .extended = expected { true } else { count > 255 }
            let lengthFields = (count > 0 ? 1 : 0) + (expected == nil ? 0 : 1)
            #expect(bytes.count == 4 + count + (isExtended ? 1 + 2 * lengthFields : lengthFields))
        }
    }

    @Test(
        "A command whose lengths do not add up is refused",
        arguments: [
            ("", ISO7816Error.truncated(at: 0)), ("00a400", .truncated(at: 3)),
            ("00a4000c02e1", .truncated(at: 6)), ("00a4000c02e1030000", .lengthMismatch),
            ("00b0000000ff", .truncated(at: 6)), ("00c30000000002aa", .truncated(at: 8)),
            ("00c30000000001aa00", .lengthMismatch), ("00c30000000000aabb", .lengthMismatch),
            ("00c30000000001aa000000", .lengthMismatch),
        ])
    func lengthsMustAddUp(hex: String, error: ISO7816Error) {
        #expect(throws: error) { try CommandAPDU.parse([UInt8](hex: hex)[...]) }
    }

    @Test(
        "Q21 A Le of 256 and more is never cut to one octet",
        arguments: [
            (1, ExpectedLength.short(1), ExpectedLength.short(1)), (255, .short(255), .short(255)),
            (256, .short(0), .short(0)), (257, .short(0), .extended(257)), (264, .short(0), .extended(264)),
            (65_535, .short(0), .extended(65_535)), (65_536, .short(0), .extended(0)),
            (1 << 30, .short(0), .extended(0)), (0, .short(1), .short(1)), (-5, .short(1), .short(1)),
        ])
    func expectedLengthKeepsItsValue(count: Int, short: ExpectedLength, extended: ExpectedLength) {
        #expect(ExpectedLength(upTo: count, extended: false) == short)
        #expect(ExpectedLength(upTo: count, extended: true) == extended)
        #expect(extended.maximum == min(max(count, 1), 65_536))
        #expect(short.maximum == min(max(count, 1), 256))
    }

    @Test("Q25 SELECT has Le 00 by application and none by file")
    func selectForms() {
        let ndef = ApplicationIdentifier(provider: (0xd2, 0x76, 0x00, 0x00, 0x85), extension: 0x0101)
        #expect(CommandAPDU.select(application: ndef).encode().hex == "00a4040007d276000085010100")
        #expect(CommandAPDU.select(file: 0xe103).encode().hex == "00a4000c02e103")
    }

    @Test("Q24 A file offset stays below 8000")
    func fileOffsetStaysBelow8000() throws {
        #expect(FileOffset(0x8000) == nil)
        #expect(FileOffset(-1) == nil)
        let offset = try #require(FileOffset(0x7fff))
        #expect(CommandAPDU.readBinary(at: offset, upTo: .short(1)).encode().hex == "00b07fff01")
        #expect(CommandAPDU.updateBinary(at: offset, [7]).encode().hex == "00d67fff0107")
        #expect(FileOffset(of: try CommandAPDU.parse([0x00, 0xb0, 0x80, 0x00, 0x01])) == nil)
        #expect(FileOffset(of: try CommandAPDU.parse([0x00, 0xb0, 0x12, 0x34, 0x01]))?.value == 0x1234)
    }

    @Test("GET RESPONSE asks for what was announced")
    func getResponse() {
        #expect(CommandAPDU.getResponse(upTo: .short(0x2e)).encode().hex == "00c000002e")
        #expect(CommandAPDU.getResponse(upTo: .extended(0x0ff9)).encode().hex == "00c00000000ff9")
    }

    @Test("Changed and cut commands are read or refused, never trapped on")
    func mutatedCommands() throws {
        var random = SplitMix64(seed: 0x7816)
        for form in Self.forms {
            for _ in 0..<2000 {
                let bytes = random.mutate([UInt8](hex: form.hex))
                guard let command = try? CommandAPDU.parse(bytes[...]) else { continue }
                #expect(try CommandAPDU.parse(command.encode()[...]).data == command.data)
            }
        }
    }
}

@Suite("Published APDU exchanges")
struct PublishedExchangeTests {
    struct File: Decodable {
        struct Vector: Decodable {
            struct APDU: Decodable {
                let dir: String
                let apdu: String
                let cla: UInt8?
                let ins: String?
                let p1: UInt8?
                let p2: UInt8?
                let data: String?
                let le: Int?
            }
            let name: String
            let apdus: [APDU]
        }
        let vectors: [Vector]
    }

    @Test("Every published command is read as printed and written byte for byte")
    func publishedCommands() throws {
        let file = try VectorFiles.json(File.self, at: VectorFiles.own.appending(path: "nfc/engagement.json"))
        let commands = file.vectors.flatMap(\.apdus).filter { $0.dir == "reader->mdoc" }
        #expect(commands.count == 22)
        for expected in commands {
            let command = try CommandAPDU.parse([UInt8](hex: expected.apdu)[...])
            #expect(command.cla == expected.cla)
            #expect([command.ins].hex == expected.ins)
            #expect(command.p1 == expected.p1)
            #expect(command.p2 == expected.p2)
            #expect(command.data.hex == expected.data)
            #expect(command.expectedLength?.maximum ?? 0 == expected.le)
            if command.expectedLength.map({ $0.maximum <= 256 }) ?? true {
                #expect(command.encode().hex == expected.apdu)
            }
        }
    }

    @Test("Every published response is split and written byte for byte")
    func publishedResponses() throws {
        let file = try VectorFiles.json(File.self, at: VectorFiles.own.appending(path: "nfc/engagement.json"))
        let responses = file.vectors.flatMap(\.apdus).filter { $0.dir == "mdoc->reader" }
        #expect(responses.count == 21)
        for expected in responses {
            let response = try ResponseAPDU.parse([UInt8](hex: expected.apdu)[...])
            #expect(response.status == .success)
            #expect(response.encode().hex == expected.apdu)
        }
    }
}
