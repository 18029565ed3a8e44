package import MdocModel

/// A single question or element that a `RequestIntent` asks for.
package enum Claim: Hashable, Sendable {
    /// Whether the holder is at least this many years old, from 0 to 99.
    case ageOver(Int)
    case name
    case documentNumber
    /// Whether the holder may drive these vehicle categories of ISO/IEC 18013-5. Not empty.
    case categories([String])
    /// Whether the holder may drive these classes of a North American state (AAMVA). Not empty.
    case domesticClasses([String])
    case expiry
    /// Whether the document is in date. Its expiry date is requested and not stored.
    case inDate
    case issueDate
    case issuer
    /// The portrait. If `isCompared` is true, a person will compare the portrait with the holder's face.
    case portrait(isCompared: Bool)
    case birthDate
    case nationality
    case address
    /// An element by its namespace and name.
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
    /// The age in years that the claim asks about, as a question or as an `age_over_NN` element.
    var years: Int? {
        switch self {
        case .ageOver(let years): years
        case .element(let name): AgeAttestation(name.identifier)?.years
        default: nil
        }
    }

    var vehicleCategories: [String] { if case .categories(let codes) = self { codes } else { [] } }

    var vehicleClasses: [String] { if case .domesticClasses(let codes) = self { codes } else { [] } }

    /// Whether the claim asks for the portrait, as `portrait` or as an element of that name.
    var isPortrait: Bool { kind == .portrait || isElement { $0 == "portrait" } }

    /// Whether the claim asks for the document's number, as `documentNumber` or as an element.
    var isDocumentNumber: Bool { kind == .documentNumber || isElement { $0 == "document_number" } }

    /// Whether the claim reveals more about the age than an attestation does.
    var isDateOfBirth: Bool {
        kind == .birthDate || isElement { ["birth_date", "age_in_years", "age_birth_year"].contains($0) }
    }

    /// Whether the claim is a biometric template, which machines compare.
    var isBiometricTemplate: Bool { isElement { $0.hasPrefix("biometric_template_") } }

    private func isElement(_ matches: (String) -> Bool) -> Bool {
        if case .element(let name) = self { matches(name.identifier) } else { false }
    }
}
