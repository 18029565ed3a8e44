import Testing
import VectorFiles

@testable import OpenSSLCrypto

@Suite("PEM")
struct PEMTests {
    private static func text(_ names: String...) throws -> String {
        try names.map { name in
            String(decoding: PEM.encode(try AnnexD.bytes(name)[...], label: "CERTIFICATE"), as: UTF8.self)
        }.joined(separator: "subject=text between blocks\n")
    }

    @Test("Certificates come from DER, from one block and from several with text around them")
    func certificateFiles() throws {
        let der = try AnnexD.bytes("dsCertificate")
        #expect(try certificates(fromPEMOrDER: der[...]).map(\.der) == [der[...]])
        let both = try Self.text("dsCertificate", "iacaCertificate")
        for text in [both, both.replacing("\n", with: "\r\n"), "# first\n\n" + both + "\n\n"] {
            let read = try certificates(fromPEMOrDER: [UInt8](text.utf8)[...])
            #expect(read.map(\.subject.commonName) == ["utopia ds", "utopia iaca"])
        }
    }

    @Test("Files without, with half and with damaged blocks are refused")
    func refused() throws {
        let good = try Self.text("dsCertificate")
        let lines = good.split(separator: "\n").map(String.init)
        let key = good.replacing("CERTIFICATE", with: "PRIVATE KEY")
        let texts = [
            "", "\n", "no certificate", key, lines.dropLast().joined(separator: "\n"),
            lines.dropFirst().joined(separator: "\n"), lines[0] + "\n" + good,
            good.replacing("MII", with: "MI"),
            good.replacing("MII", with: "M!I"), good.replacing("MII", with: "M=I"),
        ]
        for text in texts {
            #expect(throws: OpenSSLCryptoError.pemMalformed, "\(text.prefix(40))") {
                try certificates(fromPEMOrDER: [UInt8](text.utf8)[...])
            }
        }
        let empty = "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n"
        #expect(throws: OpenSSLCryptoError.truncated(at: 0)) {
            try certificates(fromPEMOrDER: [UInt8](empty.utf8)[...])
        }
        let damaged = good.replacing("MII", with: "MIJ")
        // The length it begins with is greater now.
        #expect(throws: OpenSSLCryptoError.truncated(at: 0)) {
            try certificates(fromPEMOrDER: [UInt8](damaged.utf8)[...])
        }
    }

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
