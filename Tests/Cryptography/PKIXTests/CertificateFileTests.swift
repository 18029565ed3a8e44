import OpenSSLCrypto
import PKIX
import Testing
import VectorFiles

@Suite("Files of certificates")
struct CertificateFileTests {
    private static func text(_ names: String...) throws -> String {
        try names.map { name in
            String(
                decoding: PEM.encode(try VectorFiles.annexD(name)[...], label: "CERTIFICATE"), as: UTF8.self)
        }.joined(separator: "subject=text between blocks\n")
    }

    @Test("Certificates come from DER, from one block and from several with text around them")
    func certificateFiles() throws {
        let der = try VectorFiles.annexD("dsCertificate")
        #expect(try certificates(fromPEMOrDER: der[...]).map(\.der) == [der[...]])
        let both = try Self.text("dsCertificate", "iacaCertificate")
        for text in [both, both.replacing("\n", with: "\r\n"), "# first\n\n" + both + "\n\n"] {
            let read = try certificates(fromPEMOrDER: [UInt8](text.utf8)[...])
            #expect(read.map(\.subject.commonName) == ["utopia ds", "utopia iaca"])
        }
    }

    @Test(
        "Q233 PEM is read as OpenSSL reads it: marks, labels, headers, blanks and line ends are no part of it"
    )
    func asOpenSSL() throws {
        let der = try VectorFiles.annexD("dsCertificate")
        let good = try Self.text("dsCertificate")
        let mark = "\u{feff}"
        let trusted = String(
            decoding: PEM.encode((der + [0x30, 0x03, 0x0c, 0x01, 0x61])[...], label: "TRUSTED CERTIFICATE"),
            as: UTF8.self)
        let texts = [
            mark + good, mark + good + mark + good, good.replacing("CERTIFICATE", with: "X509 CERTIFICATE"),
            good.replacing("CERTIFICATE", with: "TRUSTED CERTIFICATE"), trusted,
            " 0 s:/C=UT/CN=utopia ds\n   i:/C=UT\n" + good, "0" + "x\n" + good,
            good.replacing("\n", with: "\r"), good.replacing("\n", with: "\r\n\r\n"),
            good.replacing("\n", with: " \t\n"),
            good.replacing("-----\nMII", with: "-----\nX-Note: a\n b: c\n\nMII"),
        ]
        for text in texts {
            let read = try certificates(fromPEMOrDER: [UInt8](text.utf8)[...])
            #expect(read.allSatisfy { $0.der.elementsEqual(der) } && !read.isEmpty, "\(text.prefix(60))")
        }
    }

    @Test("PKCS #7 is named, in PEM and in DER")
    func pkcs7() throws {
        let signed: [UInt8] = [0x30, 0x0b, 6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 7, 2]
        for bytes in [signed, PEM.encode(signed[...], label: "PKCS7")] {
            #expect(throws: PKIXError.pkcs7) { try certificates(fromPEMOrDER: bytes[...]) }
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
            #expect(throws: PKIXError.pemMalformed, "\(text.prefix(40))") {
                try certificates(fromPEMOrDER: [UInt8](text.utf8)[...])
            }
        }
        let empty = "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n"
        #expect(throws: PKIXError.truncated(at: 0)) {
            try certificates(fromPEMOrDER: [UInt8](empty.utf8)[...])
        }
        let damaged = good.replacing("MII", with: "MIJ")
        // The length it begins with is greater now.
        #expect(throws: PKIXError.truncated(at: 0)) {
            try certificates(fromPEMOrDER: [UInt8](damaged.utf8)[...])
        }
    }
}
