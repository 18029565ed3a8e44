package import MdocModel

/// One thing that an intent asks.
package enum Claim: Hashable, Sendable {
    /// Whether the holder is at least so many years old, 0 to 99.
    case ageOver(Int)
    case name
    case documentNumber
    /// Whether the holder may drive these vehicle categories (ISO/IEC 18013-5); not empty.
    case categories([String])
    /// The same for the classes of a North American state (AAMVA); not empty.
    case domesticClasses([String])
    case expiry
    /// Whether the document is in date. Its date is asked for and not kept.
    case inDate
    case issueDate
    case issuer
    /// `isCompared`: a person will compare it with the holder's face.
    case portrait(isCompared: Bool)
    case birthDate
    case nationality
    case address
    case element(ElementName)

    enum Kind: Hashable {
        case age, name, documentNumber, category, domesticClass, expiry, inDate, issueDate, issuer
        case portrait, birthDate, nationality, address, element
    }

    var kind: Kind {
        switch self {
        case .ageOver: .age
        case .name: .name
        case .documentNumber: .documentNumber
        case .categories: .category
        case .domesticClasses: .domesticClass
        case .expiry: .expiry
        case .inDate: .inDate
        case .issueDate: .issueDate
        case .issuer: .issuer
        case .portrait: .portrait
        case .birthDate: .birthDate
        case .nationality: .nationality
        case .address: .address
        case .element: .element
        }
    }
}

extension Claim {
    /// The years of a question about age, under any of its names.
    var years: Int? {
        switch self {
        case .ageOver(let years): years
        case .element(let name): AgeAttestation(name.identifier)?.years
        default: nil
        }
    }

    var vehicleCategories: [String] { if case .categories(let codes) = self { codes } else { [] } }

    var vehicleClasses: [String] { if case .domesticClasses(let codes) = self { codes } else { [] } }

    /// Whether it is the portrait, under any of its names.
    var isPortrait: Bool { kind == .portrait || isElement { $0 == "portrait" } }

    /// Whether it is the document's number, under any of its names.
    var isDocumentNumber: Bool { kind == .documentNumber || isElement { $0 == "document_number" } }

    /// Whether it reveals more about the age than an attestation.
    var isDateOfBirth: Bool {
        kind == .birthDate || isElement { ["birth_date", "age_in_years", "age_birth_year"].contains($0) }
    }

    /// Whether it is measured on the body for machines to compare.
    var isBiometricTemplate: Bool { isElement { $0.hasPrefix("biometric_template_") } }

    private func isElement(_ matches: (String) -> Bool) -> Bool {
        if case .element(let name) = self { matches(name.identifier) } else { false }
    }
}
