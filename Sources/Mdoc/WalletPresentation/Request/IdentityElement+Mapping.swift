internal import MdocModel

/// The elements of documents that correspond to PassKit's elements, from Apple's page "Requesting identity
/// data from a Wallet pass".
extension IdentityElement {
    var inDriversLicense: [MappedElement] {
        switch self {
        case .givenName:
            .iso(["given_name"])
                + .aamva(["given_name_truncation", "aka_given_name", "name_suffix", "aka_suffix"])
        case .familyName: .iso(["family_name"]) + .aamva(["family_name_truncation", "aka_family_name"])
        case .portrait: .iso(["portrait"])
        case .address:
            .iso([
                "resident_address", "resident_city", "resident_state", "resident_postal_code",
                "resident_country",
            ])
        case .issuingAuthority:
            .iso([
                "issuing_authority", "issuing_jurisdiction", "issuing_country", "un_distinguishing_sign",
            ])
        case .documentExpirationDate: .iso(["expiry_date"])
        // Apple's page names this element `document_issue_date`, unlike ISO/IEC 18013-5.
        case .documentIssueDate: .iso(["issue_date"], or: "document_issue_date")
        case .documentNumber: .iso(["document_number"])
        case .documentDHSComplianceStatus: .aamva(["DHS_compliance"])
        case .drivingPrivileges: .iso(["driving_privileges"]) + .aamva(["domestic_driving_privileges"])
        case .dateOfBirth: .iso(["birth_date"])
        case .sex: .iso(["sex"]) + .aamva(["sex"])
        case .eyeColor: .iso(["eye_colour"])
        case .hairColor: .iso(["hair_colour"])
        case .height: .iso(["height"])
        case .weight: .iso(["weight"])
        case .organDonorStatus: .aamva(["organ_donor"])
        case .veteranStatus: .aamva(["veteran"])
        case .age: .iso(["age_in_years"])
        case .ageAtLeast(let years): .age(years, in: [MappedElement].mDL)
        }
    }

    var inPhotoID: [MappedElement] {
        switch self {
        case .givenName: .iso23220(["given_name"], spelled: true)
        case .familyName: .iso23220(["family_name"], spelled: true)
        case .portrait: .iso23220(["portrait"])
        case .address:
            .iso23220(["resident_address", "resident_city"], spelled: true)
                + .iso23220(["resident_postal_code", "resident_country"])
        case .issuingAuthority:
            .iso23220(["issuing_authority"], spelled: true) + .iso23220(["issuing_country"])
        case .documentExpirationDate: .iso23220(["expiry_date"])
        case .documentIssueDate: .iso23220(["issue_date"])
        case .documentNumber: .iso23220(["document_number"])
        case .dateOfBirth: .iso23220(["birth_date"])
        case .sex: .iso23220(["sex"])
        case .age: .iso23220(["age_in_years"])
        case .ageAtLeast(let years): .age(years, in: [MappedElement].photoID)
        case .documentDHSComplianceStatus, .drivingPrivileges, .eyeColor, .hairColor, .height, .weight,
            .organDonorStatus, .veteranStatus:
            []
        }
    }

    var inNationalIDCardJP: [MappedElement] {
        switch self {
        case .givenName, .familyName: .japan(["full_name_unicode"])
        case .portrait: .japan(["portrait"])
        case .address: .japan(["resident_address_unicode", "local_gov_code_unicode"])
        case .documentNumber: .japan(["individual_number_unicode"])
        case .sex: .japan(["sex_unicode"]) + .iso23220(["sex"])
        case .dateOfBirth: .japan(["birth_date_unicode"]) + .iso23220(["birth_date"])
        case .age: .iso23220(["age_in_years"])
        // The Japanese card has its age attestations in the namespace of ISO/IEC 23220, as the photo ID has.
        case .ageAtLeast(let years): .age(years, in: [MappedElement].photoID)
        case .documentDHSComplianceStatus, .drivingPrivileges, .eyeColor, .hairColor, .height, .weight,
            .organDonorStatus, .veteranStatus, .issuingAuthority, .documentIssueDate,
            .documentExpirationDate:
            []
        }
    }
}

extension [MappedElement] {
    fileprivate static let mDL = "org.iso.18013.5.1"
    fileprivate static let photoID = "org.iso.23220.1"

    fileprivate static func iso(_ identifiers: [String], or substitute: String? = nil) -> Self {
        names(identifiers, in: mDL, substitute.map { [$0] } ?? [])
    }

    fileprivate static func aamva(_ identifiers: [String]) -> Self {
        names(identifiers, in: "org.iso.18013.5.1.aamva")
    }

    fileprivate static func japan(_ identifiers: [String]) -> Self {
        names(identifiers, in: "org.iso.23220.1.jp")
    }

    /// Returns elements in the namespace of ISO/IEC 23220.
    ///
    /// - Parameter spelled: Whether the document may have the text in several scripts, each as a separate
    ///   element.
    fileprivate static func iso23220(_ identifiers: [String], spelled: Bool = false) -> Self {
        guard spelled else { return names(identifiers, in: photoID) }
        return identifiers.flatMap { names([$0 + "_unicode"], in: photoID, [$0 + "_latin1", $0]) }
    }

    /// Returns the attestation of this age, with the age in years as its substitute. For 100 years and more
    /// there is no attestation, and the age in years is returned.
    fileprivate static func age(_ years: Int, in nameSpace: String) -> Self {
        guard let attestation = AgeAttestation(years: years) else {
            return names(["age_in_years"], in: nameSpace)
        }
        return names([attestation.identifier], in: nameSpace, ["age_in_years"])
    }

    private static func names(
        _ identifiers: [String], in nameSpace: String, _ substitutes: [String] = []
    ) -> Self {
        identifiers.map { identifier in
            MappedElement(
                name: ElementName(nameSpace: nameSpace, identifier: identifier),
                substitutes: substitutes.map { ElementName(nameSpace: nameSpace, identifier: $0) })
        }
    }
}
