import Testing

@testable import OpenSSLCrypto

@Suite("PEM")
struct PEMTests {
    @Test("Contents of every length come back, and unused bits that are set do not", arguments: 0..<70)
    func lengths(count: Int) throws {
        let contents = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 0xf1) }
        let text = PEM.encode(contents[...], label: "X")
        #expect(try PEM.decode(text[...], label: "X") == [contents])
        #expect(try PEM.decode(text[...], label: "Y") == [])
        #expect(text.split(separator: 0x0a).allSatisfy { $0.count <= 64 })
    }

    @Test("Base64 with unused bits set or padding in the middle is refused")
    func base64() throws {
        for (body, contents) in [("QQ==", [[UInt8(65)]]), ("QUE=", [[65, 65]])] {
            let text = "-----BEGIN X-----\n\(body)\n-----END X-----\n"
            #expect(try PEM.decode([UInt8](text.utf8)[...], label: "X") == contents)
        }
        for body in ["QR==", "QUF=", "Q===", "QQ=", "QQ", "Q=Q=", "====", "QQ==QQ=="] {
            let text = "-----BEGIN X-----\n\(body)\n-----END X-----\n"
            #expect(throws: OpenSSLCryptoError.pemMalformed, "\(body)") {
                try PEM.decode([UInt8](text.utf8)[...], label: "X")
            }
        }
    }
}
