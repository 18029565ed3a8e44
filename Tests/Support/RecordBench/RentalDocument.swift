internal import CBOR
package import MdocModel
internal import MdocTrust
package import MdocVerification
package import RequestPlanner
package import TestCredentials

/// A driving licence as a rental desk gets it: asked for, answered and verified.
package struct RentalDocument: Sendable {
    package static let now = Timestamp(secondsSince1970: TestAuthority.now)
    /// Also what receipts are made of.
    package static let intent = "rental: age over 21, name, licence number, portrait"

    package let plan: RequestPlan
    package let response: VerifiedResponse
    package let document: VerifiedDocument

    package struct NotVerified: Error {}

    /// - Parameters:
    ///   - name: the family name, by which a test knows the holder again.
    ///   - items: further items, asked for or not.
    package init(
        name: String, keeping choice: RetentionChoice = .consented, further items: [TestDocument.Item] = []
    ) throws {
        plan = try RequestPlan(RequestIntent(parsing: Self.intent), keeping: choice)
        let issuer = try TestIssuer()
        let session = try TestSession()
        let document = try TestDocument(
            [
                TestDocument.Item("age_over_21", Encoded.boolean(true)),
                TestDocument.Item("family_name", Encoded.text(name)),
                TestDocument.Item("given_name", Encoded.text("Given-\(name)")),
                TestDocument.Item("document_number", Encoded.text("Number-\(name)")),
                TestDocument.Item("portrait", Encoded.bytes(Array("Portrait-\(name)".utf8))),
            ] + items)
        let bytes = Encoded.map([
            ("version", Encoded.text("1.0")),
            ("documents", Encoded.array([try document.encoded(issuer: issuer, session: session)])),
            ("status", Encoded.unsigned(0)),
        ])
        let context = VerificationContext(
            transcript: session.transcript, comparison: .requested(plan.drafts(for: [])[0].documents),
            readerKey: session.readerKey, trust: try issuer.authority.store(), now: Self.now,
            policy: VerificationPolicy())
        guard case .verified(let response) = try UnverifiedResponse(bytes[...]).verify(in: context),
            let first = response.documents.first
        else { throw NotVerified() }
        self.response = response
        self.document = first
    }
}
