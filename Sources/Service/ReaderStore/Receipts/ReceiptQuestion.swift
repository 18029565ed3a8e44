package import MdocModel
package import MdocVerification

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
