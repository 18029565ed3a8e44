internal import PKIX
import CBOR
import MdocModel
import MdocTrust
import OpenSSLCrypto
import TestCredentials
import Testing

@testable import MdocVerification

@Suite("Request and response")
struct RequestMatchTests {
    @Test(
        "Q156 Without a document there is no verdict but rejection",
        arguments: [
            [], [("documents", [0x80])], [("documents", [0xf6])],
            [("documentErrors", [0x81, 0xa1, 0x61, 0x78, 0x00])],
        ] as [[(String, [UInt8])]])
    func noDocuments(_ more: [(String, [UInt8])]) throws {
        var presentation = try Presentation(asking: ["family_name"])
        presentation.moreMembers = more
        let rejected = try presentation.rejected()
        #expect(rejected.failures == [.noDocuments])
        #expect(rejected.reports.isEmpty)
        #expect(rejected.notReturned.contains(.document(docType: TestDocument.mDL, code: nil)))
    }

    @Test(
        "Q156 A status other than 0 rejects, and its checks are shown all the same",
        arguments: [1, 10, 11, 12, 20] as [UInt64])
    func status(_ status: UInt64) throws {
        var presentation = try Presentation(TestDocument([.familyName]))
        presentation.moreMembers = [("status", Encoded.unsigned(status))]
        let rejected = try presentation.rejected()
        #expect(rejected.failures == [.statusNotOK])
        let text = ResponseFailure.statusNotOK.explanation(status: rejected.status)
        #expect(text.contains("status \(status)"))
        #expect(rejected.allFailures.isEmpty)
        #expect(rejected.reports[0].checks.map(\.id) == VerificationRules.interoperable.checks)
        presentation.documents = []
        #expect(try presentation.rejected().failures == [.statusNotOK, .noDocuments])
    }

    @Test("Q228 Errors that cannot be read refuse no document beside them; those that can are reported")
    func unreadableErrors() throws {
        var presentation = try Presentation(TestDocument([.familyName]))
        let readable = Encoded.map([("org.example.a", Encoded.unsigned(0))])
        for broken in [
            Encoded.map([("org.example.b", Encoded.text("0"))]), Encoded.text("x"), Encoded.unsigned(1),
        ] {
            presentation.moreMembers = [("documentErrors", Encoded.array([broken, readable]))]
            let verified = try presentation.verified()
            #expect(verified.reports[0].deviations == [.unreadableErrors])
            #expect(verified.notReturned == [.document(docType: "org.example.a", code: 0)])
            #expect(
                try presentation.failures(.strict) == [
                    .failed(.profile, .deviations([.unreadableErrors]))
                ])
        }
        presentation.moreMembers = [("documentErrors", Encoded.unsigned(1))]
        #expect(try presentation.verified().reports[0].deviations == [.unreadableErrors])
        presentation.moreMembers = [("documentErrors", Encoded.array([readable]))]
        #expect(try presentation.verified().reports[0].deviations == [])
    }

    @Test(
        "Q166 A document in a form that we cannot verify is not skipped as if it were absent",
        arguments: [
            "zkDocuments", "encryptedDocuments", "otherDocuments",
        ])
    func unverifiableDocuments(_ member: String) throws {
        var presentation = try Presentation(TestDocument([.familyName]))
        presentation.moreMembers = [(member, [0xf6])]
        #expect(try presentation.verified().reports[0].deviations == [.nullMember])
        for (value, isThere) in [([0x81, 0xa0], true), ([0x80], false), ([0xa0], true)]
            as [([UInt8], Bool)]
        {
            presentation.moreMembers = [(member, value)]
            guard isThere else {
                _ = try presentation.verified(.strict)
                continue
            }
            let rejected = try presentation.rejected()
            let failure: ResponseFailure =
                member == "encryptedDocuments" ? .documentsEncrypted : .documentsNotVerifiable
            #expect(rejected.failures == [failure])
            #expect(rejected.allFailures.isEmpty)
        }
    }

    @Test("Q156 What did not come is reported: by the mdoc's code, or without one")
    func notReturned() throws {
        var document = try TestDocument([.familyName])
        document.errors = Encoded.map([
            (TestDocument.nameSpace, Encoded.map([("portrait", [0x00]), ("sex", [0x20])]))
        ])
        var presentation = try Presentation(document, asking: ["family_name", "portrait", "sex", "height"])
        presentation.requests?.append(Presentation.request(["x"], docType: "other"))
        presentation.requests?.append(Presentation.request(["x"], docType: "silent"))
        presentation.moreMembers = [("documentErrors", Encoded.array([Encoded.map([("other", [0x05])])]))]
        #expect(
            try Set(presentation.verified().notReturned) == [
                .element(docType: TestDocument.mDL, .mDL("portrait"), code: 0),
                .element(docType: TestDocument.mDL, .mDL("sex"), code: -1),
                .element(docType: TestDocument.mDL, .mDL("height"), code: nil),
                .document(docType: "other", code: 5), .document(docType: "silent", code: nil),
            ])
    }

    @Test("Everything came: nothing is missing")
    func complete() throws {
        #expect(
            try Presentation(TestDocument([.familyName, .portrait])).verified(.strict).notReturned.isEmpty)
    }

    @Test("Q157 Two documents of one type are verified each on its own")
    func twoDocuments() throws {
        let one = try TestDocument([.familyName])
        let other = try TestDocument([.portrait, .init("family_name", Encoded.text("Beispiel"))])
        let response = try Presentation(one, other).verified()
        #expect(
            response.documents.map { $0.elements.map(\.name.identifier) } == [
                ["family_name"], ["portrait", "family_name"],
            ])
        #expect(try response.documents[0].elements[0].value.text() == "Mustermann")
        #expect(try response.documents[1].elements[1].value.text() == "Beispiel")
    }

    @Test("Q157 The same document twice is refused, under either rules")
    func documentTwice() throws {
        let presentation = try Presentation(TestDocument([.familyName]))
        let document = try presentation.documents[0].encoded(
            issuer: presentation.issuer, session: presentation.session)
        let bytes = Encoded.map([
            ("version", Encoded.text("1.0")), ("documents", Encoded.array([document, document])),
            ("status", [0x00]),
        ])
        for rules in [VerificationRules.interoperable, .strict] {
            let rejected = try presentation.rejected(rules, on: bytes)
            #expect(rejected.reports[0].checks.allSatisfy { $0.outcome == .passed })
            #expect(rejected.allFailures == [.failed(.requestMatch, .documentTwice)])
        }
    }

    @Test("If one document fails, the response is rejected; the others show their checks, but no values")
    func oneFails() throws {
        let good = try TestDocument([.familyName])
        var bad = try TestDocument([.familyName])
        bad.validUntil = Encoded.instant("2026-10-30T00:00:00Z")
        for (documents, failing) in [([good, bad], 1), ([bad, good], 0), ([good, bad, good], 1)] {
            var presentation = try Presentation(good)
            presentation.documents = documents
            let rejected = try presentation.rejected()
            #expect(rejected.failures.isEmpty)
            #expect(rejected.reports.count == documents.count)
            for (index, report) in rejected.reports.enumerated() {
                #expect(report.checks.map(\.id) == VerificationRules.interoperable.checks)
                let failed = report.checks.filter { $0.outcome != .passed }
                #expect(failed == (index == failing ? [.failed(.validity, .expired)] : []))
            }
        }
    }

    @Test("One failing check does not hide the others of its document")
    func severalFailures() throws {
        var document = try TestDocument([.familyName, .init("issuing_country", Encoded.text("XX"))])
        document.validUntil = Encoded.instant("2026-10-30T00:00:00Z")
        document.deviceAuth = .none
        document.deviceElements = [.init("x", [0x00])]
        var presentation = try Presentation(document, asking: ["family_name"])
        presentation.issuer = try TestIssuer { $0.without(.keyUsage) }
        #expect(
            try presentation.failures() == [
                .failed(.issuerCertificate, .issuerCertificate(.keyUsageWrong)), .failed(.validity, .expired),
                .failed(.issuingCountry, .issuingCountryMismatch),
                .failed(.deviceAuthentication, .deviceAuthMissing),
                .failed(.keyAuthorizations, .elementNotAuthorized(.mDL("x"))),
                .failed(.requestMatch, .elementNotRequested(.mDL("x"))),
            ])
    }

    @Test("Q158 A portrait that was asked for and did not come is reported, the rest kept")
    func portrait() throws {
        let without = try Presentation(TestDocument([.familyName]), asking: ["family_name", "portrait"])
        let response = try without.verified()
        #expect(response.reports[0].deviations == [.portraitMissing])
        #expect(response.documents[0].elements.count == 1)
        #expect(response.notReturned == [.element(docType: TestDocument.mDL, .mDL("portrait"), code: nil)])
        #expect(try without.failures(.strict) == [.failed(.profile, .deviations([.portraitMissing]))])
        #expect(
            try Presentation(TestDocument([.familyName]), asking: ["family_name"]).verified(.strict).documents
                .count == 1)
        #expect(
            try Presentation(TestDocument([.portrait]), asking: ["family_name", "portrait"]).verified(.strict)
                .documents.count == 1)
    }

    @Test("Q162 Decoy digests change nothing")
    func decoys() throws {
        var document = try TestDocument([.familyName])
        document.decoys = 20
        #expect(try Presentation(document).verified(.strict).documents[0].elements.count == 1)
    }

    @Test(
        "Q163 An element that was not requested is reported, and its value is withheld",
        arguments: [
            TestDocument.Item("given_name", Encoded.text("Erika")),
            .init("family_name", Encoded.text("Erika"), in: "other"),
            .init("Family_name", Encoded.text("Erika")), .init("", Encoded.text("Erika")),
        ])
    func unrequestedElement(_ item: TestDocument.Item) throws {
        let presentation = try Presentation(TestDocument([.familyName, item]), asking: ["family_name"])
        let response = try presentation.verified()
        #expect(response.reports[0].deviations == [.unrequestedElement])
        #expect(response.documents[0].elements.map(\.name) == [.mDL("family_name")])
        #expect(
            try presentation.failures(.strict) == [.failed(.profile, .deviations([.unrequestedElement]))]
        )
    }

    @Test("Q163 Without the request nothing is withheld, and nothing compared")
    func notCompared() throws {
        var presentation = try Presentation(TestDocument([.familyName, .portrait]), asking: [])
        presentation.requests = nil
        #expect(try presentation.verified(.strict).documents[0].elements.count == 2)
    }

    @Test(
        "Q163 Another document type than asked is refused; types compare exactly (Q165)",
        arguments: [
            "org.iso.18013.5.1.mdl", "org.iso.18013.5.1.mDL ", "org.iso.18013.5.1", "",
        ])
    func docType(_ docType: String) throws {
        var presentation = try Presentation(TestDocument([.familyName]))
        presentation.requests = [Presentation.request(["family_name"], docType: docType)]
        #expect(try presentation.failures() == [.failed(.requestMatch, .docTypeNotRequested)])
        presentation.requests = []
        #expect(try presentation.failures() == [.failed(.requestMatch, .docTypeNotRequested)])
        presentation.requests = [
            Presentation.request(["x"], docType: docType), Presentation.request(["family_name"]),
        ]
        #expect(try presentation.verified().documents.count == 1)
    }

    @Test("Q163 An element that occurs twice in a namespace is refused, whether or not it was requested")
    func elementTwice() throws {
        let twice = try TestDocument([.familyName, .init("family_name", Encoded.text("Beispiel"))])
        for requests in [nil, [Presentation.request(["family_name"])], [Presentation.request(["portrait"])]] {
            var presentation = try Presentation(twice)
            presentation.requests = requests
            #expect(
                try presentation.failures() == [.failed(.requestMatch, .elementTwice(.mDL("family_name")))])
        }
        let equivalent = try TestDocument([
            .init("K", Encoded.text("x")), .init("\u{212a}", Encoded.text("y")),
        ])
        var presentation = try Presentation(equivalent)
        presentation.requests = nil
        #expect(try presentation.failures() == [.failed(.requestMatch, .elementTwice(.mDL("K")))])
        let two = try TestDocument([.familyName, .init("family_name", Encoded.text("x"), in: "other")])
        presentation = try Presentation(two)
        presentation.requests = nil
        #expect(try presentation.verified().documents[0].elements.count == 2)
    }
}

@Suite("What the phone says itself")
struct DeviceSignedTests {
    private func presentation(
        authorizing authorizations: [UInt8]?, asking: [String] = ["family_name", "x"],
        elements: [TestDocument.Item] = [.init("x", [0x01])]
    ) throws -> Presentation {
        var document = try TestDocument([.familyName])
        document.keyAuthorizations = authorizations
        document.deviceElements = elements
        return try Presentation(document, asking: asking)
    }

    private static func nameSpaces(_ names: String...) -> (String, [UInt8]) {
        ("nameSpaces", Encoded.array(names.map(Encoded.text)))
    }

    private static func elements(_ nameSpace: String, _ names: String...) -> (String, [UInt8]) {
        ("dataElements", Encoded.map([(nameSpace, Encoded.array(names.map(Encoded.text)))]))
    }

    @Test(
        "Q164 An element that the key was authorised for is handed out as the phone's own",
        arguments: [
            Encoded.map([nameSpaces(TestDocument.nameSpace)]),
            Encoded.map([elements(TestDocument.nameSpace, "y", "x")]),
            Encoded.map([nameSpaces("other"), elements(TestDocument.nameSpace, "x")]),
        ])
    func authorised(_ authorizations: [UInt8]) throws {
        let document = try presentation(authorizing: authorizations).verified(.strict).documents[0]
        #expect(document.elements.map(\.signedBy) == [.issuer, .device])
        #expect(document.elements.map(\.name) == [.mDL("family_name"), .mDL("x")])
    }

    @Test(
        "Q164 A document is refused if the phone asserts an element that the issuer did not authorise",
        arguments: [
            nil, Encoded.map([]), Encoded.map([nameSpaces("other")]),
            Encoded.map([elements(TestDocument.nameSpace, "y")]),
            Encoded.map([elements("other", "x")]), Encoded.map([nameSpaces()]),
            Encoded.map([nameSpaces("org.iso.18013.5")]),
        ] as [[UInt8]?])
    func notAuthorised(_ authorizations: [UInt8]?) throws {
        #expect(
            try presentation(authorizing: authorizations).failures()
                == [.failed(.keyAuthorizations, .elementNotAuthorized(.mDL("x")))])
    }

    @Test("Q164 A namespace authorised whole and by element is a contradiction, used or not")
    func contradictory() throws {
        let both = Encoded.map([Self.nameSpaces("n"), Self.elements("n", "x")])
        #expect(
            try presentation(authorizing: both, elements: []).failures()
                == [.failed(.keyAuthorizations, .keyAuthorizationsContradictory)])
    }

    @Test("Q163 An authorised element that nobody asked for is refused")
    func notRequested() throws {
        let all = Encoded.map([Self.nameSpaces(TestDocument.nameSpace)])
        #expect(
            try presentation(authorizing: all, asking: ["family_name"]).failures()
                == [.failed(.requestMatch, .elementNotRequested(.mDL("x")))])
    }

    @Test("An element that issuer and phone both assert is refused, in one namespace but not across two")
    func both() throws {
        let all = Encoded.map([Self.nameSpaces(TestDocument.nameSpace, "other")])
        let same = try presentation(authorizing: all, elements: [.init("family_name", Encoded.text("X"))])
        #expect(try same.failures() == [.failed(.requestMatch, .elementTwice(.mDL("family_name")))])
        var across = try presentation(
            authorizing: all, elements: [.init("family_name", Encoded.text("X"), in: "other")])
        across.requests = nil
        #expect(try across.verified().documents[0].elements.count == 2)
    }
}
