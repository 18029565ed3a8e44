internal import WalletPresentation

extension MobileDriversLicenseDataRequest: ElementRequest, VerifiedRequest {
    static var kind: IdentityDocument { .driversLicense }

    func response(to read: ReadDocument) async throws(MobileDocumentReaderError) -> Response {
        Response(documentElements: Response.DocumentElements(read))
    }
}

extension MobileDriversLicenseRawDataRequest: ElementRequest, RawRequest {
    static var kind: IdentityDocument { .driversLicense }
}

extension MobilePhotoIDDataRequest: ElementRequest, VerifiedRequest {
    static var kind: IdentityDocument { .photoID }

    func response(to read: ReadDocument) async throws(MobileDocumentReaderError) -> Response {
        Response(documentElements: Response.DocumentElements(read))
    }
}

extension MobilePhotoIDRawDataRequest: ElementRequest, RawRequest {
    static var kind: IdentityDocument { .photoID }
}

extension MobileDriversLicenseDataRequest.Element: RequestedElement {
    var identityElement: IdentityElement {
        switch self {
        case .address: .address
        case .age: .age
        case .ageAtLeast(let years): .ageAtLeast(years)
        case .dateOfBirth: .dateOfBirth
        case .documentDHSComplianceStatus: .documentDHSComplianceStatus
        case .documentExpirationDate: .documentExpirationDate
        case .documentIssueDate: .documentIssueDate
        case .documentNumber: .documentNumber
        case .drivingPrivileges: .drivingPrivileges
        case .eyeColor: .eyeColor
        case .familyName: .familyName
        case .givenName: .givenName
        case .hairColor: .hairColor
        case .height: .height
        case .issuingAuthority: .issuingAuthority
        case .organDonorStatus: .organDonorStatus
        case .portrait: .portrait
        case .sex: .sex
        case .veteranStatus: .veteranStatus
        case .weight: .weight
        }
    }
}

extension MobilePhotoIDDataRequest.Element: RequestedElement {
    var identityElement: IdentityElement {
        switch self {
        case .address: .address
        case .age: .age
        case .ageAtLeast(let years): .ageAtLeast(years)
        case .dateOfBirth: .dateOfBirth
        case .documentExpirationDate: .documentExpirationDate
        case .documentIssueDate: .documentIssueDate
        case .documentNumber: .documentNumber
        case .familyName: .familyName
        case .givenName: .givenName
        case .issuingAuthority: .issuingAuthority
        case .portrait: .portrait
        case .sex: .sex
        }
    }
}
