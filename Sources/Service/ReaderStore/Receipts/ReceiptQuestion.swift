package import MdocModel
package import MdocTrust
package import MdocVerification
package import RequestPlanner

/// A question of the request, and its answer: yes, no or unknown.
package struct ReceiptQuestion: Hashable, Sendable {
    /// The matter that a question is about, such as an age.
    package enum Subject: Hashable, Sendable {
        /// Whether the holder has at least this age.
        case ageOver(AgeAttestation)
        /// Whether the holder may drive vehicles of this category (ISO/IEC 18013-5).
        case category(VehicleCode)
        /// Whether the holder may drive vehicles of this class, as a North American state defines it (AAMVA).
        case domesticClass(VehicleCode)
        /// Whether today is within the document's own validity dates.
        case inDate
        /// Whether the document has a portrait to compare with the person.
        case portrait
    }

    package let subject: Subject
    package let answer: Answer

    package init(_ subject: Subject, _ answer: Answer) {
        self.subject = subject
        self.answer = answer
    }
}

/// A vehicle category or class: 1 to 8 capital letters and digits.
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
    /// The text of the question in receipts and in results of the API: `age_over_21`, `drive:B`,
    /// `drive:class C`, `in date` or `portrait`.
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
            // A code has no lower-case letter. `class C` is therefore not taken for a category.
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

/// A document in a receipt: its type, its issuer and the state of its revocation. None of these values
/// distinguishes one document from another document of the same issuer.
package struct ReceiptDocument: Hashable, Sendable {
    /// The issuer, with the names from the trusted root's certificate.
    package struct Issuer: Hashable, Sendable {
        /// The maximum length of an authority's name, in bytes.
        package static let longestName = 200

        /// The country code of two capital letters (ISO 3166-1).
        package let country: String?
        /// The subject name in the trusted root's certificate.
        package let authority: String
    }

    /// The revocation state of the document when it was checked.
    package struct Revocation: Hashable, Sendable {
        package let state: RevocationFinding.State
        /// The age of the list that gave the state, in seconds; `nil` if the state comes from no list.
        package let ageSeconds: Int64?
    }

    package let docType: ReceiptLabel
    /// The issuer; `nil` if the certificate does not lead to a trusted root.
    package let issuer: Issuer?
    package let revocation: Revocation

    /// Creates the entry for a document in the response; `nil` for a type that the plan did not ask for. The
    /// phone chose the text of such a type, and this text must not reach a receipt.
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
    /// Creates the issuer from the names in its trusted root's certificate; `nil` without a trusted root. The
    /// contents of an untrusted certificate never reach a receipt.
    fileprivate init?(_ issuer: DocumentIssuer) {
        guard let authority = issuer.anchorSubject else { return nil }
        self.init(naming: authority, in: issuer.country)
    }

    /// Creates an issuer from its names; `nil` for an authority that is empty, too long, or has control
    /// characters. Control characters could forge lines in a log or terminal. A country that is not two
    /// capital letters is left out.
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
