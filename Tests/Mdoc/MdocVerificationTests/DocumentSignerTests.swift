import MdocModel
import MdocTrust
import PKIX
import TestCredentials
import Testing

@testable import MdocVerification

@Suite("Document signers by document type")
struct DocumentSignerTests {
    private static let pid = "eu.europa.ec.eudi.pid.1"

    private func presentation(
        of docType: String, _ change: (CertificateTemplate) throws -> CertificateTemplate
    ) throws -> Presentation {
        let nameSpace = docType == Self.pid ? Self.pid : TestDocument.nameSpace
        var document = try TestDocument([
            TestDocument.Item("family_name", Encoded.text("Mustermann"), in: nameSpace)
        ])
        document.docType = docType
        var presentation = try Presentation(document, issuer: TestIssuer(change))
        presentation.requests = [Presentation.request(["family_name"], docType: docType, in: nameSpace)]
        return presentation
    }

    @Test("Q216 A PID of a signer that is built to the European profile verifies, and an mDL of it does not")
    func personID() throws {
        let purpose = ObjectIdentifier("1.3.130.2.0.0.1.2")
        for change in [
            { $0.with(.extendedKeyUsage([purpose])).without(.issuerAlternativeName) },
            { $0.without(.extendedKeyUsage).without(.issuerAlternativeName) },
        ] as [(CertificateTemplate) -> CertificateTemplate] {
            let verified = try presentation(of: Self.pid, change).verified(.strict)
            #expect(verified.reports.map(\.deviations) == [[]])
            #expect(
                try presentation(of: TestDocument.mDL, change).failures() == [
                    .failed(.issuerCertificate, .issuerCertificate(.extendedKeyUsageWrong))
                ])
        }
    }
}
