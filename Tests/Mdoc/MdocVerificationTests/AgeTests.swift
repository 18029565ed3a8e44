import MdocModel
import TestCredentials
import Testing

@testable import MdocVerification

@Suite("Age")
struct AgeTests {
    private func document(_ items: [TestDocument.Item]) throws -> VerifiedDocument {
        var presentation = try Presentation(TestDocument(items))
        presentation.requests = nil
        return try presentation.verified().documents[0]
    }

    /// The rule: true for as many years or more proves it, false for as many or fewer refutes it.
    private func oracle(asked: Int, returned: Int, value: Bool) -> Bool? {
        if value, returned >= asked { return true }
        if !value, returned <= asked { return false }
        return nil
    }

    @Test("Q159 Each attestation answers each age as the rule says", arguments: [true, false])
    func everyPair(_ value: Bool) throws {
        for returned in 0...99 {
            let document = try document([.age(returned, value)])
            let name = ElementName.mDL("age_over_\(returned < 10 ? "0" : "")\(returned)")
            for asked in 0...99 {
                let expected: AgeAnswer =
                    switch oracle(asked: asked, returned: returned, value: value) {
                    case true?: .yes(by: name)
                    case false?: .no(by: name)
                    case nil: .cannotTell(.noneApplies)
                    }
                let answer = document.isAgeAtLeast(asked)
                guard answer == expected else {
                    Issue.record("\(asked) by \(returned)=\(value): \(answer)")
                    return
                }
            }
        }
    }

    @Test(
        "Q159 Of several attestations the nearest is named",
        arguments: [
            (20, AgeAnswer.yes(by: .mDL("age_over_21"))), (18, .yes(by: .mDL("age_over_18"))),
            (16, .yes(by: .mDL("age_over_18"))),
            (21, .yes(by: .mDL("age_over_21"))), (22, .cannotTell(.noneApplies)),
            (64, .cannotTell(.noneApplies)),
            (65, .no(by: .mDL("age_over_65"))), (68, .no(by: .mDL("age_over_65"))),
            (75, .no(by: .mDL("age_over_75"))),
            (99, .no(by: .mDL("age_over_75"))),
        ])
    func nearest(_ asked: Int, answer: AgeAnswer) throws {
        let ages = [(21, true), (18, true), (75, false), (65, false)]
        for order in [ages, ages.reversed()] {
            #expect(try document(order.map { .age($0.0, $0.1) }).isAgeAtLeast(asked) == answer)
        }
    }

    @Test("Attestations that contradict one another tell nothing about the ages between them")
    func contradictory() throws {
        let document = try document([.age(21, true), .age(18, false)])
        #expect(document.isAgeAtLeast(17) == .yes(by: .mDL("age_over_21")))
        #expect(document.isAgeAtLeast(22) == .no(by: .mDL("age_over_18")))
        for asked in 18...21 { #expect(document.isAgeAtLeast(asked) == .cannotTell(.contradictory)) }
    }

    @Test(
        "Q160 What is no attestation proves no age",
        arguments: [
            ("age_over_1", Encoded.boolean(true)), ("age_over_100", Encoded.boolean(true)),
            ("age_over_", Encoded.boolean(true)),
            ("age_over_2x", Encoded.boolean(true)), ("age_over_-1", Encoded.boolean(true)),
            ("AGE_OVER_21", Encoded.boolean(true)),
            ("age_over_+2", Encoded.boolean(true)), ("age_in_years", Encoded.unsigned(40)),
            ("age_birth_year", Encoded.unsigned(1970)),
            ("birth_date", Encoded.day("1970-01-01")), ("AgeAbove18", Encoded.boolean(true)),
        ])
    func noAttestation(_ identifier: String, value: [UInt8]) throws {
        let document = try document([.init(identifier, value)])
        for asked in [0, 1, 18, 21, 99] {
            #expect(document.isAgeAtLeast(asked) == .cannotTell(.noAttestation))
        }
    }

    @Test(
        "Q145 Q161 A birth date proves no age, in any form and on any day",
        arguments: [
            Encoded.day("1950-01-01"), Encoded.day("2008-11-01"),
            Encoded.map([
                ("birth_date", Encoded.day("1950-01-01")), ("approximate_mask", Encoded.text("00011111")),
            ]),
        ])
    func birthDate(_ value: [UInt8]) throws {
        let document = try document([.init("birth_date", value)])
        for asked in [0, 18, 21, 65] { #expect(document.isAgeAtLeast(asked) == .cannotTell(.noAttestation)) }
    }

    @Test("Q164 A value that the phone asserts itself proves no age, whether authorised or not")
    func deviceSigned() throws {
        var document = try TestDocument([.familyName])
        document.deviceElements = [.age(21, true)]
        document.keyAuthorizations = Encoded.map([
            ("nameSpaces", Encoded.array([Encoded.text(TestDocument.nameSpace)]))
        ])
        let presentation = try Presentation(document, asking: ["family_name", "age_over_21"])
        let verified = try presentation.verified().documents[0]
        #expect(verified.elements.map(\.name.identifier) == ["family_name", "age_over_21"])
        #expect(verified.isAgeAtLeast(18) == .cannotTell(.noAttestation))
    }

    @Test("Q159 An attestation is an answer to what was asked, or the document is refused", arguments: 0...99)
    func requested(_ asked: Int) throws {
        let asking = Presentation.request([TestDocument.Item.age(asked, true).identifier])
        for returned in 0...99 {
            for value in [true, false] {
                let item = TestDocument.Item.age(returned, value)
                let isAnswer =
                    returned == asked || oracle(asked: asked, returned: returned, value: value) != nil
                let document = try #require(Self.attestations[item.identifier + "\(value)"])
                var deviations: [Deviation] = []
                do throws(CheckFailure) {
                    let proof = try checkRequestMatch(
                        of: document, isRepetition: false, with: .requested([asking]), noting: &deviations)
                    guard isAnswer, proof.withheld.isEmpty, deviations.isEmpty else {
                        Issue.record("\(asked) by \(returned)=\(value)")
                        return
                    }
                } catch {
                    #expect(!isAnswer && error == .ageNotNearest(.mDL(item.identifier)))
                }
            }
        }
    }

    /// A document for each attestation, by its name and value.
    private static let attestations: [String: UnverifiedDocument] = {
        var documents: [String: UnverifiedDocument] = [:]
        for years in 0...99 {
            for value in [true, false] {
                let item = TestDocument.Item.age(years, value)
                documents[item.identifier + "\(value)"] = try? unverified(item)
            }
        }
        return documents
    }()

    private static func unverified(_ item: TestDocument.Item) throws -> UnverifiedDocument {
        let content = Encoded.map([
            ("digestID", [0x00]), ("random", Encoded.bytes([])),
            ("elementIdentifier", Encoded.text(item.identifier)),
            ("elementValue", item.value),
        ])
        let issuerSigned = Encoded.map([
            ("nameSpaces", Encoded.map([(item.nameSpace, Encoded.array([Encoded.embedded(content)]))]))
        ])
        let document = Encoded.map([
            ("docType", Encoded.text(TestDocument.mDL)), ("issuerSigned", issuerSigned),
        ])
        let response = try UnverifiedResponse(Encoded.map([("documents", Encoded.array([document]))])[...])
        return try #require(response.documents.first)
    }

    @Test("The exact attestation is taken, whatever its value is")
    func exact() throws {
        for value in [true, false] {
            let presentation = try Presentation(TestDocument([.age(18, value)]), asking: ["age_over_18"])
            #expect(try presentation.verified(.strict).documents[0].elements.count == 1)
        }
    }

    @Test("Two ages were asked: one neighbour may answer either")
    func twoAsked() throws {
        let presentation = try Presentation(
            TestDocument([.age(21, true), .age(65, false)]), asking: ["age_over_18", "age_over_68"])
        let response = try presentation.verified(.strict)
        #expect(response.documents[0].isAgeAtLeast(18) == .yes(by: .mDL("age_over_21")))
        #expect(response.documents[0].isAgeAtLeast(68) == .no(by: .mDL("age_over_65")))
        #expect(response.notReturned.isEmpty)
    }

    @Test("An attestation in another namespace than asked, or without any asked, is withheld")
    func withheld() throws {
        var other = try Presentation(
            TestDocument([.init("age_over_21", Encoded.boolean(true), in: "other"), .familyName]),
            asking: ["family_name", "age_over_18"])
        #expect(try other.verified().documents[0].elements.map(\.name.identifier) == ["family_name"])
        #expect(try other.verified().documents[0].isAgeAtLeast(18) == .cannotTell(.noAttestation))
        other.documents = [try TestDocument([.familyName, .age(21, true)])]
        other.requests = [Presentation.request(["family_name"])]
        #expect(try other.verified().reports[0].deviations == [.unrequestedElement])
        #expect(try other.verified().documents[0].isAgeAtLeast(18) == .cannotTell(.noAttestation))
    }
}
