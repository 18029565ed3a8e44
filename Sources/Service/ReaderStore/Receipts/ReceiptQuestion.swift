package import MdocModel
package import MdocTrust
package import MdocVerification
package import RequestPlanner

/// What was asked, and the answer in one word.
package struct ReceiptQuestion: Hashable, Sendable {
    package enum Subject: Hashable, Sendable {
        /// Is the holder at least so old?
        case ageOver(AgeAttestation)
        /// May the holder drive this vehicle category (ISO/IEC 18013-5)?
        case category(VehicleCode)
        /// The same for a class of a North American state (AAMVA).
        case domesticClass(VehicleCode)
        /// Is the document itself in date?
        case inDate
        /// Is there a portrait to compare?
        case portrait
    }

    package let subject: Subject
    package let answer: Answer

    package init(_ subject: Subject, _ answer: Answer) {
        self.subject = subject
        self.answer = answer
    }
}

/// A vehicle category or class as it was asked for: 1 to 8 capitals and digits.
package struct VehicleCode: Hashable, Sendable {
    package let text: String

    package init?(_ text: String) {
        guard (1...8).contains(text.utf8.count),
            text.utf8.allSatisfy({ byte in
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            })
        else { return nil }
        self.text = text
    }
}

extension ReceiptQuestion.Subject: CustomStringConvertible {
    /// `age_over_21`, `drive:B`, `drive:class C`, `in date`, `portrait`: as receipts and the results of the API have it.
    package var description: String {
        switch self {
        case .ageOver(let age): age.identifier
        case .category(let code): "\(Self.drive)\(code.text)"
        case .domesticClass(let code): "\(Self.drive)\(Self.domestic)\(code.text)"
        case .inDate: Self.current
        case .portrait: "portrait"
        }
    }

    private static let current = "in date"

    private static let drive = "drive:"
    private static let domestic = "class "

    init?(parsing text: String) {
        if text == "portrait" {
            self = .portrait
        } else if text == Self.current {
            self = .inDate
        } else if let age = AgeAttestation(text) {
            self = .ageOver(age)
        } else if let code = VehicleCode(text, after: Self.drive) {
            self = .category(code)
        } else if let code = VehicleCode(text, after: Self.drive + Self.domestic) {
            self = .domesticClass(code)
        } else {
            return nil
        }
    }
}

extension VehicleCode {
    fileprivate init?(_ text: String, after prefix: String) {
        guard text.hasPrefix(prefix) else { return nil }
        self.init(String(text.dropFirst(prefix.count)))
    }
}

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
