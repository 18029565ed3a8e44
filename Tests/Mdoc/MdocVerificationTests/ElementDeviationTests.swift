import MdocModel
import PKIX
import TestCredentials
import Testing

@testable import MdocVerification

@Suite("Elements that depart from the data model")
struct ElementDeviationTests {
    private static func privileges(until: [UInt8]) -> TestDocument.Item {
        .init(
            "driving_privileges",
            Encoded.array([
                Encoded.map([("vehicle_category_code", Encoded.text("B")), ("expiry_date", until)])
            ]))
    }

    struct Row: Sendable {
        let item: TestDocument.Item
        let deviation: Deviation?
    }

    private static let rows = [
        Row(item: .init("birth_date", Encoded.day("1990-02-28")), deviation: nil),
        Row(item: .init("birth_date", Encoded.text("1990-02-28")), deviation: .dateFormInElement),
        Row(item: .init("portrait_capture_date", Encoded.text("2025-02-28")), deviation: .dateFormInElement),
        Row(item: privileges(until: Encoded.day("2030-01-01")), deviation: nil),
        Row(item: privileges(until: Encoded.text("2030-01-01")), deviation: .dateFormInElement),
        Row(item: privileges(until: Encoded.instant("2030-01-01T00:00:00Z")), deviation: .dateFormInElement),
        Row(item: .init("sex", Encoded.unsigned(7)), deviation: .elementForm),
        Row(item: .init("eye_colour", Encoded.text("Blue")), deviation: .elementForm),
        Row(item: .init("age_over_21", Encoded.text("true")), deviation: .elementWrongType),
        Row(item: .init("age_in_years", Encoded.text("40")), deviation: .elementWrongType),
        Row(item: .init("height", Encoded.text("171 cm")), deviation: .elementWrongType),
        Row(item: .init("family_name", Encoded.text("")), deviation: .elementWrongType),
        Row(item: .init("signature_usual_mark", Encoded.bytes([])), deviation: .elementWrongType),
        Row(item: .init("shoe_size", Encoded.text("44")), deviation: nil),
    ]

    @Test(
        "Each departure is reported and accepted; strict rules refuse it, and change no fact", arguments: rows
    )
    func departures(_ row: Row) throws {
        let presentation = try Presentation(
            TestDocument([row.item, .init("expiry_date", Encoded.day("2026-11-30"))]))
        let report = try presentation.verified().reports[0]
        #expect(report.deviations == [row.deviation].compactMap(\.self))
        guard let deviation = row.deviation else {
            #expect(try presentation.verified(.strict).reports[0].deviations.isEmpty)
            return
        }
        let rejected = try presentation.rejected(.strict)
        #expect(rejected.allFailures == [.failed(.profile, .deviations([deviation]))])
        #expect(rejected.reports[0].parts == report.parts)
        #expect(report.parts.authentic == .yes && report.parts.documentCurrent == .yes)
    }

    @Test("What strict rules refuse of a signer leaves signature, revocation and currency as they were found")
    func signer() throws {
        let issuer = try TestIssuer { $0.without(.subjectKeyIdentifier) }
        let presentation = try Presentation(
            TestDocument([.init("expiry_date", Encoded.day("2026-10-30"))]), issuer: issuer)
        let parts = try presentation.verified().reports[0].parts
        let rejected = try presentation.rejected(.strict)
        #expect(rejected.allFailures == [.failed(.profile, .deviations([.dsSubjectKeyIdentifierMissing]))])
        #expect(rejected.reports[0].parts == parts)
        #expect(parts.documentCurrent == .no && parts.revocation == rejected.reports[0].revocation)
    }

    @Test("Strict rules list every deviation beside a check that failed; other rules have no such check")
    func profile() throws {
        var document = try TestDocument([.init("birth_date", Encoded.text("1990-02-28"))])
        document.validUntil = Encoded.instant("2026-10-30T00:00:00Z")
        let presentation = try Presentation(document)
        #expect(try presentation.failures() == [.failed(.validity, .expired)])
        #expect(
            try presentation.failures(.strict) == [
                .failed(.validity, .expired), .failed(.profile, .deviations([.dateFormInElement])),
            ])
        #expect(VerificationRules.strict.checks == CheckID.allCases)
        #expect(VerificationRules.interoperable.checks == CheckID.allCases.filter { $0 != .profile })
    }

    @Test("Nothing is known of the elements of another document type, so nothing departs")
    func otherType() throws {
        var document = try TestDocument([.init("birth_date", Encoded.unsigned(1))])
        document.docType = "org.example.club.1"
        var presentation = try Presentation(document)
        presentation.requests = nil
        #expect(try presentation.verified(.strict).reports[0].deviations.isEmpty)
    }
}

@Suite("Days and instants")
struct DayAndInstantTests {
    @Test(
        "Q226 A licence issued on a day that has begun somewhere on earth is not issued after its validFrom",
        arguments: [
            (Encoded.day("2026-11-28"), "2026-11-27T10:00:00Z", false),
            (Encoded.day("2026-11-28"), "2026-11-27T09:59:59Z", true),
            (Encoded.day("2026-11-28"), "2026-11-28T22:00:00Z", false),
            (Encoded.day("2026-11-29"), "2026-11-27T22:00:00Z", true),
            (Encoded.instant("2026-11-27T22:00:01Z"), "2026-11-27T22:00:00Z", true),
        ])
    func issueDate(_ value: [UInt8], validFrom: String, isLate: Bool) throws {
        var document = try TestDocument([.init("issue_date", value)])
        document.signed = Encoded.instant(validFrom)
        document.validFrom = Encoded.instant(validFrom)
        var presentation = try Presentation(document)
        presentation.now = "2026-11-29T12:00:00Z"
        #expect(
            try presentation.verified().reports[0].deviations == (isLate ? [.issuedAfterValidFrom] : []))
    }

    @Test(
        "Q226 An MSO that is valid from a day is valid once the day has begun somewhere on earth",
        arguments: [("2026-10-30T10:00:00Z", true), ("2026-10-30T09:59:59Z", false)])
    func validFrom(_ now: String, isValid: Bool) throws {
        var document = try TestDocument([.familyName])
        document.validFrom = Encoded.day("2026-10-31")
        var presentation = try Presentation(document)
        presentation.now = now
        presentation.clockSkew = 0
        #expect(try presentation.failures() == (isValid ? [] : [.failed(.validity, .notYetValid)]))
    }

    @Test("The first and the last instant of a day are those of UTC+14 and UTC−12")
    func ends() throws {
        let day = try #require(DateText("2026-11-28".utf8))
        #expect("\(day.earliest)" == "2026-11-27T10:00:00Z")
        #expect("\(day.latest)" == "2026-11-29T11:59:59Z")
        let instant = try #require(DateText("2026-11-28T00:00:00Z".utf8))
        #expect(instant.earliest == instant.latest)
    }
}

@Suite("Evidence of the wrong type")
struct WrongTypeTests {
    @Test(
        "Q224 An age of the wrong type is named as such, not as absent",
        arguments: [
            ("age_over_21", Encoded.text("true"), "is a text, not a boolean"),
            ("age_over_21", Encoded.unsigned(1), "is an integer, not a boolean"),
            ("age_over_21", [0xf6], "is null, not a boolean"),
            ("age_in_years", Encoded.text("40"), "is a text, not an integer"),
            ("birth_date", Encoded.text("soon"), "is a text that is not a date, not a date"),
            ("birth_date", Encoded.unsigned(1990), "is an integer, not a date"),
            ("birth_date", Encoded.instant("1990-01-01T00:00:00Z"), "is a date with a time, not a date"),
        ])
    func ages(_ identifier: String, value: [UInt8], words: String) throws {
        let document = try Presentation(TestDocument([.init(identifier, value)])).verified().documents[0]
        let day = try #require(FullDate(year: 2026, month: 11, day: 1))
        let answer = document.isAgeAtLeast(21, accepting: .birthDate, on: day)
        #expect(answer.reason == "org.iso.18013.5.1/\(identifier) \(words)")
        guard case .cannotTell(.wrongType) = answer else {
            Issue.record("\(answer)")
            return
        }
    }

    @Test(
        "Q224 Beside an element of the wrong type a good one answers, and no element is said not to have come"
    )
    func besideGood() throws {
        let wrong = TestDocument.Item("age_over_18", Encoded.text("true"))
        let document = try Presentation(TestDocument([wrong, .age(21, true)])).verified().documents[0]
        #expect(document.isAgeAtLeast(18) == .yes(by: .mDL("age_over_21")))
        let none = try Presentation(TestDocument([.familyName])).verified().documents[0]
        #expect(none.isAgeAtLeast(18) == .cannotTell(.noAttestation))
    }

    @Test("Empty numbers and portraits that are no pictures bind no two documents to one holder")
    func holder() throws {
        let issuer = try TestIssuer()
        func answer(_ item: TestDocument.Item) throws -> VerifiedResponse {
            var presentation = try Presentation(TestDocument([item]), issuer: issuer)
            presentation.requests = nil
            return try presentation.verified()
        }
        for item in [
            TestDocument.Item("document_number", Encoded.text("")), .init("document_number", [0xf6]),
            .init("portrait", Encoded.bytes([])), .init("portrait", [0xf6]),
        ] {
            #expect(try !answer(item).isOfHolder(of: answer(item)))
        }
        let number = TestDocument.Item("document_number", Encoded.text("UT-1"))
        #expect(try answer(number).isOfHolder(of: answer(number)))
        #expect(try answer(.portrait).isOfHolder(of: answer(.portrait)))
    }
}

@Suite("The country of other documents")
struct OtherCountryTests {
    private func presentation(
        _ docType: String, in nameSpace: String, country: String = "XX"
    ) throws -> Presentation {
        var document = try TestDocument([
            .init("issuing_country", Encoded.text(country), in: nameSpace)
        ])
        document.docType = docType
        var presentation = try Presentation(document)
        presentation.requests = nil
        return presentation
    }

    @Test(
        "Q227 Another country outside the licence's own namespace is a deviation, and the same country is not",
        arguments: [
            ("org.iso.18013.5.1.mDL", "org.iso.18013.5.1.UT"),
            ("eu.europa.ec.eudi.pid.1", "eu.europa.ec.eudi.pid.1"),
            ("org.iso.23220.photoid.1", "org.iso.23220.1"), ("org.example.park.1", "org.example.park.1"),
            ("org.example.park.1", "org.iso.18013.5.1"),
        ])
    func elsewhere(_ docType: String, nameSpace: String) throws {
        let other = try presentation(docType, in: nameSpace)
        #expect(try other.verified().reports[0].deviations == [.issuingCountry])
        #expect(try other.verified().reports[0].parts.authentic == .yes)
        #expect(try other.failures(.strict) == [.failed(.profile, .deviations([.issuingCountry]))])
        #expect(
            try presentation(docType, in: nameSpace, country: "UT").verified(.strict).reports[0].deviations
                .isEmpty)
    }

    @Test("Q227 Another country in the licence's own namespace refuses the licence")
    func licence() throws {
        let other = try presentation(TestDocument.mDL, in: TestDocument.nameSpace)
        #expect(try other.failures() == [.failed(.issuingCountry, .issuingCountryMismatch)])
    }
}
