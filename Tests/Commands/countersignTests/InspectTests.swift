import CBOR
import CommandBench
import Foundation
import JSON
import MdocModel
import OpenSSLCrypto
import OtherPrograms
import PKIX
import TestCredentials
import Testing
import VectorFiles

@testable import countersign

/// `inspect`, with the published figures of ISO/IEC 18013-5 Annex D.
@Suite("inspect")
struct InspectTests {
    let annex: AnnexD

    init() throws {
        annex = AnnexD()
    }

    private func specimen(_ bytes: [UInt8], isFull: Bool = false) throws -> Specimen {
        try Inspection(isFull: isFull).specimen(in: bytes)
    }

    @Test(
        "Each message is recognised and named with its clause",
        arguments: [
            ("deviceEngagement_qr", "DeviceEngagement (ISO/IEC 18013-5 8.2.1.1)"),
            ("deviceRequest", "DeviceRequest (ISO/IEC 18013-5 8.3.2.1.2.1)"),
            ("deviceResponse", "DeviceResponse (ISO/IEC 18013-5 8.3.2.1.2.2)"),
            ("sessionEstablishment", "SessionEstablishment (ISO/IEC 18013-5 9.1.1.4)"),
            ("sessionData", "SessionData (ISO/IEC 18013-5 9.1.1.4)"),
            ("sessionTermination", "SessionData (ISO/IEC 18013-5 9.1.1.4)"),
            (
                "sessionTranscriptBytes",
                "SessionTranscript (ISO/IEC 18013-5 9.1.5.1): negotiated NFC handover"
            ),
            ("mobileSecurityObjectBytes", "MobileSecurityObject (ISO/IEC 18013-5 9.1.2.4)"),
            ("deviceAuthenticationBytes", "DeviceAuthentication (ISO/IEC 18013-5 9.1.3.4)"),
            ("readerAuthenticationBytes", "ReaderAuthentication (ISO/IEC 18013-5 9.1.4.4)"),
            ("issuerSigned", "IssuerSigned (ISO/IEC 18013-5 8.3.2.1.2.2)"),
            ("issuerAuth", "IssuerAuth, a COSE_Sign1 over a MobileSecurityObject (ISO/IEC 18013-5 9.1.2.4)"),
            ("eDeviceKeyBytes", "COSE_Key (RFC 9052 7)"),
            ("itemsRequest", "ItemsRequest (ISO/IEC 18013-5 8.3.2.1.2.1)"),
            ("nfcHandoverSelect", "NDEF message: Handover Select"),
            ("nfcHandoverRequest", "NDEF message: Handover Request"),
            ("dsCertificate", "certificate for mdoc document signing (X.509 v3)"),
            ("iacaCertificate", "root certificate (X.509 v3)"),
            ("readerCertificate", "certificate for mdoc reader authentication (X.509 v3)"),
            ("drivingPrivileges", "CBOR (RFC 8949)"),
        ])
    func kinds(_ name: String, _ kind: String) throws {
        let bytes = try annex.bytes(name)
        let specimen = try specimen(bytes)
        #expect(specimen.kind == "\(embedding(bytes))\(kind), \(bytes.count) bytes")
        #expect(!specimen.text.contains("note: "))
    }

    @Test(
        "Q224 Each element that departs from the data model is named, and never its value; good ones are not")
    func elements() throws {
        let document = try TestDocument([
            .init("age_over_21", Encoded.text("true")), .init("birth_date", Encoded.text("1990-02-28")),
            .init("portrait", Encoded.bytes([])), .init("family_name", Encoded.text("Quillfeather")),
        ]).encoded(issuer: TestIssuer(), session: TestSession())
        let notes = [
            "org.iso.18013.5.1/age_over_21 is a text, not a boolean",
            "org.iso.18013.5.1/birth_date: a date without its CBOR tag, or not in the form that the standard requires",
            "org.iso.18013.5.1/portrait is empty; ISO/IEC 18013-5 allows JPEG and JPEG 2000",
        ]
        let issuerSigned = try #require(try CBORItem.parse(document[...]).map()["issuerSigned"])
        let response = Encoded.map([
            ("version", Encoded.text("1.0")), ("documents", Encoded.array([document])),
        ])
        for bytes in [response, document, Array(issuerSigned.encoded)] {
            let lines = try specimen(bytes).text.split(separator: "\n").map(String.init)
            #expect(lines.filter { $0.hasPrefix("note: org.") } == notes.map { "note: \($0)" })
        }
    }

    @Test(
        "The handover messages of NFC v2 are recognised, and read in full",
        arguments: [
            (
                "a100a10281830501a0",
                "NFC v2 handover request (ISO/IEC 18013-5, draft of the second edition)", false
            ),
            ("a100a10280", "NFC v2 handover request (ISO/IEC 18013-5, draft of the second edition)", true),
            (
                "a100a201820180 0063312e31",
                "NFC v2 handover select (ISO/IEC 18013-5, draft of the second edition)", true
            ),
        ])
    func version2(_ hex: String, _ kind: String, _ isMalformed: Bool) throws {
        let specimen = try specimen([UInt8](hex: hex))
        #expect(specimen.kind.hasPrefix(kind))
        #expect(specimen.text.contains("note: ") == isMalformed)
    }

    @Test("What a request asks that is not supported here is named, with its docRequest")
    func requestInfo() throws {
        let items = Encoded.map([
            ("docType", Encoded.text("org.iso.18013.5.1.mDL")), ("nameSpaces", Encoded.map([])),
            ("requestInfo", Encoded.map([("docResponseEncryption", Encoded.embedded([0xa0]))])),
        ])
        let request = DeviceRequest.encode([(items: EncodedCBOR(embedding: items), readerAuth: nil)])
        let shown = try specimen(request)
        #expect(shown.kind.hasPrefix("DeviceRequest"))
        #expect(shown.text.contains("note: docRequest 0: the request asks for an answer encrypted"))
    }

    private func embedding(_ bytes: [UInt8]) -> String {
        bytes.starts(with: [0xd8, 24]) ? "embedded in tag 24: " : ""
    }

    @Test("The command names file and kind on the first line, and shows the content after it")
    func command() throws {
        let file = try annex.file("deviceResponse")
        let run = try CommandRun("inspect", file)
        #expect(run.status == 0)
        let lines = run.output.split(separator: "\n")
        #expect(lines.first == "\(file): DeviceResponse (ISO/IEC 18013-5 8.3.2.1.2.2), 3562 bytes")
        #expect(lines.dropFirst().first == "{")
        for part in [
            "\"elementIdentifier\": \"family_name\"", "24(<<{", "<<{1: -7}>>", "'... / 1042 bytes /",
            "/ certificate of C=US,CN=utopia ds, issued by C=US,CN=utopia iaca /",
            "0(\"2020-10-01T13:30:02Z\")",
        ] {
            #expect(run.output.contains(part), "\(part)")
        }
        #expect(try CommandRun("inspect", "--full", file).output.contains("'... /") == false)
    }

    @Test("With --json there is one object a file, and a file that cannot be shown does not hide the others")
    func json() throws {
        let good = try annex.file("deviceRequest")
        let bad = try annex.file("bad", [0xa1, 0x00])
        let run = try CommandRun("inspect", bad, good, "/no/such/file", "--json")
        #expect(run.status == 65)
        let value = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
        let files = try #require(value as? [[String: String]])
        #expect(
            files.map { Set($0.keys) } == [["file", "error"], ["file", "kind", "text"], ["file", "error"]])
        #expect(files[0]["error"]?.hasSuffix("the bytes end inside an item (byte 2)") == true)
    }

    @Test("A list of readers' authorities is named, with what keeps it from being one")
    func readerAuthorities() throws {
        let provider = try TestAuthority([(.commonName, "Provider")])
        var list = try TestRICAL([.init(TestAuthority([(.commonName, "Readers")]).der)], provider: provider)
        let shown = try specimen(list.encoded())
        #expect(shown.kind.hasPrefix("RICAL, a list of readers' authorities"))
        #expect(shown.text.contains("certificate of CN=Readers") && !shown.text.contains("note:"))
        list.version = "2.0"
        #expect(try specimen(list.encoded()).text.contains("note: the RICAL has an unknown version"))
        let vical = try TestVICAL([.init(TestAuthority().der)], provider: provider).encoded()
        #expect(try !specimen(vical).kind.hasPrefix("RICAL"))
    }

    @Test("The text of a QR code is opened")
    func qr() throws {
        let specimen = try specimen(Array("\n mdoc:\(base64URL(annex.bytes("deviceEngagement_qr")))\n".utf8))
        #expect(specimen.kind.hasPrefix("QR code text (ISO/IEC 18013-5 8.2.2.3) with DeviceEngagement"))
        #expect(throws: InspectionError.self) { try self.specimen(Array("mdoc:####".utf8)) }
        #expect(throws: InspectionError.self) { try self.specimen(Array("mdoc:AAAA".utf8)) }
    }

    private func base64URL(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
            "=", with: "")
    }

    @Test("A look-alike that does not decode is shown, with what is wrong")
    func lookalike() throws {
        let bytes = CBOREncoder.encode { encoder in
            encoder.map(count: 2)
            encoder.text("version")
            encoder.text("1.0")
            encoder.text("documents")
            encoder.boolean(true)
        }
        let specimen = try specimen(bytes)
        #expect(specimen.kind.hasPrefix("DeviceResponse"))
        #expect(specimen.text.contains("note: the DeviceResponse does not decode: expected an array at byte"))
    }

    @Test("Q43 An engagement with a member of another shape is shown, and the member named")
    func malformedMember() throws {
        let members = try CBORItem.parse(annex.bytes("deviceEngagement_qr")[...]).map().prefix(2)
        let bytes = CBOREncoder.encode { encoder in
            encoder.map(count: 3)
            for member in members {
                encoder.encoded(member.key.encoded)
                encoder.encoded(member.value.encoded)
            }
            encoder.integer(2)
            encoder.text("no list")
        }
        let specimen = try specimen(bytes)
        #expect(specimen.kind.hasPrefix("DeviceEngagement"))
        #expect(specimen.text.hasSuffix("\nnote: malformed members: [2]"))
    }

    @Test("Certificates in PEM are all shown; private keys never")
    func pem() throws {
        let one = try PEM.encode(annex.bytes("dsCertificate")[...], label: "CERTIFICATE")
        let two = try specimen(one + PEM.encode(annex.bytes("iacaCertificate")[...], label: "CERTIFICATE"))
        #expect(two.kind == "2 certificates in PEM")
        #expect(two.text.contains("subject: C=US,CN=utopia ds"))
        #expect(two.text.contains("keyCertSign, cRLSign"))
        let key = try annex.readerKeyPEM()
        let error = #expect(throws: InspectionError.self) { try specimen(key) }
        #expect(error?.message.contains("private keys are not shown") == true)
        #expect(
            try specimen(key + one).text.contains(
                String(decoding: key.dropFirst(40).prefix(40), as: UTF8.self)) == false)
    }

    @Test("An APDU trace is read line by line, with times and without")
    func trace() throws {
        let trace = """
            # one tap
            0.001 > 00a4040007d276000085010100
            0.002 < 9000

            > 00 b0 00 00 02
            < 00ff6c02
            >10c3000003aabbcc
            < 6110 1.5ms
            > 80ca0000
            < 6a82
            """
        let specimen = try specimen(Array(trace.utf8))
        #expect(specimen.kind == "APDU trace, 8 APDUs")
        #expect(
            specimen.text.split(separator: "\n") == [
                "  0.001  > SELECT application of the NFC Forum Type 4 Tag, d2760000850101, Le 256",
                "  0.002  < 9000 success", "  > READ BINARY at 0000, Le 2",
                "  < 00ff, 6c02 wrong Le, the correct Le is 2",
                "  > ENVELOPE, aabbcc, more follows", "  1.5ms  < 6110 16 more bytes remain",
                "  > instruction 80ca0000", "  < 6a82 file or application not found",
            ])
    }

    @Test("A trace of the bench link names its messages")
    func benchLinkTrace() throws {
        let trace = try """
        0.1 > \(annex.bytes("sessionEstablishment").hex)
        9.5 < \(annex.bytes("sessionData").hex)
        """
        let specimen = try specimen(Array(trace.utf8))
        #expect(specimen.kind == "bench link trace, 2 frames")
        #expect(
            specimen.text.split(separator: "\n") == [
                "  0.1  > SessionEstablishment (ISO/IEC 18013-5 9.1.1.4), 834 bytes",
                "  9.5  < SessionData (ISO/IEC 18013-5 9.1.1.4), 3587 bytes",
            ])
    }

    @Test("A line of a trace that is no APDU is named")
    func brokenTrace() throws {
        let error = #expect(throws: InspectionError.self) { try specimen(Array("> 00a4\n\nnothing\n".utf8)) }
        #expect(error?.message == "line 3 of the APDU trace is not an APDU in hexadecimal")
    }

    // Hostile input

    @Test(
        "What is nothing known is refused with the byte at which it ends to make sense",
        arguments: [
            [], [0xff], [0x30, 0x82], [0xa1, 0x00], [0x00, 0x00], Array("hello\n".utf8), [0x1f, 0x00],
        ] as [[UInt8]])
    func garbage(_ bytes: [UInt8]) throws {
        let error = #expect(throws: InspectionError.self) { try specimen(bytes) }
        #expect(error?.message.contains("byte ") == true)
    }

    @Test("Changed bytes of every kind are shown or refused, and nothing runs away")
    func mutated() throws {
        var random = SplitMix64(seed: 8949)
        let names = [
            "deviceResponse", "deviceRequest", "sessionTranscriptBytes", "nfcHandoverSelect", "dsCertificate",
            "issuerAuth", "sessionEstablishment",
        ]
        for name in names {
            let whole = try annex.bytes(name)
            for _ in 0..<150 {
                var bytes = whole
                for _ in 0...random.next() % 3 {
                    bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
                }
                if random.next().isMultiple(of: 4) {
                    bytes.removeLast(Int(random.next() % UInt64(bytes.count)))
                }
                let text = (try? specimen(bytes))?.text ?? ""
                #expect(text.utf8.count < 1 << 22)
                #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.prints })
            }
        }
    }

    @Test("Q196 Items in items, messages in messages and names in names end where the limits are")
    func nested() throws {
        let arrays = [UInt8](repeating: 0x81, count: 100_000) + [0x00]
        #expect(throws: InspectionError.self) { try specimen(arrays) }
        var embedded: [UInt8] = [0xf5]
        for _ in 0..<2000 { embedded = Array(EncodedCBOR<Never>(embedding: embedded).bytes) }
        #expect(try specimen(embedded).kind.hasPrefix("CBOR embedded in tag 24"))
        var handover: [UInt8] = [0xd1, 0x02, 0x00, 0x48, 0x73]
        for _ in 0..<4000 {
            let payload = [0x15] + handover
            let length = (0..<4).map { UInt8(truncatingIfNeeded: payload.count >> (24 - 8 * $0)) }
            handover = [0xc1, 0x02] + length + [0x48, 0x73] + payload
        }
        #expect(try specimen(handover).kind.hasPrefix("NDEF message: Handover Select"))
    }

    @Test("What is small and grows when shown is cut, unless it is to be shown in full")
    func amplification() throws {
        let many = CBOREncoder.encode { encoder in
            encoder.array(count: 300_000)
            for _ in 0..<300_000 { encoder.tag(24); encoder.byteString([0xf4]) }
        }
        let cut = try specimen(many).text
        #expect(cut.utf8.count < 1 << 22 + 1 << 10)
        #expect(cut.contains("/ truncated: the notation is longer than shown /"))
        #expect(DiagnosticNotation.forInspection(isFull: true).longestNotation == .max)
    }

    @Test("Text in a file cannot steer the terminal")
    func hostileText() throws {
        let bytes = CBOREncoder.encode { $0.text("\u{1b}[2J\u{9b}2J\u{202e}abc\u{0}") }
        let run = try CommandRun("inspect", annex.file("hostile", bytes))
        #expect(run.status == 0)
        #expect(run.output.contains("\"\\u001b[2J\\u009b2J\\u202eabc\\u0000\""))
        #expect(!run.output.unicodeScalars.contains { $0 != "\n" && !$0.prints })
    }

    @Test("The text of a QR code may be the argument; one that is damaged is refused with the reason")
    func argument() throws {
        let text = "mdoc:\(Base64URL.encode(try annex.bytes("deviceEngagement_qr")))"
        let run = try CommandRun("inspect", text)
        #expect(run.status == 0 && run.output.contains("QR code text (ISO/IEC 18013-5 8.2.2.3)"))
        let wrong = try CommandRun("inspect", "mdoc:%")
        #expect(wrong.status == 65 && wrong.errors.contains("is not base64url"))
        #expect(try CommandRun("inspect", "mdo:abcd").status == 64)
    }

    @Test("- is the standard input, once")
    func standardInput() async throws {
        let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "countersign")
        let files = try ["FILE": annex.file("deviceRequest"), "EMPTY": annex.file("empty", [])]
        for (file, status) in [("FILE", Int32(0)), ("EMPTY", 65)] {
            let piped = try ChildProcess(
                ["sh", "-c", "exec \"$0\" inspect - < \"$\(file)\"", program.path],
                environment: files)
            #expect(piped.waitForEnd() == status)
        }
        #expect(try CommandRun("inspect", "-", "-").errors.contains("Give - once"))
    }
}
