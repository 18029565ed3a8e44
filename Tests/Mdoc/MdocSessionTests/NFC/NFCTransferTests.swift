import ISO7816
import NDEF
import Testing
import VectorFiles

@testable import MdocSession

@Suite("NFC data transfer, reader and phone in memory")
struct NFCTransferTests {
    static let sizes = [0, 1, 100, 127, 128, 252, 253, 254, 255, 256, 257, 4096, 92_160]

    static let limits: [NFCReaderLimits] = [
        .short, NFCReaderLimits(maximumCommandData: 255, maximumResponseData: 255, extendedLength: false),
        NFCReaderLimits(maximumCommandData: 59, maximumResponseData: 62, extendedLength: false),
        NFCSamples.extended,
        NFCReaderLimits(maximumCommandData: 261, maximumResponseData: 261, extendedLength: true),
    ]

    private func ceil(_ count: Int, _ each: Int) -> Int { (count + each - 1) / each }

    @Test(
        "Q58 Q120 Q121 Q122 Every size passes both ways, short and extended, in the fewest commands",
        arguments: sizes, limits)
    func everySize(size: Int, limits: NFCReaderLimits) throws {
        for carrier in [
            NFCCarrier(), NFCSamples.nfc, NFCCarrier(maximumCommandData: 261, maximumResponseData: 261),
        ] {
            let pair = (request: NFCSamples.bytes(size, seed: 2), reply: NFCSamples.bytes(size, seed: 3))
            var exchange = NFCExchange(carrier: carrier, limits: limits)
            #expect(exchange.run([pair]) == .messages([pair.reply]))
            #expect(exchange.received == [pair.request])
            let object = size + (DiscretionaryData.header(forLength: size)?.count ?? 0)
            // A carrier of no more than 261 bytes is one of short APDUs (Q11).
            let isShort = carrier != NFCSamples.nfc
            let commandData = min(
                limits.maximumCommandData, carrier.maximumCommandData, isShort ? 255 : 4087)
            let responseData = min(
                limits.maximumResponseData, carrier.maximumResponseData, isShort ? 256 : 4094)
            let fewest = 1 + ceil(object, commandData) + ceil(object, responseData) - 1
            #expect(exchange.commands.count == fewest)
            let commands = try exchange.commands.map { try CommandAPDU.parse($0[...]) }
            #expect(commands.allSatisfy { $0.data.count <= commandData })
            #expect(commands.dropFirst().allSatisfy { $0.expectedLength?.maximum ?? 0 <= responseData })
            #expect(exchange.responses.allSatisfy { $0.count - 2 <= responseData })
            #expect(limits.extendedLength || exchange.commands.allSatisfy { $0.count <= 5 + 255 + 1 })
        }
    }

    @Test("Q58 A request of 16 KiB passes in chained commands of 255 bytes")
    func longRequest() throws {
        let pair = (request: NFCSamples.bytes(16_384), reply: [UInt8](hex: "a0"))
        var exchange = NFCExchange()
        #expect(exchange.run([pair]) == .messages([pair.reply]))
        let envelopes = try exchange.commands.dropFirst().map { try CommandAPDU.parse($0[...]) }
        #expect(envelopes.count == 65)
        #expect(
            envelopes.dropLast().allSatisfy {
                $0.cla == 0x10 && $0.data.count == 255 && $0.expectedLength == nil
            })
        #expect(envelopes.last?.cla == 0x00)
        #expect(envelopes.last?.expectedLength == .short(0))
    }

    @Test("Several messages pass on one selection")
    func severalMessages() {
        let pairs = (0..<5).map {
            (request: NFCSamples.bytes(300 * $0 + 1), reply: NFCSamples.bytes(700 * $0, seed: 9))
        }
        var exchange = NFCExchange()
        #expect(exchange.run(pairs) == .messages(pairs.map(\.reply)))
        #expect(exchange.received == pairs.map(\.request))
        #expect(exchange.commands.count { $0[1] == 0xa4 } == 1)
        #expect(exchange.commands[0].hex == "00a4040007a000000248040000")
    }

    @Test(
        "Q121 A reader limited to answers of 255 bytes never asks for 256", arguments: [255, 256, 257, 5000])
    func limitedTo255(size: Int) throws {
        let limits = NFCReaderLimits(maximumCommandData: 255, maximumResponseData: 255, extendedLength: false)
        let pair = (request: NFCSamples.bytes(10), reply: NFCSamples.bytes(size))
        var exchange = NFCExchange(limits: limits)
        #expect(exchange.run([pair]) == .messages([pair.reply]))
        for command in exchange.commands.dropFirst() {
            #expect((try CommandAPDU.parse(command[...])).expectedLength?.maximum ?? 0 <= 255)
        }
    }

    @Test("Q137 One APDU stays within 4 KiB unless configured")
    func apduCap() {
        let pair = (request: NFCSamples.bytes(20_000), reply: NFCSamples.bytes(20_000))
        var capped = NFCExchange(carrier: NFCSamples.nfc, limits: NFCSamples.extended)
        #expect(capped.run([pair]) == .messages([pair.reply]))
        #expect((capped.commands + capped.responses).allSatisfy { $0.count <= 4096 })
        var settings = NFCTransferSettings()
        settings.maximumAPDU = 65_545
        var open = NFCExchange(carrier: NFCSamples.nfc, limits: NFCSamples.extended, settings: settings)
        #expect(open.run([pair]) == .messages([pair.reply]))
        #expect(open.commands.count == 2)
    }

    @Test(
        "Q11 A phone of 261 bytes gets short APDUs, also from a reader of long ones",
        arguments: [255, 256, 257, 261, 262, 1000])
    func directAccess(size: Int) {
        let carrier = NFCCarrier(maximumCommandData: 261, maximumResponseData: 261)
        let pair = (request: NFCSamples.bytes(size), reply: NFCSamples.bytes(size, seed: 5))
        let behaviour = NFCSamples.behaviour { $0.acceptsExtendedLength = false }
        var exchange = NFCExchange(behaviour, carrier: carrier, limits: NFCSamples.extended)
        #expect(exchange.run([pair]) == .messages([pair.reply]))
        #expect(exchange.commands.allSatisfy { $0.count <= 261 })
        var short = NFCExchange(NFCSamples.behaviour { $0.acceptsExtendedLength = false }, carrier: carrier)
        #expect(short.run([pair]) == .messages([pair.reply]))
    }

    @Test(
        "Q52 Answers of another size than asked for are counted, not believed", arguments: [1, 2, 3, 7, 255])
    func otherAnswerSizes(size: Int) {
        let pair = (request: NFCSamples.bytes(10), reply: NFCSamples.bytes(2000))
        var few = NFCExchange(NFCSamples.behaviour { $0.maximumAnswer = size })
        #expect(few.run([pair]) == .messages([pair.reply]))
        var many = NFCExchange(NFCSamples.behaviour { $0.ignoresLengthAfterMore = true })
        #expect(many.run([pair]) == .messages([pair.reply]))
    }

    @Test("Q51 After 6100 the most is asked for, after 61XX the number announced")
    func askedAfterMore() throws {
        let pair = (request: NFCSamples.bytes(10), reply: NFCSamples.bytes(256 + 256 + 100 - 4))
        var exchange = NFCExchange()
        #expect(exchange.run([pair]) == .messages([pair.reply]))
        #expect(exchange.responses.map { $0.suffix(2).hex } == ["9000", "6100", "6164", "9000"])
        #expect(exchange.commands.suffix(2).map(\.hex) == ["00c0000000", "00c0000064"])
    }
}
