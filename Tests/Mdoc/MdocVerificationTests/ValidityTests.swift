import MdocModel
import TestCredentials
import Testing

@testable import MdocVerification

@Suite("Validity")
struct ValidityTests {
    private func presentation(
        signed: String = "2026-10-20T00:00:00Z", from: String = "2026-10-25T00:00:00Z",
        until: String = "2026-12-20T00:00:00Z", now: String = "2026-11-01T12:00:00Z", skew: Int64 = 60
    ) throws -> Presentation {
        var document = try TestDocument([.familyName])
        document.signed = Encoded.instant(signed)
        document.validFrom = Encoded.instant(from)
        document.validUntil = Encoded.instant(until)
        var presentation = try Presentation(document)
        presentation.now = now
        presentation.clockSkew = skew
        return presentation
    }

    @Test(
        "Q186 Q187 An MSO is valid from validFrom to validUntil to the second, plus the permitted clock skew",
        arguments: [
            ("2026-10-24T23:58:59Z", 60, CheckFailure.notYetValid), ("2026-10-24T23:59:00Z", 60, nil),
            ("2026-10-24T23:59:59Z", 0, .notYetValid), ("2026-10-25T00:00:00Z", 0, nil),
            ("2026-12-20T00:00:00Z", 0, nil),
            ("2026-12-20T00:00:01Z", 0, .expired), ("2026-12-20T00:01:00Z", 60, nil),
            ("2026-12-20T00:01:01Z", 60, .expired),
            ("2026-10-24T23:00:00Z", 3600, nil), ("2026-10-24T22:59:59Z", 3600, .notYetValid),
            ("2027-03-01T00:00:00Z", 60, .expired),
        ] as [(String, Int64, CheckFailure?)])
    func boundaries(_ now: String, skew: Int64, failure: CheckFailure?) throws {
        let failures = try presentation(now: now, skew: skew).failures()
        #expect(failures == [failure].compactMap(\.self).map { .failed(.validity, $0) })
    }

    @Test("Q186 The default skew is 60 seconds")
    func defaultSkew() {
        #expect(VerificationPolicy().clockSkew == 60)
        #expect(VerificationPolicy().rules == .interoperable)
    }

    @Test(
        "The order is signed, validFrom, validUntil; the skew stretches none of it",
        arguments: [
            ("2026-10-25T00:00:00Z", "2026-10-25T00:00:00Z", "2026-12-20T00:00:00Z", true),
            ("2026-10-25T00:00:01Z", "2026-10-25T00:00:00Z", "2026-12-20T00:00:00Z", false),
            ("2026-10-20T00:00:00Z", "2026-11-01T12:00:00Z", "2026-11-01T12:00:00Z", false),
            ("2026-10-20T00:00:00Z", "2026-11-01T12:00:00Z", "2026-11-01T12:00:01Z", true),
            ("2026-10-20T00:00:00Z", "2026-11-01T12:00:01Z", "2026-11-01T12:00:00Z", false),
        ])
    func order(_ signed: String, from: String, until: String, isValid: Bool) throws {
        let failures = try presentation(signed: signed, from: from, until: until).failures()
        #expect(failures == (isValid ? [] : [.failed(.validity, .validityContradictory)]))
    }

    @Test(
        "Q220 The MSO was signed while its signer's certificate was valid, to the second",
        arguments: [
            (-1, false), (0, true), (330 * 86_400, true), (330 * 86_400 + 1, false),
        ] as [(Int64, Bool)])
    func signedWithinCertificate(_ offset: Int64, isWithin: Bool) throws {
        // The signer is valid from 30 days before now to 300 days after.
        let start = Timestamp(secondsSince1970: TestAuthority.now - 30 * TestAuthority.day)
        let signed = start.advanced(bySeconds: offset).description
        var document = try TestDocument([.familyName])
        document.signed = Encoded.instant(signed)
        document.validFrom = Encoded.instant(signed)
        document.validUntil = Encoded.instant("2029-01-01T00:00:00Z")
        var presentation = try Presentation(document)
        presentation.now = start.advanced(bySeconds: min(max(offset, 0), 330 * 86_400)).description
        let failures = try presentation.failures()
        let end = start.advanced(bySeconds: 330 * 86_400)
        let failure = CheckFailure.signedOutsideCertificateValidity(
            signed: start.advanced(bySeconds: offset), from: start, until: end)
        #expect(failures == (isWithin ? [] : [.failed(.validity, failure)]))
        guard !isWithin else { return }
        #expect(
            failures.map(\.reason) == [offset < 0 ? .signedBeforeCertificate : .signedAfterCertificate])
        #expect(failure.explanation.contains(signed))
        #expect(failure.explanation.contains((offset < 0 ? start : end).description))
    }

    @Test("An update that was expected long ago is no reason to refuse")
    func expectedUpdate() throws {
        var document = try TestDocument([.familyName])
        document.expectedUpdate = Encoded.instant("2026-10-21T00:00:00Z")
        let response = try Presentation(document).verified(.strict)
        #expect(
            response.documents[0].validityInfo.expectedUpdate?.instant.description == "2026-10-21T00:00:00Z")
    }

    @Test(
        "Q143 Q144 Q188 Dates of other forms are read as instants in UTC, told, and refused when strict",
        arguments: [
            Encoded.instant("2026-12-20T00:00:00.5Z"), Encoded.instant("2026-12-20T02:00:00+02:00"),
            Encoded.text("2026-12-20T00:00:00Z"), Encoded.tagged(1004, Encoded.text("2026-12-20T00:00:00Z")),
            Encoded.day("2026-12-20"), Encoded.text("2026-12-20"),
        ])
    func forms(_ until: [UInt8]) throws {
        var document = try TestDocument([.familyName])
        document.validUntil = until
        var presentation = try Presentation(document)
        for (now, isValid) in [("2026-12-20T00:01:00Z", true), ("2026-12-20T00:01:01Z", false)] {
            presentation.now = now
            guard isValid else {
                #expect(try presentation.failures() == [.failed(.validity, .expired)])
                continue
            }
            #expect(try presentation.verified().reports[0].deviations == [.dateFormInMSO])
            #expect(try presentation.failures(.strict) == [.failed(.profile, .deviations([.dateFormInMSO]))])
        }
    }
}

@Suite("Whether the document is in date")
struct DocumentCurrencyTests {
    private func currency(_ value: [UInt8]?, at now: String, in nameSpace: String = TestDocument.nameSpace)
        throws -> DocumentCurrency
    {
        let item = value.map { TestDocument.Item("expiry_date", $0, in: nameSpace) }
        var presentation = try Presentation(TestDocument([.familyName] + [item].compactMap(\.self)))
        presentation.requests = nil
        presentation.now = now
        return try presentation.verified().documents[0].isCurrent
    }

    @Test(
        "A day counts to its end, an instant to its second",
        arguments: [
            (Encoded.day("2026-11-01"), "2026-11-01T00:00:00Z", DocumentCurrency.yes),
            (Encoded.day("2026-11-01"), "2026-11-01T23:59:59Z", .yes),
            (Encoded.day("2026-11-01"), "2026-11-02T00:00:00Z", .no),
            (Encoded.day("2026-11-30"), "2026-11-01T12:00:00Z", .yes),
            (Encoded.day("2020-01-01"), "2026-11-01T12:00:00Z", .no),
            (Encoded.instant("2026-11-01T12:00:00Z"), "2026-11-01T12:00:00Z", .yes),
            (Encoded.instant("2026-11-01T12:00:00Z"), "2026-11-01T12:00:01Z", .no),
            (Encoded.text("2026-11-01"), "2026-11-01T12:00:00Z", .yes),
            (Encoded.instant("2026-11-01"), "2026-11-02T00:00:00Z", .no),
            (Encoded.tagged(1004, Encoded.text("2026-11-01T12:00:00Z")), "2026-11-01T12:00:00Z", .yes),
        ])
    func days(_ value: [UInt8], now: String, expected: DocumentCurrency) throws {
        #expect(try currency(value, at: now) == expected)
    }

    @Test(
        "Q143 Without a date, or with what is none, it is unknown: and the MSO stays valid",
        arguments: [
            nil, Encoded.text("never"), [0x00], [0xf6], Encoded.bytes([1]), Encoded.day("2026-02-30"),
            Encoded.instant(""),
        ] as [[UInt8]?])
    func unknown(_ value: [UInt8]?) throws {
        #expect(try currency(value, at: "2026-11-01T12:00:00Z") == .unknown)
    }

    @Test(
        "Only the date in the namespace of the document's type shows validity; a past date in any namespace refutes it",
        arguments: [
            (TestDocument.mDL, ["org.iso.18013.5.1.aamva"], false),
            (TestDocument.mDL, ["org.iso.18013.5.1.aamva", "org.iso.18013.5.1"], true),
            (TestDocument.mDL, ["org.iso.18013.5.1", "org.iso.18013.5.1.aamva"], true),
            ("org.iso.23220.photoID.1", ["org.iso.23220.photoID.1", "org.iso.23220.1"], true),
            ("org.iso.23220.photoID.1", ["org.iso.23220.photoID.1"], false),
            ("eu.europa.ec.eudi.pid.1", ["org.iso.23220.1", "eu.europa.ec.eudi.pid.1"], true),
            ("eu.europa.ec.eudi.pid.1", ["org.iso.23220.1"], false),
        ])
    func ownNameSpace(_ docType: String, nameSpaces: [String], hasOwn: Bool) throws {
        let own = ElementName.inMainNameSpace("expiry_date", of: docType).nameSpace
        for (elsewhere, expected) in [
            ("2020-01-01", DocumentCurrency.no), ("2030-01-01", hasOwn ? .yes : .unknown),
        ] {
            var document = try TestDocument(
                nameSpaces.map { nameSpace in
                    let day = nameSpace == own ? "2026-11-30" : elsewhere
                    return .init("expiry_date", Encoded.day(day), in: nameSpace)
                })
            document.docType = docType
            var presentation = try Presentation(document)
            presentation.requests = nil
            let response = try presentation.verified()
            #expect(response.documents[0].isCurrent == expected)
            #expect(response.reports[0].parts.documentCurrent == expected)
        }
    }

    @Test("Q161 A day counts to its end at the premises, in the report as in the answer")
    func premises() throws {
        var presentation = try Presentation(TestDocument([.init("expiry_date", Encoded.day("2026-11-01"))]))
        for (day, expected) in [(1, DocumentCurrency.yes), (2, .no)] {
            let today = try #require(FullDate(year: 2026, month: 11, day: day))
            presentation.day = today
            let response = try presentation.verified()
            #expect(response.documents[0].isCurrent == expected)
            #expect(response.reports[0].parts.documentCurrent == expected)
            #expect(DocumentCurrency(response.documents[0].isInDate(on: today)) == expected)
        }
    }

    @Test("A document out of date is verified all the same: that is another question than the MSO's validity")
    func expiredDocument() throws {
        let presentation = try Presentation(TestDocument([.init("expiry_date", Encoded.day("2020-01-01"))]))
        #expect(try presentation.verified(.strict).documents[0].isCurrent == .no)
    }

    @Test(
        "Q143 Another form of issue or expiry date is reported",
        arguments: [
            ("expiry_date", Encoded.text("2026-11-01")), ("issue_date", Encoded.text("2026-10-01")),
            ("issue_date", Encoded.instant("2026-10-01")),
            ("expiry_date", Encoded.instant("2026-11-01T00:00:00.5Z")),
        ])
    func dateForm(_ identifier: String, value: [UInt8]) throws {
        let presentation = try Presentation(TestDocument([.init(identifier, value)]))
        #expect(try presentation.verified().reports[0].deviations == [.dateFormInElement])
        #expect(
            try presentation.failures(.strict) == [
                .failed(.profile, .deviations([.dateFormInElement]))
            ])
    }

    @Test(
        "An issue date after validFrom is reported, on the day and before it is not",
        arguments: [
            (Encoded.day("2026-10-20"), false), (Encoded.day("2026-10-21"), true),
            (Encoded.day("2026-10-19"), false),
            (Encoded.instant("2026-10-20T00:00:00Z"), false), (Encoded.instant("2026-10-20T00:00:01Z"), true),
        ])
    func issueDate(_ value: [UInt8], isLate: Bool) throws {
        let presentation = try Presentation(TestDocument([.init("issue_date", value)]))
        #expect(try presentation.verified().reports[0].deviations == (isLate ? [.issuedAfterValidFrom] : []))
    }
}
