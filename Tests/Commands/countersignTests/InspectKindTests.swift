import CBOR
import COSE
import MdocModel
import OpenSSLCrypto
import PKIX
import TestCredentials
import Testing
import VectorFiles
import WalletPresentation

@testable import countersign

/// The names that `inspect` gives to structures that look like another one, or like none.
@Suite("inspect, kinds")
struct InspectKindTests {
    private func specimen(_ bytes: [UInt8]) throws -> Specimen {
        try Inspection(isFull: false).specimen(in: bytes)
    }

    private func expect(
        _ bytes: [UInt8], _ kind: String, note: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let shown = try specimen(bytes)
        #expect(shown.kind.hasPrefix("\(kind), "), "\(shown.kind)", sourceLocation: sourceLocation)
        if let note {
            #expect(shown.text.contains("note: \(note)"), "\(shown.text)", sourceLocation: sourceLocation)
        } else {
            #expect(!shown.text.contains("note: "), "\(shown.text)", sourceLocation: sourceLocation)
        }
    }

    // The MSO

    @Test("An MSO with a status is an MSO, bare, embedded and as what the issuer signed")
    func mobileSecurityObject() throws {
        let issuer = try TestIssuer(authority: .ofACountry())
        var document = try TestDocument([.init("family_name", Encoded.text("A"))])
        document.status = Encoded.map([
            ("status_list", Encoded.map([("idx", [0x01]), ("uri", Encoded.text("https://example.com/1"))]))
        ])
        var mso: [UInt8] = []
        document.rewriteMSO = { bytes in
            mso = bytes
            return bytes
        }
        let encoded = try document.encoded(issuer: issuer, session: TestSession())
        let title = "MobileSecurityObject (ISO/IEC 18013-5 9.1.2.4)"
        try expect(mso, title)
        try expect(Encoded.embedded(mso), "embedded in tag 24: \(title)")
        let parsed = try CBORItem.parse(encoded[...]).map()
        let issuerSigned = try #require(parsed["issuerSigned"])
        try expect(Array(issuerSigned.encoded), "IssuerSigned (ISO/IEC 18013-5 8.3.2.1.2.2)")
        let issuerAuth = try #require(issuerSigned.map()["issuerAuth"])
        let name = "IssuerAuth, a COSE_Sign1 over a MobileSecurityObject (ISO/IEC 18013-5 9.1.2.4)"
        try expect(Array(issuerAuth.encoded), name)
        try expect(Encoded.tagged(18, Array(issuerAuth.encoded)), name)
        let nameSpaces = try #require(issuerSigned.map()["nameSpaces"])
        try expect(Array(nameSpaces.encoded), "IssuerNameSpaces (ISO/IEC 18013-5 8.3.2.1.2.2)")
        // The twin: a response with version and status is none.
        try expect(
            Encoded.map([("version", Encoded.text("1.0")), ("status", [0x0b])]),
            "DeviceResponse (ISO/IEC 18013-5 8.3.2.1.2.2)")
    }

    // Signatures without payload

    @Test("The device's signature and MAC, and the reader's signature, are told apart")
    func detached() throws {
        let key = try TestKey()
        let issuer = try TestIssuer(authority: .ofACountry())
        for (authentication, name, title) in [
            (
                TestDocument.DeviceAuth.signature, "deviceSignature",
                "DeviceSignature, a COSE_Sign1 without payload (ISO/IEC 18013-5 9.1.3.6)"
            ), (.mac, "deviceMac", "DeviceMac, a COSE_Mac0 without payload (ISO/IEC 18013-5 9.1.3.5)"),
        ] {
            var document = try TestDocument([.init("family_name", Encoded.text("A"))], deviceKey: key)
            document.deviceAuth = authentication
            let encoded = try document.encoded(issuer: issuer, session: TestSession())
            let signed = try #require(CBORItem.parse(encoded[...]).map()["deviceSigned"])
            try expect(Array(signed.encoded), "DeviceSigned (ISO/IEC 18013-5 8.3.2.1.2.2)")
            let deviceAuth = try #require(signed.map()["deviceAuth"])
            try expect(Array(deviceAuth.encoded), "DeviceAuth (ISO/IEC 18013-5 8.3.2.1.2.2)")
            try expect(
                Array(
                    try #require(deviceAuth.map()[name == "deviceMac" ? "deviceMac" : "deviceSignature"])
                        .encoded), title)
        }
        // ReaderAuth of the published request has the reader's certificate.
        let request = try CBORItem.parse(VectorFiles.annexD("deviceRequest")[...]).map()
        let docRequests = try #require(request["docRequests"])
        let docRequest = try #require(Array(docRequests.array()).first)
        let readerAuth = try #require(docRequest.map()["readerAuth"])
        try expect(
            Array(readerAuth.encoded),
            "ReaderAuth, a COSE_Sign1 with certificates and without payload (ISO/IEC 18013-5 9.1.4.4)")
        try expect([0x84, 0x40, 0xa0, 0xf6, 0x40], "COSE_Sign1 or COSE_Mac0, untagged (RFC 9052)")
    }

    // Lists

    @Test("VICALs are named, tagged or not, in whatever case, with what keeps one from being a VICAL")
    func vical() throws {
        let provider = try TestAuthority([(.commonName, "Provider")])
        var list = try TestVICAL([.init(TestAuthority().der)], provider: provider)
        let title = "VICAL, a list of issuers' authorities (ISO/IEC 18013-5 Annex C)"
        let encoded = try list.encoded()
        try expect(encoded, title)
        let bare = encoded.first == 0xd2 ? Array(encoded.dropFirst()) : encoded
        try expect(bare, title)
        try expect(Encoded.tagged(18, bare), title)
        list.rewriteName = { $0.uppercased() }
        try expect(list.encoded(), title)
        list.rewriteName = { $0 }
        list.entries = []
        try expect(list.encoded(), title)
        list.version = "2.0"
        try expect(list.encoded(), title, note: "the VICAL has an unknown version; only 1.x is supported")
    }

    @Test("Status lists and identifier lists are named, also in the tag of a CWT")
    func statusList() throws {
        let token = try TestStatusToken(authority: .ofACountry()).encoded()
        let title = "status list or identifier list, a CWT (ISO/IEC 18013-5, second edition, draft, 12.3.6)"
        try expect(token, title)
        try expect(Encoded.tagged(61, token), title)
        // Another CWT is a COSE_Sign1 and nothing more.
        let other = try Self.signed(Encoded.map([("iss", Encoded.text("x"))]))
        try expect(Encoded.tagged(18, other), "COSE_Sign1 (RFC 9052 4.2)")
    }

    private static func signed(_ payload: [UInt8]) throws -> [UInt8] {
        Encoded.array([
            Encoded.bytes([0xa1, 0x01, 0x26]), [0xa0], Encoded.bytes(payload), Encoded.bytes([1]),
        ])
    }

    // Apps and pages

    @Test(
        "A transcript without engagement is named by its handover",
        arguments: [
            ("dcapi", "Digital Credentials API with org-iso-mdoc, ISO/IEC TS 18013-7 Annex C"),
            ("OpenID4VPHandover", "OpenID4VP with redirects"),
            ("OpenID4VPDCAPIHandover", "OpenID4VP over the Digital Credentials API"),
            ("AppleIdentityPresentment_1.0", "Verify with Wallet, in an app"),
            ("NewHandover\u{1b}[2J", "unknown handover NewHandover\\u{1b}[2J"),
        ])
    func transcripts(_ name: String, _ kind: String) throws {
        let handover = Encoded.array([Encoded.text(name), Encoded.bytes([1, 2, 3])])
        let transcript = Encoded.array([[0xf6], [0xf6], handover])
        let title = "SessionTranscript (ISO/IEC 18013-5 9.1.5.1): "
        let shown = try specimen(transcript)
        #expect(shown.kind.hasPrefix(title) && !shown.text.contains("note: "), "\(shown.kind)")
        #expect(shown.kind.unicodeScalars.allSatisfy { $0.value >= 0x20 })
        if !name.contains("\u{1b}") { #expect(shown.kind.hasPrefix("\(title)\(kind), ")) }
        try #expect(specimen(Encoded.embedded(transcript)).kind.hasPrefix("embedded in tag 24: \(title)"))
        // A handover alone, or one member more, is no transcript.
        #expect(try !specimen(handover).kind.contains("SessionTranscript"))
        #expect(
            try !specimen(Encoded.array([[0xf6], [0xf6], handover, [0xf6]])).kind.contains(
                "SessionTranscript"))
        #expect(try !specimen(Encoded.array([[0xf6], [0xf6], [0xf6]])).kind.contains("SessionTranscript"))
    }

    @Test("What a page passes on is named as CBOR and in base64url, and other text is not")
    func page() throws {
        let key = try RecipientKey(COSEKeyPair(PrivateKey.generate(.p256)))
        let info = try EncryptionInfo(nonce: PresentationNonce(randomBytes(32)), for: key)
        let bytes = try #require(Base64URL.decode(info.text.utf8))
        let title = "EncryptionInfo (ISO/IEC TS 18013-7 Annex C)"
        try expect(bytes, title)
        try expect(Array(info.text.utf8), "base64url text with \(title)")
        try expect(Array("\(info.text)\n".utf8), "base64url text with \(title)")
        let origin = try WebOrigin("https://shop.example")
        let answer = try EncryptedResponse.seal(
            [0xa0], to: key.pair.privateKey.publicKey(),
            in: .onTheWeb(encryptionInfo: info.text, origin: origin), ephemeralKey: PrivateKey.generate(.p256)
        )
        try expect(
            Array(answer.utf8), "base64url text with EncryptedResponse (ISO/IEC TS 18013-7 Annex C)")
        let request = try VectorFiles.annexD("deviceRequest")
        try expect(
            Array(Base64URL.encode(request).utf8),
            "base64url text with DeviceRequest (ISO/IEC 18013-5 8.3.2.1.2.1)")
        for text in ["AAAA", "hello world", Base64URL.encode([0x83, 1, 2, 3])] {
            #expect(throws: InspectionError.self) { try specimen(Array(text.utf8)) }
        }
    }

    @Test("Structures in structures end where the limits are, in payloads and namespaces too")
    func nested() throws {
        var cose: [UInt8] = [0xa0]
        var spaces: [UInt8] = Encoded.map([("digestID", [0x00])])
        for _ in 0..<3000 {
            cose = try Self.signed(cose)
            spaces = Encoded.map([("a", Encoded.array([Encoded.embedded(spaces)]))])
        }
        _ = try? specimen(cose)
        _ = try? specimen(spaces)
        var tags: [UInt8] = try Self.signed([0xa0])
        for _ in 0..<3000 { tags = [0xd8, 61] + tags }
        #expect(throws: InspectionError.self) { try specimen(tags) }
    }

    // Certificates

    @Test("A country that is not a PrintableString is shown with its type")
    func country() throws {
        let printable = try TestAuthority([(.countryName, "UT"), (.commonName, "Utopia")]).der
        #expect(try !specimen(printable).text.contains("country of the"))
        var changed = printable
        var count = 0
        // The tag of each country, in issuer and subject: 2.5.4.6, then a PrintableString of two.
        for place in changed.indices.dropLast(9)
        where Array(changed[place..<place + 7]) == [0x06, 3, 0x55, 4, 6, 0x13, 2] {
            changed[place + 5] = count == 0 ? 0x0c : 0x14
            count += 1
        }
        #expect(count == 2)
        let text = try specimen(changed).text
        #expect(text.contains("country of the issuer: a UTF8String, not a PrintableString"), "\(text)")
        #expect(text.contains("country of the subject: a TeletexString, not a PrintableString"), "\(text)")
    }
}
