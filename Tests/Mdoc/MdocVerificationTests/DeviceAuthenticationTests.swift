internal import OpenSSLCrypto
import CBOR
import COSE
import MdocModel
import MdocTrust
import PKIX
import TestCredentials
import Testing

@testable import MdocVerification

@Suite("Device authentication")
struct DeviceAuthenticationTests {
    private func presentation(_ change: (inout TestDocument) -> Void) throws -> Presentation {
        var document = try TestDocument([.familyName])
        change(&document)
        return try Presentation(document)
    }

    @Test("A signature and a MAC are told apart")
    func kinds() throws {
        #expect(try presentation { _ in }.verified(.strict).documents[0].deviceBinding == .signature)
        #expect(
            try presentation { $0.deviceAuth = .mac }.verified(.strict).documents[0].deviceBinding == .mac)
    }

    @Test(
        "A device signature together with a MAC, or neither of them, is refused by default and under strict rules"
    )
    func both() throws {
        for rules in [VerificationRules.interoperable, .strict] {
            #expect(
                try presentation { $0.deviceAuth = .both }.failures(rules) == [
                    .failed(.deviceAuthentication, .deviceAuthTwice)
                ])
            #expect(
                try presentation { $0.deviceAuth = .none }.failures(rules) == [
                    .failed(.deviceAuthentication, .deviceAuthMissing)
                ])
        }
    }

    @Test(
        "Q150 Null and undefined beside the real one count as absent, and are reported",
        arguments: [[0xf6], [0xf7]] as [[UInt8]])
    func nullMembers(_ value: [UInt8]) throws {
        let unknown = try presentation { $0.moreDeviceAuth = [("kid", value)] }
        #expect(try unknown.verified().reports[0].deviations == [])
        let signed = try presentation { $0.moreDeviceAuth = [("deviceMac", value), ("kid", value)] }
        #expect(try signed.verified().documents[0].deviceBinding == .signature)
        #expect(try signed.verified().reports[0].deviations == [.nullMember])
        #expect(try signed.failures(.strict) == [.failed(.profile, .deviations([.nullMember]))])
        let mac = try presentation {
            $0.deviceAuth = .mac
            $0.moreDeviceAuth = [("deviceSignature", value)]
        }
        #expect(try mac.verified().documents[0].deviceBinding == .mac)
        let none = try presentation {
            $0.deviceAuth = .none
            $0.moreDeviceAuth = [("deviceSignature", value), ("deviceMac", value)]
        }
        #expect(try none.failures() == [.failed(.deviceAuthentication, .deviceAuthMissing)])
    }

    @Test("Q152 A MAC needs the reader's key, on the device key's curve, and of this session")
    func readerKey() throws {
        var presentation = try presentation { $0.deviceAuth = .mac }
        presentation.hasReaderKey = false
        let undetermined = CheckReport(
            id: .deviceAuthentication, outcome: .undetermined(.readerKeyNeeded(.ephemeral)))
        #expect(try presentation.failures() == [undetermined])
        presentation.hasReaderKey = true
        let response = try presentation.response()
        presentation.session = try TestSession()
        #expect(
            try presentation.rejected(on: response).allFailures == [
                .failed(.deviceAuthentication, .cose(.signatureInvalid))
            ])
        presentation.session = try TestSession(.p384)
        #expect(
            try presentation.rejected(on: response).allFailures == [
                .failed(.deviceAuthentication, .readerKeyOnOtherCurve)
            ])
    }

    /// A transcript without engagement whose handover has this name.
    private static func transcript(_ name: String) -> SessionTranscript {
        SessionTranscript { encoder in
            encoder.array(count: 2)
            encoder.text(name)
            encoder.byteString([UInt8](repeating: 7, count: 32))
        }
    }

    @Test(
        "Q236 In OpenID4VP a MAC is checked with the key that the answer was encrypted for",
        arguments: ["OpenID4VPHandover", "OpenID4VPDCAPIHandover"])
    func openID4VP(_ name: String) throws {
        var presentation = try presentation { $0.deviceAuth = .mac }
        presentation.session = try TestSession(transcript: Self.transcript(name))
        #expect(try presentation.verified(.strict).documents[0].deviceBinding == .mac)
        let response = try presentation.response()
        presentation.hasReaderKey = false
        #expect(
            try presentation.failures() == [
                CheckReport(
                    id: .deviceAuthentication, outcome: .undetermined(.readerKeyNeeded(.encryption)))
            ])
        // Another key, and another transcript with the right key.
        presentation.hasReaderKey = true
        presentation.session = try TestSession(transcript: Self.transcript(name))
        #expect(
            try presentation.rejected(on: response).allFailures == [
                .failed(.deviceAuthentication, .cose(.signatureInvalid))
            ])
    }

    @Test(
        "Q236 Where no key of the reader is part of the presentation a MAC is refused, whatever key there is",
        arguments: [
            ("dcapi", .annexC), ("AppleIdentityPresentment_1.0", .app),
            ("SomeHandover", .unknown(handover: "SomeHandover")),
        ] as [(String, TranscriptKind)])
    func signatureNeeded(_ name: String, _ kind: TranscriptKind) throws {
        var presentation = try presentation { $0.deviceAuth = .mac }
        presentation.session = try TestSession(transcript: Self.transcript(name))
        let refused = CheckReport.failed(.deviceAuthentication, .signatureNeeded(kind))
        #expect(!refused.explanation.contains("--reader-key"))
        for hasReaderKey in [true, false] {
            presentation.hasReaderKey = hasReaderKey
            #expect(try presentation.failures() == [refused])
        }
        presentation.documents[0].deviceAuth = .signature
        #expect(try presentation.verified(.strict).documents[0].deviceBinding == .signature)
    }

    @Test("A signature needs no reader key")
    func signatureWithoutReaderKey() throws {
        var presentation = try presentation { _ in }
        presentation.hasReaderKey = false
        _ = try presentation.verified(.strict)
    }

    @Test("Q197 A device signature over another session is refused")
    func otherSession() throws {
        var presentation = try presentation { _ in }
        let response = try presentation.response()
        presentation.session = try TestSession()
        #expect(
            try presentation.rejected(on: response).allFailures == [
                .failed(.deviceAuthentication, .cose(.signatureInvalid))
            ])
    }

    @Test(
        "Q147 Q153 A tag or a newer algorithm number is reported",
        arguments: [
            (18, -7, Deviation.deviceAuthTagged), (nil, -9, .deviceAlgorithmFullySpecified),
        ] as [(UInt64?, Int64, Deviation)])
    func deviations(_ tag: UInt64?, algorithm: Int64, deviation: Deviation) throws {
        let presentation = try presentation {
            $0.deviceAuthTag = tag
            $0.deviceSignatureAlgorithm = COSEAlgorithm(identifier: algorithm)
        }
        #expect(try presentation.verified().reports[0].deviations == [deviation])
        #expect(
            try presentation.failures(.strict) == [.failed(.profile, .deviations([deviation]))])
    }

    @Test("Q147 A tagged MAC is reported")
    func taggedMac() throws {
        let presentation = try presentation {
            $0.deviceAuth = .mac
            $0.deviceAuthTag = 17
        }
        #expect(try presentation.verified().reports[0].deviations == [.deviceAuthTagged])
    }

    @Test("Q153 A newer number of another curve is refused")
    func otherAlgorithm() throws {
        let presentation = try presentation { $0.deviceSignatureAlgorithm = COSEAlgorithm(identifier: -51) }
        #expect(
            try presentation.failures() == [.failed(.deviceAuthentication, .cose(.algorithmNotAllowed(-51)))])
    }
}

@Suite("Issuer data")
struct IssuerDataTests {
    private func presentation(
        _ items: [TestDocument.Item] = [.familyName], issuer: TestIssuer? = nil,
        _ change: (inout TestDocument) -> Void = { _ in }
    ) throws -> Presentation {
        var document = try TestDocument(items)
        change(&document)
        return try Presentation(document, issuer: issuer)
    }

    private func expect(
        _ deviation: Deviation, _ presentation: Presentation,
        location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(try presentation.verified().reports[0].deviations == [deviation], sourceLocation: location)
        #expect(
            try presentation.failures(.strict) == [.failed(.profile, .deviations([deviation]))],
            sourceLocation: location)
    }

    @Test("A conforming document has no deviation under strict rules")
    func conforming() throws {
        #expect(try presentation().verified(.strict).reports[0].deviations.isEmpty)
    }

    @Test("Q146 x5chain in the protected header is reported")
    func protectedChain() throws {
        try expect(.x5chainProtected, presentation { $0.isChainProtected = true })
    }

    @Test("Q147 A tagged issuerAuth is reported, another tag refused")
    func tagged() throws {
        try expect(.issuerAuthTagged, presentation { $0.issuerAuthTag = 18 })
        #expect(
            try presentation { $0.issuerAuthTag = 17 }.failures().contains(
                .failed(.issuerSignature, .cose(.malformed(.sign1)))))
    }

    @Test("Q153 A newer algorithm number is reported, one of another curve refused")
    func algorithm() throws {
        try expect(
            .issuerAlgorithmFullySpecified,
            presentation { $0.issuerAlgorithm = COSEAlgorithm(identifier: -9) })
        #expect(
            try presentation { $0.issuerAlgorithm = COSEAlgorithm(identifier: -265) }.failures()
                == [.failed(.issuerSignature, .cose(.algorithmNotAllowed(-265)))])
    }

    @Test("Q180 A CA in x5chain is reported, and never trusted")
    func chainWithAuthority() throws {
        let issuer = try TestIssuer()
        try expect(
            .x5chainWithOtherCertificates,
            presentation(issuer: issuer) { $0.furtherCertificates = [issuer.authority.der] })
        // A stranger's whole chain in the message, and another anchor in the store.
        let stranger = try TestIssuer(
            authority: TestAuthority([(.countryName, "UT"), (.commonName, "Stranger")]))
        var strange = try presentation(issuer: stranger) { $0.furtherCertificates = [stranger.authority.der] }
        strange.trust = try issuer.authority.store()
        let rejected = try strange.rejected()
        #expect(
            rejected.allFailures == [
                .failed(.issuerCertificate, .issuerCertificate(.anchorNotFound(issuer: "CN=Stranger,C=UT")))
            ])
        #expect(rejected.reports[0].issuer?.anchorSubject == nil)
        #expect(rejected.reports[0].issuer?.dsSubject == "CN=Utopia DS,C=UT")
    }

    @Test("Q140 Q141 Items and MSO in other forms are reported, their digests over the bytes as sent")
    func forms() throws {
        let open: ([UInt8]) -> [UInt8] = { [$0[0] | 0x1f] + $0.dropFirst() + [0xff] }
        let longer: ([UInt8]) -> [UInt8] = { [$0[0] & 0xe0 | 24, $0[0] & 0x1f] + $0.dropFirst() }
        try expect(.indefiniteItem, presentation { $0.rewriteItem = open })
        try expect(.longerHeadInItem, presentation { $0.rewriteItem = longer })
        try expect(.indefiniteMSO, presentation { $0.rewriteMSO = open })
        try expect(.longerHeadInMSO, presentation { $0.rewriteMSO = longer })
    }

    @Test("A random of 16 bytes is long enough, one of 15 is reported", arguments: [16, 17, 32, 15, 0])
    func random(_ count: Int) throws {
        let presentation = try presentation { $0.random = [UInt8](repeating: 1, count: count) }
        if count < 16 {
            try expect(.shortRandom, presentation)
        } else {
            #expect(try presentation.verified(.strict).reports[0].deviations.isEmpty)
        }
    }

    @Test(
        "Q185 issuing_country is the signer's country, or the document is refused",
        arguments: [
            (Encoded.text("UT"), true), (Encoded.text("UU"), false), (Encoded.text("ut"), false),
            (Encoded.text(""), false),
            (Encoded.unsigned(1), false), ([0xf6], false),
        ])
    func country(_ value: [UInt8], isRight: Bool) throws {
        let presentation = try presentation([.init("issuing_country", value)])
        #expect(
            try presentation.failures()
                == (isRight ? [] : [.failed(.issuingCountry, .issuingCountryMismatch)]))
    }

    @Test("Q185 A letter that Unicode takes for another is another")
    func equivalentLetters() throws {
        let kelvin = "\u{212a}R"
        #expect(kelvin == "KR", "as texts they are equal")
        let issuer = try TestIssuer(
            authority: TestAuthority([(.countryName, "KR"), (.commonName, "I")]),
            names: [(.countryName, "KR"), (.commonName, "DS")])
        for (country, isRight) in [("KR", true), (kelvin, false)] {
            let presentation = try presentation(
                [.init("issuing_country", Encoded.text(country))], issuer: issuer)
            #expect(
                try presentation.failures()
                    == (isRight ? [] : [.failed(.issuingCountry, .issuingCountryMismatch)]))
        }
    }

    @Test("Q185 Another issuing_jurisdiction than the signer's state is reported, none is not")
    func jurisdiction() throws {
        let authority = try TestAuthority([
            (.countryName, "UT"), (.stateOrProvinceName, "UT-1"), (.commonName, "I"),
        ])
        let issuer = try TestIssuer(
            authority: authority,
            names: [(.countryName, "UT"), (.stateOrProvinceName, "UT-1"), (.commonName, "DS")])
        let item = { TestDocument.Item("issuing_jurisdiction", Encoded.text($0)) }
        #expect(
            try presentation([item("UT-1")], issuer: issuer).verified(.strict).reports[0].deviations.isEmpty)
        try expect(.jurisdiction, presentation([item("UT-2")], issuer: issuer))
        #expect(try presentation([item("UT-2")]).verified(.strict).reports[0].deviations.isEmpty)
        #expect(try presentation(issuer: issuer).verified(.strict).documents[0].issuer.state == "UT-1")
    }

    @Test("A signer's deviation is the certificate check's")
    func signerDeviation() throws {
        try expect(
            .dsExtendedKeyUsageNotCritical,
            presentation(
                issuer: TestIssuer {
                    $0.with(.extendedKeyUsage([ObjectIdentifier("1.0.18013.5.1.2")], isCritical: false))
                }))
    }

    @Test("A second response of a remembered signer is judged as the first was")
    func remembered() throws {
        let issuer = try TestIssuer { $0.without(.subjectKeyIdentifier) }
        let store = try issuer.authority.store()
        var bad = try TestDocument([.familyName])
        bad.rewriteMSO = { mso in Array(mso.dropLast()) + [0xff] }
        for document in [try TestDocument([.familyName]), bad, try TestDocument([.familyName])] {
            var presentation = try Presentation(document, issuer: issuer)
            presentation.trust = store
            switch try presentation.verdict() {
            case .verified(let response):
                #expect(response.reports[0].deviations == [.dsSubjectKeyIdentifierMissing])
            case .rejected(let rejected):
                #expect(rejected.allFailures.map(\.id).contains(.mobileSecurityObject))
                #expect(!rejected.allFailures.map(\.id).contains(.issuerCertificate))
            }
        }
    }
}
