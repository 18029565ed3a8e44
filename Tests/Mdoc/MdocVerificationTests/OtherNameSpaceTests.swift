import MdocModel
import TestCredentials
import Testing

@testable import MdocVerification

@Suite("Elements of the same name in other namespaces")
struct OtherNameSpaceTests {
    private static let day = FullDate(year: 2026, month: 11, day: 1)

    private func document(
        _ items: [TestDocument.Item], of docType: String = TestDocument.mDL
    ) throws -> VerifiedDocument {
        var document = try TestDocument(items)
        document.docType = docType
        var presentation = try Presentation(document)
        presentation.requests = nil
        return try presentation.verified().documents[0]
    }

    private func isOver21(_ items: [TestDocument.Item], of docType: String = TestDocument.mDL) throws
        -> AgeAnswer
    {
        try document(items, of: docType).isAgeAtLeast(21, accepting: .birthDate, on: #require(Self.day))
    }

    private static func evidence(in nameSpace: String, of isOld: Bool) -> [TestDocument.Item] {
        [
            .init("age_over_21", Encoded.boolean(isOld), in: nameSpace),
            .init("age_in_years", Encoded.unsigned(isOld ? 40 : 17), in: nameSpace),
            .init("birth_date", Encoded.day(isOld ? "1980-01-01" : "2010-01-01"), in: nameSpace),
        ]
    }

    @Test(
        "Q244 An age in a namespace that the document's type does not use for it answers nothing, and is reported",
        arguments: [
            (TestDocument.mDL, "com.example.x"), (TestDocument.mDL, "org.iso.18013.5.1.aamva"),
            (TestDocument.mDL, "org.iso.23220.1"), ("org.iso.23220.photoid.1", "org.iso.18013.5.1"),
            ("eu.europa.ec.eudi.pid.1", "org.iso.18013.5.1"),
            ("org.iso.23220.1.jp.mnc", "org.iso.23220.1.jp"),
        ])
    func elsewhere(_ docType: String, nameSpace: String) throws {
        for isOld in [true, false] {
            for item in Self.evidence(in: nameSpace, of: isOld) {
                let answer = try isOver21([item], of: docType)
                guard case .cannotTell = answer else {
                    Issue.record("\(item.identifier) of \(nameSpace): \(answer)")
                    continue
                }
                let isAttestation = item.identifier == "age_over_21"
                #expect(
                    answer.reason.contains("\(nameSpace)/age_over_21 ") == isAttestation, "\(answer.reason)")
            }
            // Beside the type's own elements those of others change nothing.
            let main = ElementName.inMainNameSpace("age_over_21", of: docType)
            let own = TestDocument.Item("age_over_21", Encoded.boolean(true), in: main.nameSpace)
            let others = Self.evidence(in: nameSpace, of: isOld)
            #expect(try isOver21([own] + others, of: docType) == .yes(by: main))
            #expect(try isOver21(others + [own], of: docType) == .yes(by: main))
        }
    }

    @Test(
        "Q244 In the namespaces of its type an age counts as before",
        arguments: [
            (TestDocument.mDL, "org.iso.18013.5.1"), ("org.iso.23220.photoid.1", "org.iso.23220.1"),
            ("org.iso.23220.photoID.1", "org.iso.23220.1"),
            ("eu.europa.ec.eudi.pid.1", "eu.europa.ec.eudi.pid.1"),
            ("org.iso.23220.1.jp.mnc", "org.iso.23220.1"),
        ])
    func own(_ docType: String, nameSpace: String) throws {
        for item in Self.evidence(in: nameSpace, of: true) {
            let name = ElementName(nameSpace: nameSpace, identifier: item.identifier)
            #expect(try isOver21([item], of: docType) == .yes(by: name))
        }
    }

    @Test(
        "Q244 Of a type that is not known the namespace is not known either: every age counts, and has to agree"
    )
    func unknownType() throws {
        let docType = "org.example.club.1"
        func age(_ value: Bool, in nameSpace: String) -> TestDocument.Item {
            .init("age_over_21", Encoded.boolean(value), in: nameSpace)
        }
        let name = ElementName(nameSpace: "org.example.ages", identifier: "age_over_21")
        #expect(try isOver21([age(true, in: name.nameSpace)], of: docType) == .yes(by: name))
        #expect(
            try isOver21([age(true, in: name.nameSpace), age(false, in: docType)], of: docType)
                == .cannotTell(.contradictory))
    }

    @Test("Where the type is not known, values of two namespaces that disagree about the age are no answer")
    func contradictory() throws {
        let (first, second) = ("org.example.club.1", "org.example.people")
        let value = { (name: String, age: Int, nameSpace: String) -> TestDocument.Item in
            name == "birth_date"
                ? .init(name, Encoded.day("\(2026 - age)-01-01"), in: nameSpace)
                : .init(name, Encoded.unsigned(UInt64(age)), in: nameSpace)
        }
        for name in ["age_in_years", "birth_date"] {
            for (one, other) in [(40, 17), (17, 40)] {
                let items = [value(name, one, first), value(name, other, second)]
                for items in [items, items.reversed()] {
                    #expect(try isOver21(items, of: first) == .cannotTell(.contradictory), "\(name)")
                }
                // The twin: different values that agree about the question.
                let elder = [value(name, one + 10, first), value(name, other + 10, second)]
                #expect(try isOver21(elder, of: first) == .yes(by: .init(nameSpace: first, identifier: name)))
            }
            // A value that is of no use is no other side.
            let empty = TestDocument.Item(name, [0xf6], in: first)
            #expect(
                try isOver21([empty, value(name, 40, second)], of: first)
                    == .yes(by: .init(nameSpace: second, identifier: name)))
        }
        let attested = TestDocument.Item("age_over_21", Encoded.boolean(true), in: first)
        #expect(
            try isOver21(
                [attested, value("birth_date", 40, first), value("birth_date", 17, second)], of: first)
                == .cannotTell(.contradictory))
    }
}
