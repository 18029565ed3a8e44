import CBOR
import MdocModel
import TestCredentials
import Testing

@testable import MdocVerification

@Suite("Age by other evidence")
struct AgeEvidenceTests {
    private static let today = FullDate(year: 2026, month: 11, day: 1)

    private func answer(
        _ years: Int, _ items: [TestDocument.Item], accepting evidence: AgeEvidence = .birthDate,
        on day: FullDate? = today
    ) throws -> AgeAnswer {
        var presentation = try Presentation(TestDocument(items))
        presentation.requests = nil
        return try presentation.verified().documents[0].isAgeAtLeast(
            years, accepting: evidence, on: #require(day))
    }

    private func birth(_ text: String) -> TestDocument.Item { .init("birth_date", Encoded.day(text)) }
    private let stated = TestDocument.Item("age_in_years", Encoded.unsigned(20))

    @Test("Q160 Attestation, age in years, birth date: each counts only where it is accepted, in this order")
    func order() throws {
        let items = [stated, birth("1990-01-01")]
        #expect(try answer(21, items, accepting: .attestation) == .cannotTell(.noAttestation))
        #expect(try answer(21, items, accepting: .ageInYears) == .cannotTell(.asOfIssue))
        #expect(try answer(20, items) == .yes(by: .mDL("age_in_years")))
        #expect(try answer(21, items) == .yes(by: .mDL("birth_date")))
        #expect(try answer(21, [birth("1990-01-01")]) == .yes(by: .mDL("birth_date")))
        #expect(
            try answer(21, [birth("1990-01-01")], accepting: .ageInYears) == .cannotTell(.noAttestation))
    }

    @Test("Q160 An attestation that answers is not questioned by a number")
    func attestationFirst() throws {
        #expect(try answer(21, [.age(21, true), stated]) == .yes(by: .mDL("age_over_21")))
        #expect(try answer(21, [.age(21, false), stated]) == .no(by: .mDL("age_over_21")))
        #expect(try answer(21, [.age(18, true), stated]) == .cannotTell(.asOfIssue))
        #expect(
            try answer(20, [.age(21, true), .age(18, false), stated]) == .cannotTell(.contradictory))
    }

    @Test("Q223 An age in years is as of the day of issue: it proves, and never refutes")
    func asOfIssue() throws {
        for years in [21, 22, 99] {
            #expect(try answer(years, [stated], accepting: .ageInYears) == .cannotTell(.asOfIssue))
            #expect(try answer(years, [stated, birth("2020-01-01")]) == .no(by: .mDL("birth_date")))
        }
        for years in [0, 18, 20] {
            #expect(try answer(years, [stated], accepting: .ageInYears) == .yes(by: .mDL("age_in_years")))
        }
        #expect(try answer(18, [birth("1990-01-01")]) == .yes(by: .mDL("birth_date")))
        #expect(
            try answer(21, [.init("age_birth_year", Encoded.unsigned(2020))])
                == .cannotTell(.noAttestation))
    }

    @Test("Two proofs of age that contradict one another are no answer, whichever comes first")
    func contradictory() throws {
        let young = birth("2010-01-01")
        let old = birth("1990-01-01")
        for items in [
            [.age(20, false), stated], [stated, .age(18, false)], [.age(21, true), young], [stated, young],
            [.age(20, false), old], [old, .age(20, false)], [.age(20, false), stated, young],
        ] {
            #expect(try answer(20, items) == .cannotTell(.contradictory))
        }
    }

    @Test(
        "An attestation that was false when it was signed, and is outdated by the birth date, refutes nothing"
    )
    func outdatedAttestation() throws {
        // Signed on 20 October 2026.
        let name = ElementName.mDL("birth_date")
        #expect(try answer(21, [.age(21, false), birth("2005-10-25")]) == .yes(by: name))
        #expect(try answer(21, [.age(21, false), birth("2005-10-20")]) == .cannotTell(.contradictory))
        #expect(try answer(21, [.age(21, false), birth("2005-11-02")]) == .no(by: .mDL("age_over_21")))
        #expect(
            try answer(21, [.age(21, false), birth("2005-10-25")], accepting: .ageInYears)
                == .no(by: .mDL("age_over_21")))
    }

    @Test("One unreadable proof of age does not silence a readable one beside it")
    func unreadableBeside() throws {
        let text = TestDocument.Item("birth_date", Encoded.text("soon"))
        #expect(try answer(20, [text, stated]) == .yes(by: .mDL("age_in_years")))
        #expect(
            try answer(20, [.init("age_over_20", Encoded.text("true")), stated])
                == .yes(by: .mDL("age_in_years")))
    }

    @Test(
        "Q161 A birthday is one on the day of the premises, and not the day before",
        arguments: [
            ("2005-11-01", 21, true), ("2005-11-02", 21, false), ("2005-10-31", 21, true),
            ("2026-11-01", 0, true), ("2026-11-02", 0, false),
        ])
    func birthday(_ born: String, years: Int, isOver: Bool) throws {
        let name = ElementName.mDL("birth_date")
        #expect(try answer(years, [birth(born)]) == (isOver ? .yes(by: name) : .no(by: name)))
    }

    @Test("Q161 A person born on 29 February is a year older on 1 March")
    func leapDay() throws {
        let item = birth("2004-02-29")
        let march = FullDate(year: 2022, month: 3, day: 1)
        let february = FullDate(year: 2022, month: 2, day: 28)
        #expect(try answer(18, [item], on: march) == .yes(by: .mDL("birth_date")))
        #expect(try answer(18, [item], on: february) == .no(by: .mDL("birth_date")))
    }

    @Test("A photo ID's birth date may be in a map, and is not computed with where a part of it is unknown")
    func birthDateMap() throws {
        let plain = Encoded.map([("birth_date", Encoded.day("1990-01-01"))])
        let masked = Encoded.map([
            ("birth_date", Encoded.day("1990-01-01")), ("approximate_mask", Encoded.text("00001111")),
        ])
        #expect(try answer(21, [.init("birth_date", plain)]) == .yes(by: .mDL("birth_date")))
        let answer = try answer(21, [.init("birth_date", masked)])
        #expect(!answer.isYes && answer.reason.contains("birth_date is approximate"), "\(answer.reason)")
        #expect(try self.answer(20, [.init("birth_date", masked), stated]) == .yes(by: .mDL("age_in_years")))
        #expect(try self.answer(21, [.init("birth_date", masked), stated]) == .cannotTell(.asOfIssue))
        #expect(
            try self.answer(21, [.init("birth_date", masked), .age(21, true)])
                == .yes(by: .mDL("age_over_21")))
    }

    @Test(
        "What is no age and no day proves nothing",
        arguments: [
            TestDocument.Item("age_in_years", Encoded.text("40")), .init("age_in_years", [0x20]),
            .init("birth_date", Encoded.text("long ago")),
            .init("birth_date", Encoded.instant("1990-01-01T00:00:00Z")), .init("birth_date", [0xf6]),
        ])
    func malformed(_ item: TestDocument.Item) throws {
        guard case .cannotTell(.wrongType(.mDL(item.identifier), _)) = try answer(18, [item]) else {
            Issue.record("it is said to prove something, or not to have come")
            return
        }
    }

    @Test("An age that no human reaches proves nothing, and is named")
    func tooOld() throws {
        for (item, words) in [
            (TestDocument.Item("age_in_years", Encoded.unsigned(201)), "is more than 200 years"),
            (.init("age_in_years", Encoded.unsigned(65535)), "is more than 200 years"),
            (birth("0001-01-01"), "is more than 200 years"), (birth("1825-11-01"), "is more than 200 years"),
        ] {
            let answer = try answer(18, [item])
            #expect(!answer.isYes, "\(answer)")
            let reason = answer.reason
            #expect(reason.hasPrefix("org.iso.18013.5.1/\(item.identifier) \(words)"), "\(reason)")
            #expect(try self.answer(18, [item, .age(18, true)]) == .yes(by: .mDL("age_over_18")))
            #expect(try self.answer(18, [item, .age(18, false)]) == .no(by: .mDL("age_over_18")))
            #expect(try self.answer(18, [item], accepting: .attestation) == .cannotTell(.noAttestation))
        }
        #expect(
            try answer(18, [.init("age_in_years", Encoded.unsigned(200))]) == .yes(by: .mDL("age_in_years")))
        #expect(try answer(18, [birth("1825-11-02")]) == .yes(by: .mDL("birth_date")))
    }

    @Test("Q160 What was offered as an alternative is handed out; what was not is withheld")
    func alternatives() throws {
        var presentation = try Presentation(TestDocument([stated]), asking: ["age_over_18"])
        #expect(try presentation.verified().documents[0].elements.isEmpty)
        let asked = presentation.requests?[0].nameSpaces ?? []
        presentation.requests = [
            ItemsRequest(
                docType: TestDocument.mDL, nameSpaces: asked,
                alternatives: [
                    AlternativeDataElements(
                        requestedElement: .mDL("age_over_18"), sets: [[.mDL("age_in_years")]])
                ])
        ]
        let verified = try presentation.verified(.strict).documents[0]
        #expect(verified.elements.map(\.name) == [.mDL("age_in_years")])
        #expect(
            verified.isAgeAtLeast(18, accepting: .ageInYears, on: try #require(Self.today))
                == .yes(by: .mDL("age_in_years")))
    }
}

extension AgeAnswer {
    fileprivate var isYes: Bool {
        if case .yes = self { true } else { false }
    }
}
