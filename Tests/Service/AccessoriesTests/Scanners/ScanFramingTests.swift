import Accessories
import Testing

@Suite("Codes in the bytes of a serial scanner")
struct ScanFramingTests {
    private static func received(
        _ text: String, by framing: inout ScanFraming, at milliseconds: Int = 0
    ) -> [ScannedBytes] {
        framing.receive(SampleCode.bytes(text), at: .milliseconds(milliseconds))
    }

    private static func scanned(
        _ text: String, prefix: String? = nil, maker: ScannerMaker? = nil
    ) -> [ScannedBytes] {
        var framing = ScanFraming(prefix: prefix, maker: maker)
        return received(text, by: &framing)
    }

    @Test("A code ends with CR, LF, CR LF, ETX or TAB", arguments: ["\r", "\n", "\r\n", "\u{3}", "\t"])
    func ends(_ end: String) {
        #expect(Self.scanned("mdoc:AQIDBA" + end) == [.text("mdoc:AQIDBA")])
    }

    @Test("A code without its end is no code", arguments: ["", "\u{0}", " ", ";", "\u{b}", "\u{4}"])
    func noEnd(_ end: String) {
        #expect(Self.scanned("mdoc:AQIDBA" + end) == [])
    }

    @Test("An empty line is nothing", arguments: ["\r", "\r\n\r\n", "\n\t\u{3}", "\u{2}\u{3}", ""])
    func empty(_ text: String) {
        var framing = ScanFraming()
        #expect(Self.received(text, by: &framing) == [])
        #expect(framing.deadline == nil)
    }

    @Test("STX before a code does not belong to it; STX within it does")
    func startOfText() {
        #expect(Self.scanned("\u{2}abc\u{3}") == [.text("abc")])
        #expect(Self.scanned("a\u{2}bc\u{3}") == [.text("a\u{2}bc")])
    }

    @Test("One read may have several codes")
    func severalCodes() {
        #expect(Self.scanned("one\rtwo\r\nthree\tfour") == [.text("one"), .text("two"), .text("three")])
    }

    @Test("One code may come in several reads")
    func severalReads() {
        var framing = ScanFraming()
        #expect(Self.received("mdoc:", by: &framing) == [])
        #expect(Self.received("AQID", by: &framing, at: 59) == [])
        #expect(Self.received("BA\rnext", by: &framing, at: 118) == [.text("mdoc:AQIDBA")])
        #expect(framing.deadline == .milliseconds(178))
    }

    @Test("60 ms of silence end a code of 20 bytes")
    func silence() {
        var framing = ScanFraming()
        let code = String(repeating: "a", count: 20)
        #expect(Self.received(code, by: &framing, at: 1000) == [])
        #expect(framing.deadline == .milliseconds(1060))
        #expect(framing.expire(at: .milliseconds(1059)) == [])
        #expect(framing.expire(at: .milliseconds(1060)) == [.text(code)])
        #expect(framing.deadline == nil)
        #expect(framing.expire(at: .milliseconds(1120)) == [])
    }

    @Test("19 bytes before a silence are dropped")
    func noise() {
        var framing = ScanFraming()
        #expect(Self.received(String(repeating: "a", count: 19), by: &framing) == [])
        #expect(framing.expire(at: .milliseconds(60)) == [])
        #expect(framing.deadline == nil)
        // The dropped bytes are not the beginning of the next code.
        #expect(Self.received("b\r", by: &framing, at: 61) == [.text("b")])
    }

    @Test("Bytes after a silence begin a code, even if the time was not announced")
    func lateRead() {
        var framing = ScanFraming()
        let first = String(repeating: "a", count: 30)
        #expect(Self.received(first, by: &framing) == [])
        #expect(Self.received("second\r", by: &framing, at: 60) == [.text(first), .text("second")])
        // The twin: a millisecond earlier both are one code.
        framing = ScanFraming()
        #expect(Self.received(first, by: &framing) == [])
        #expect(Self.received("second\r", by: &framing, at: 59) == [.text(first + "second")])
    }

    @Test("Each byte moves the silence on")
    func movedSilence() {
        var framing = ScanFraming()
        for step in 0..<30 {
            #expect(Self.received("a", by: &framing, at: step * 50) == [])
        }
        #expect(framing.deadline == .milliseconds(29 * 50 + 60))
    }
}

@Suite("What is removed from a serial scanner's codes")
struct ScanFramingTextTests {
    private static func scanned(
        _ text: String, prefix: String? = nil, maker: ScannerMaker? = nil
    ) -> [ScannedBytes] {
        var framing = ScanFraming(prefix: prefix, maker: maker)
        return framing.receive(SampleCode.bytes(text), at: .zero)
    }

    @Test("The AIM identifier of a QR code is removed and kept as the symbology", arguments: 0...6)
    func qr(_ modifier: Int) {
        #expect(Self.scanned("]Q\(modifier)abc\r") == [.text("abc", .qr)])
    }

    @Test("The AIM identifier of PDF417 is removed and kept as the symbology", arguments: 0...2)
    func pdf417(_ modifier: Int) {
        #expect(Self.scanned("]L\(modifier)abc\r") == [.text("abc", .pdf417)])
    }

    @Test(
        "Any other beginning stays",
        arguments: ["]Q7abc", "]L3abc", "]C1abc", "]q1abc", "Q1abc", "]Q", "a]Q1bc", "}Q1abc"])
    func otherBeginnings(_ text: String) {
        #expect(Self.scanned(text + "\r") == [.text(text)])
    }

    @Test("Only one identifier is removed, and an identifier alone is nothing")
    func oneIdentifier() {
        #expect(Self.scanned("]Q1]Q1abc\r") == [.text("]Q1abc", .qr)])
        #expect(Self.scanned("]Q1\r") == [])
    }

    @Test("The configured prefix is removed, with or without an identifier behind it")
    func prefix() {
        #expect(Self.scanned("12345678abc\r", prefix: "12345678") == [.text("abc")])
        #expect(Self.scanned("QR>]Q1abc\r", prefix: "QR>") == [.text("abc", .qr)])
        #expect(Self.scanned("abc\r", prefix: "QR>") == [.text("abc")])
        #expect(Self.scanned("QRabc\r", prefix: "QR>") == [.text("QRabc")])
    }

    @Test("A prefix of more than 8 bytes is not removed")
    func longPrefix() {
        #expect(Self.scanned("123456789abc\r", prefix: "123456789") == [.text("123456789abc")])
    }

    @Test("The scanner of the file brings its prefix and its maker")
    func configured() {
        var scanner = SerialScanner()
        scanner.prefix = "QR>"
        scanner.commands = .zebra
        var framing = ScanFraming(scanner)
        let bytes: [UInt8] = [0x04, 0xd0, 0x00, 0x00, 0xff, 0x2c] + Array("QR>abc\r".utf8)
        #expect(framing.receive(bytes[...], at: .zero) == [.text("abc")])
    }

    @Test("No text of a code is in the machine's description")
    func redacted() {
        var framing = ScanFraming()
        _ = framing.receive(SampleCode.bytes("first-secret\rsecond-secret"), at: .zero)
        var dumped = ""
        dump(framing, to: &dumped)
        for text in ["\(framing)", String(reflecting: framing), dumped] {
            #expect(!text.contains("secret") && !text.contains("115"))
        }
        let scanned = ScannedBytes.text("secret")
        #expect("\(scanned)" == "a code of 6 bytes")
        #expect(String(reflecting: [scanned]) == "[a code of 6 bytes]")
    }
}

@Suite("Limits of a serial scanner's codes")
struct ScanFramingLimitTests {
    private static let longest = [UInt8](repeating: UInt8(ascii: "a"), count: 8192)

    @Test("8192 bytes are a code")
    func longestCode() {
        var framing = ScanFraming()
        #expect(framing.receive(Self.longest[...], at: .zero) == [])
        #expect(framing.receive([0x0d], at: .zero) == [.code(Self.longest, symbology: nil)])
    }

    @Test("8193 bytes without an end are reported once, and dropped up to the next silence")
    func tooLong() {
        var framing = ScanFraming()
        #expect(framing.receive(Self.longest[...], at: .zero) == [])
        #expect(framing.receive(SampleCode.bytes("aaaa"), at: .milliseconds(10)) == [.tooLong])
        // Neither an end nor as many bytes again are reported.
        #expect(framing.receive(SampleCode.bytes("\rmdoc:AQIDBA\r"), at: .milliseconds(20)) == [])
        #expect(framing.receive(Self.longest[...], at: .milliseconds(30)) == [])
        #expect(framing.receive(SampleCode.bytes("aa"), at: .milliseconds(40)) == [])
        #expect(framing.deadline == .milliseconds(100))
        #expect(framing.receive(SampleCode.bytes("mdoc:AQIDBA\r"), at: .milliseconds(99)) == [])
        #expect(framing.expire(at: .milliseconds(159)) == [])
        #expect(framing.deadline == nil)
        #expect(
            framing.receive(SampleCode.bytes("mdoc:AQIDBA\r"), at: .milliseconds(160)) == [
                .text("mdoc:AQIDBA")
            ])
    }

    @Test("The silence after a long text ends the dropping, even if the time was not announced")
    func silenceAfterLong() {
        var framing = ScanFraming()
        #expect(framing.receive((Self.longest + Self.longest)[...], at: .zero) == [.tooLong])
        #expect(framing.receive(SampleCode.bytes("abc\r"), at: .milliseconds(60)) == [.text("abc")])
    }

    @Test("The same text within 2 s is the same, and after 2 s a new one")
    func repetition() {
        var framing = ScanFraming()
        let code = SampleCode.bytes("]Q1mdoc:AQIDBA\r")
        #expect(framing.receive(code, at: .seconds(5)) == [.text("mdoc:AQIDBA", .qr)])
        #expect(framing.receive(code, at: .milliseconds(5500)) == [])
        #expect(framing.receive(code, at: .milliseconds(6999)) == [])
        // The time counts from the first reading: a phone that is held still is read again.
        #expect(framing.receive(code, at: .seconds(7)) == [.text("mdoc:AQIDBA", .qr)])
        #expect(framing.receive(code, at: .milliseconds(7500)) == [])
    }

    @Test("Another text within 2 s is another code, and does not make the first a new one")
    func anotherText() {
        var framing = ScanFraming()
        let text = SampleCode.bytes("one\rtwo\rone\rtwo\rONE\r")
        #expect(framing.receive(text, at: .zero) == [.text("one"), .text("two"), .text("ONE")])
    }

    @Test("A repetition that silence ends is found, too")
    func silentRepetition() {
        var framing = ScanFraming()
        let code = String(repeating: "a", count: 20)
        #expect(framing.receive(SampleCode.bytes(code + "\r"), at: .zero) == [.text(code)])
        #expect(framing.receive(SampleCode.bytes(code), at: .milliseconds(100)) == [])
        #expect(framing.expire(at: .milliseconds(160)) == [])
    }
}
