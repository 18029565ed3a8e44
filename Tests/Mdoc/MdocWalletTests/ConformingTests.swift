import MdocModel
import MdocVerification
import MdocWallet
import Testing

@Suite("A conforming wallet")
struct ConformingTests {
    @Test("is verified under strict rules", arguments: PresentationCase.conforming)
    func verified(presentation: PresentationCase) throws {
        let response = try #require(try WrittenCase(presentation).judge(.strict).verified())
        #expect(response.reports.flatMap(\.deviations).isEmpty)
        #expect(response.documents[0].issuer.anchorSubject?.contains("Countersign Test IACA") == true)
    }
}

extension PresentationCase: CustomTestStringConvertible {
    public var testDescription: String { name }
}
