import CBOR
import MdocModel
import TestCredentials
import Testing

@testable import MdocVerification

@Suite("Documents in date")
struct InDateTests {
    private static let today = day("2026-11-01")

    private static func day(_ text: String) -> FullDate {
        guard let date = DateText(text.utf8) else { preconditionFailure("not a day: \(text)") }
        return date.day
    }

    private func answer(
        _ items: [TestDocument.Item], of docType: String = TestDocument.mDL, on day: FullDate = today
    ) throws -> InDateAnswer {
        var document = try TestDocument(items)
        document.docType = docType
        var presentation = try Presentation(document)
        presentation.requests = nil
        return try presentation.verified().documents[0].isInDate(on: day)
    }

    private func answer(_ expiry: [UInt8], on day: FullDate = today) throws -> InDateAnswer {
        try answer([.init("expiry_date", expiry)], on: day)
    }

    @Test("A day counts to its end at the premises")
    func dayAtThePremises() throws {
        let last = Encoded.day("2026-11-01")
        #expect(try answer(last) == .yes(until: Self.today))
        #expect(try answer(last, on: Self.day("2026-10-31")) == .yes(until: Self.today))
        #expect(try answer(last, on: Self.day("2026-11-02")) == .no(expiredOn: Self.today))
    }

    @Test("An instant is compared with the time of verification, whatever the day at the premises")
    func instant() throws {
        // Verified at 12:00:00 in UTC, when it is the next day in Auckland already.
        for day in [Self.today, Self.day("2026-11-02")] {
            #expect(try answer(Encoded.instant("2026-11-01T12:00:01Z"), on: day) == .yes(until: day))
            #expect(
                try answer(Encoded.instant("2026-11-01T11:59:59Z"), on: day) == .no(expiredOn: Self.today))
        }
    }

    @Test(
        "What did not come, came from the phone itself or in another namespace, or is no date tells nothing")
    func unknown() throws {
        #expect(try answer([.familyName]) == .cannotTell(.notReturned))
        let elsewhere = TestDocument.Item("expiry_date", Encoded.day("2030-01-01"), in: "org.example")
        #expect(try answer([elsewhere]) == .cannotTell(.notReturned))
        for value in [Encoded.text("never"), [0xf6], Encoded.unsigned(2030), Encoded.boolean(true)] {
            #expect(try answer(value) == .cannotTell(.malformed))
        }
    }

    @Test(
        "The date is that of the namespace of the document's type",
        arguments: [
            ("org.iso.23220.photoid.1", "org.iso.23220.1"),
            ("eu.europa.ec.eudi.pid.1", "eu.europa.ec.eudi.pid.1"),
            ("org.example.card.1", "org.example.card.1"),
        ])
    func otherTypes(_ docType: String, nameSpace: String) throws {
        let past = TestDocument.Item("expiry_date", Encoded.day("2025-01-01"), in: nameSpace)
        #expect(try answer([past], of: docType) == .no(expiredOn: Self.day("2025-01-01")))
        let elsewhere = TestDocument.Item("expiry_date", past.value, in: "org.example")
        #expect(try answer([elsewhere], of: docType) == .no(expiredOn: Self.day("2025-01-01")))
    }

    @Test(
        "Of a type that is not known every expiry date counts, in whatever namespace, and any that is past refutes"
    )
    func unknownType() throws {
        let future = TestDocument.Item("expiry_date", Encoded.day("2030-01-01"), in: "org.iso.7367.1")
        let past = TestDocument.Item("expiry_date", Encoded.day("2025-01-01"), in: "org.example")
        let type = "org.iso.7367.1.mVRC"
        #expect(try answer([future], of: type) == .yes(until: Self.day("2030-01-01")))
        #expect(try answer([future, past], of: type) == .no(expiredOn: Self.day("2025-01-01")))
        #expect(try answer([future], of: "org.iso.23220.photoid.1") == .cannotTell(.notReturned))
    }

    @Test("The answer does not print the date")
    func redacted() throws {
        #expect(!"\(try answer(Encoded.day("2031-07-09")))".contains("2031"))
    }
}
