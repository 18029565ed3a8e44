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
