package import MdocTrust
package import MdocVerification
package import RequestPlanner

/// What a receipt says of a document: its type, who issues such documents, and what is known of revocation. Nothing
/// in it distinguishes one document from another.
package struct ReceiptDocument: Hashable, Sendable {
    /// Whoever a trusted root says it is.
    package struct Issuer: Hashable, Sendable {
        /// The longest name of an authority, in bytes.
        package static let longestName = 200

        /// Two capitals (ISO 3166-1).
        package let country: String?
        /// The subject of the trusted root.
        package let authority: String
    }

    package struct Revocation: Hashable, Sendable {
        package let state: RevocationFinding.State
        /// How old the list was that says so.
        package let ageSeconds: Int64?
    }

    package let docType: ReceiptLabel
    /// Nil if the certificate does not lead to a trusted root.
    package let issuer: Issuer?
    package let revocation: Revocation

    /// Nil for a document of a type that was not asked for: its name is the phone's.
    package init?(_ report: DocumentReport, answering plan: RequestPlan) {
        guard plan.intent.documents.contains(where: { $0.types.contains { $0.docType == report.docType } }),
            let docType = ReceiptLabel(report.docType)
        else { return nil }
        self.init(
            docType: docType, issuer: report.issuer.flatMap(Issuer.init),
            revocation: Revocation(
                state: report.revocation.state, ageSeconds: report.revocation.ageSeconds))
    }

    init(docType: ReceiptLabel, issuer: Issuer?, revocation: Revocation) {
        self.docType = docType
        self.issuer = issuer
        self.revocation = revocation
    }
}

extension ReceiptDocument.Issuer {
    /// The contents of a certificate that does not lead to a trusted root are not repeated.
    fileprivate init?(_ issuer: DocumentIssuer) {
        guard let authority = issuer.anchorSubject else { return nil }
        self.init(naming: authority, in: issuer.country)
    }

    init?(naming authority: String, in country: String?) {
        guard (1...Self.longestName).contains(authority.utf8.count),
            authority.unicodeScalars.allSatisfy({ $0.value >= 0x20 && !(0x7f...0x9f).contains($0.value) })
        else { return nil }
        self.authority = authority
        self.country = country.flatMap { code in
            code.utf8.count == 2
                && code.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
                ? code : nil
        }
    }
}
