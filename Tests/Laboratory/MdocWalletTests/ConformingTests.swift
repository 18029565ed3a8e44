import MdocModel
import MdocVerification
import MdocWallet
import Testing

@Suite("A conforming wallet")
struct ConformingTests {
    @Test(
        "is verified under strict rules, with seeded keys and with OpenSSL's",
        arguments: PresentationCase.conforming, [TestEntropy.seed("conforming"), .openSSL])
    func verified(presentation: PresentationCase, entropy: TestEntropy) throws {
        let response = try #require(try WrittenCase(presentation, entropy: entropy).judge(.strict).verified())
        #expect(response.reports.flatMap(\.deviations).isEmpty)
        #expect(response.documents[0].issuer.anchorSubject?.contains("Countersign Test IACA") == true)
    }
}

@Suite("The licence's own dates")
struct LicenceDateTests {
    @Test("An expired licence is verified and not current; unasked, its date is unknown")
    func expiry() throws {
        func currency(_ years: Int, asked: Bool = true) throws -> DocumentCurrency {
            let presentation = PresentationCase("expiry") {
                $0.licence.yearsToExpiry = years
                if !asked { $0.requests = [PresentationCase.request([TestLicence.nameSpace: ["sex"]])] }
            }
            return try #require(try WrittenCase(presentation).judge(.strict).verified()).documents[0]
                .isCurrent
        }
        #expect(try currency(9) == .yes)
        #expect(try currency(-1) == .no)
        #expect(try currency(9, asked: false) == .unknown)
    }
}

extension PresentationCase: CustomTestStringConvertible {
    package var testDescription: String { name }
}
