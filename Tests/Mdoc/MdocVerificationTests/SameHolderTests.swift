import TestCredentials
import Testing

@testable import MdocVerification

@Suite("Whether two answers are of one holder")
struct SameHolderTests {
    private let issuer: TestIssuer

    init() throws {
        issuer = try TestIssuer()
    }

    private static func number(_ text: String) -> TestDocument.Item {
        TestDocument.Item("document_number", Encoded.text(text))
    }

    private func answer(
        _ items: [TestDocument.Item], key: TestKey? = nil, docType: String = TestDocument.mDL,
        issuer other: TestIssuer? = nil
    ) throws -> VerifiedResponse {
        var document = try TestDocument(items, deviceKey: key)
        document.docType = docType
        var presentation = try Presentation(document, issuer: other ?? issuer)
        presentation.requests = nil
        return try presentation.verified()
    }

    @Test("The same device key shows the same holder, whatever was requested")
    func deviceKey() throws {
        let key = try TestKey()
        let first = try answer([.age(21, true)], key: key)
        #expect(try answer([.familyName], key: key).isOfHolder(of: first))
        #expect(try !answer([.familyName]).isOfHolder(of: first))
    }

    @Test("Another copy of the same document is the same holder's by its number or portrait")
    func copies() throws {
        let first = try answer([.age(21, true), Self.number("UT-1"), .portrait])
        #expect(try answer([.familyName, Self.number("UT-1")]).isOfHolder(of: first))
        #expect(try answer([.portrait]).isOfHolder(of: first))
        #expect(try !answer([.familyName, Self.number("UT-2")]).isOfHolder(of: first))
        #expect(try !answer([.portrait, Self.number("UT-2")]).isOfHolder(of: first))
        #expect(try !answer([.age(21, true), .familyName]).isOfHolder(of: first))
    }

    @Test("The same document number from another issuer or of another type does not show the same holder")
    func others() throws {
        let first = try answer([Self.number("UT-1")])
        #expect(try !answer([Self.number("UT-1")], issuer: TestIssuer()).isOfHolder(of: first))
        #expect(
            try !answer([Self.number("UT-1")], docType: "org.example.club.1").isOfHolder(of: first))
    }
}
