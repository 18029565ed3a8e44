import Accessories
import Testing
import VectorFiles

@Suite("Commands of serial scanners")
struct ScannerCommandsTests {
    @Test(
        "Each maker has a command for on and one for off",
        arguments: [
            (ScannerMaker.honeywell, "16 54 0d", "16 55 0d"),
            (.datalogic, "54", "58"),
            (.newland, "7e 01 30303030 23 53434e54524731 3b 03", "7e 01 30303030 23 53434e54524730 3b 03"),
            (.zebra, "04 e4 04 00 ff14", "04 e5 04 00 ff13"),
            (.opticon, "1b 5a 0d", "1b 59 0d"),
        ])
    func bytes(_ maker: ScannerMaker, on: String, off: String) {
        let commands = ScannerCommands(maker)
        #expect(commands.on == [UInt8](hex: on))
        #expect(commands.off == [UInt8](hex: off))
    }

    @Test("No command of a maker changes a setting that lasts: Newland's are marked as temporary")
    func temporary() {
        let commands = ScannerCommands(.newland)
        for command in [commands.on, commands.off] {
            #expect(command.contains(UInt8(ascii: "#")) && !command.contains(UInt8(ascii: "@")))
        }
    }

    @Test("The sum of a Zebra packet with its bytes is zero")
    func sum() {
        let commands = ScannerCommands(.zebra)
        for command in [commands.on, commands.off] {
            let bytes = command.dropLast(2).reduce(0) { $0 + Int($1) }
            let sum = command.suffix(2).reduce(0) { $0 << 8 | Int($1) }
            #expect((bytes + sum) % 0x10000 == 0)
        }
    }

    private static func scanned(_ hex: String, then text: String, maker: ScannerMaker?) -> [ScannedBytes] {
        var framing = ScanFraming(maker: maker)
        return framing.receive([UInt8](hex: hex)[...] + Array(text.utf8), at: .zero)
    }

    @Test("Newland's answer is no code, and the code after it is one")
    func newlandAnswer() {
        let answer = "02 01 30303030 23 53434e54524731 06 3b 03"
        #expect(Self.scanned(answer, then: "abc\r", maker: .newland) == [.text("abc")])
        // The twin: without the maker's name nothing is known of answers.
        #expect(Self.scanned(answer, then: "abc\r", maker: nil).count == 2)
    }

    @Test("Zebra's answers before a code do not belong to it")
    func zebraAnswers() {
        let accepted = "04 d0 00 00 ff2c"
        let refused = "05 d1 00 00 06 ff24"
        for answer in [accepted, refused, accepted + accepted, accepted + refused] {
            #expect(Self.scanned(answer, then: "abc\r", maker: .zebra) == [.text("abc")])
            #expect(Self.scanned(answer, then: "\r", maker: .zebra) == [])
        }
        #expect(Self.scanned(accepted, then: "abc\r", maker: nil) != [.text("abc")])
    }

    @Test("What only resembles an answer stays")
    func noAnswer() {
        for hex in ["30303030", "04", "04 d2", "06 d0", "d0 04", "01 303030"] {
            let code = ScannedBytes.code([UInt8](hex: hex) + "abc".utf8, symbology: nil)
            #expect(Self.scanned(hex, then: "abc\r", maker: .zebra) == [code])
            #expect(Self.scanned(hex, then: "abc\r", maker: .newland) == [code])
        }
    }
}
