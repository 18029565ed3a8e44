import MdocModel
import Testing
import VectorFiles

@Suite("mdoc: URI")
struct EngagementURITests {
    /// 01 02 03 04, whose padding would be two characters.
    private let bytes: [UInt8] = [1, 2, 3, 4]

    @Test(
        "Q49 Variants that phones and cameras make are read",
        arguments: [
            "mdoc:AQIDBA", "MDOC:AQIDBA", "Mdoc:AQIDBA", "mdoc:/AQIDBA", "mdoc://AQIDBA", "MDOC:///AQIDBA",
            "mdoc:AQIDBA==",
            "mdoc:AQIDBA=", " mdoc:AQIDBA", "mdoc:AQIDBA \n", "\tmdoc:AQIDBA\r\n", "mdoc://AQIDBA== ",
        ])
    func variants(_ text: String) throws {
        #expect(try EngagementURI.deviceEngagement(in: text) == bytes)
    }

    @Test(
        "Q49 A QR code with other text is refused",
        arguments: [
            "", "mdoc", "mdoc:", "mdoc://", "mdoc:==", "mdoc: AQIDBA", "AQIDBA", "http:AQIDBA",
            "mdocs:AQIDBA", "mdoc;AQIDBA",
            "mdoc\u{1a}AQIDBA", "mdoc:AQIDB", "mdoc:AQID+A", "mdoc:AQID/A", "mdoc:AQI DBA", "mdoc:AQIDBA===",
            "mdoc:A", "mdoc:AQIDBB",
            "mdoc:AQ=IDBA", "mdoc:AQIDBÄ", "xmdoc:AQIDBA", "mdoc:mdoc:AQIDBA", "mdoc:AQIDBA#",
            "mdoc:AQIDBA?x=1",
        ])
    func others(_ text: String) {
        #expect(throws: MdocModelError.notAnEngagementURI) { try EngagementURI.deviceEngagement(in: text) }
    }

    @Test("Q49 The length is capped")
    func length() throws {
        let tooLong = "mdoc:" + String(repeating: "A", count: EngagementURI.maximumLength)
        #expect(throws: MdocModelError.notAnEngagementURI) { try EngagementURI.deviceEngagement(in: tooLong) }
        let most = "mdoc:" + String(repeating: "A", count: (EngagementURI.maximumLength - 5) / 4 * 4)
        #expect(
            try EngagementURI.deviceEngagement(in: most).count == (EngagementURI.maximumLength - 5) / 4 * 3)
    }

    @Test("What is written is lower case, without slashes and padding")
    func written() {
        #expect(EngagementURI.text(for: bytes) == "mdoc:AQIDBA")
    }

    @Test("A published URI holds an engagement")
    func published() throws {
        let uri =
            "mdoc:owBjMS4wAYIB2BhYS6QBAiABIVgglyWXuAyJ6iRNc8OlYXenvkJt23rJPdtIhlawXqr-yf0iWCC1GQSH8tIwTYVwha_ZoPL20_saYXrGIbrCm133H0ki-QKBgwIBowD1AfQKUH2RiuAEbUVzrsrOiUnSPDw"
        let engagement = try DeviceEngagement(EngagementURI.deviceEngagement(in: uri)[...])
        #expect(engagement.version == "1.0")
        guard case .ble(let options) = engagement.retrievalMethods.first else {
            Issue.record("no BLE")
            return
        }
        #expect(options.peripheralServerUUID?.hex == "7d918ae0046d4573aecace8949d23c3c")
    }
}

@Suite("Base64url (RFC 4648)")
struct Base64URLTests {
    /// RFC 4648 10, without padding.
    static let published: [(String, String)] = [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
        ("foobar", "Zm9vYmFy"),
    ]

    @Test("The published pairs are written and read", arguments: published)
    func pairs(_ text: String, encoded: String) {
        #expect(Base64URL.encode(text.utf8) == encoded)
        #expect(Base64URL.decode(encoded.utf8) == Array(text.utf8))
    }

    @Test("62 and 63 are - and _, not + and /")
    func alphabet() {
        #expect(Base64URL.encode([0xfb, 0xff]) == "-_8")
        #expect(Base64URL.decode("-_8".utf8) == [0xfb, 0xff])
        for text in ["+/8", "-/8", "-_8=", "-_ 8", "-_8\n", "A", "AAAAA", "-_9", "Zh", "Zm9vYh"] {
            #expect(Base64URL.decode(text.utf8) == nil, "\(text)")
        }
    }

    @Test("Every byte value and length comes back")
    func everything() {
        for count in 0..<64 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ count) }
            let text = Base64URL.encode(bytes)
            #expect(Base64URL.decode(text.utf8) == bytes)
            #expect(text.utf8.count == (count * 4 + 2) / 3)
        }
        let all = (0...255).map { UInt8($0) }
        #expect(Base64URL.decode(Base64URL.encode(all).utf8) == all)
    }
}
