internal import WalletPresentation

extension MobileDriversLicenseDataRequest {
    /// What a session makes of it.
    public var plan: MobileDocumentRequestPlan<Response> {
        MobileDocumentRequestPlan(
            .driversLicense, retained: retainedElements, notRetained: nonRetainedElements,
            answer: .verified { Response(documentElements: Response.DocumentElements($0)) })
    }
}

extension MobileDriversLicenseRawDataRequest {
    /// What a session makes of it.
    public var plan: MobileDocumentRequestPlan<Response> {
        MobileDocumentRequestPlan(
            .driversLicense, retained: retainedElements, notRetained: nonRetainedElements)
    }
}

extension MobilePhotoIDDataRequest {
    /// What a session makes of it.
    public var plan: MobileDocumentRequestPlan<Response> {
        MobileDocumentRequestPlan(
            .photoID, retained: retainedElements, notRetained: nonRetainedElements,
            answer: .verified { Response(documentElements: Response.DocumentElements($0)) })
    }
}

extension MobilePhotoIDRawDataRequest {
    /// What a session makes of it.
    public var plan: MobileDocumentRequestPlan<Response> {
        MobileDocumentRequestPlan(.photoID, retained: retainedElements, notRetained: nonRetainedElements)
    }
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
