public import Foundation
internal import RequestPlanner

extension MobileNationalIDCardDataRequest: DocumentElementsRequest {
    var isSupported: Bool { Self.isSupportedRegion(region) }

    var answer: MobileDocumentRequestPlan<Response>.Answer {
        .verified { [region] in Response(region: region, documentElements: Response.DocumentElements($0)) }
    }
}

extension MobileNationalIDCardRawDataRequest: DocumentElementsRequest {
    var isSupported: Bool { Self.isSupportedRegion(region) }
}

extension MobileNationalIDCardDataRequest.Element: RequestedElement {
    static var document: DocumentFamily { .nationalIDCardOfJapan }

    var claims: [Claim] {
        switch self {
        case .age: [.named("age_in_years", in: Self.document.mainNameSpace)]
        case .ageAtLeast(let years): [.ageOver(years)]
        case .dateOfBirth: [.birthDate]
        case .documentNumber: [.documentNumber]
        // The card has the whole name in one element.
        case .familyName, .givenName: [.name]
        case .portrait: [.portrait(isCompared: true)]
        case .sex: [.named("sex", in: Self.document.mainNameSpace)]
        }
    }
}

extension MobileNationalIDCardRawDataRequest.Element: RequestedElement {
    static var document: DocumentFamily { .nationalIDCardOfJapan }

    var claims: [Claim] {
        switch self {
        case .address:
            [.address, .named("local_gov_code_unicode", in: DocumentFamily.japaneseNameSpace)]
        case .age: Verified.age.claims
        case .ageAtLeast(let years): Verified.ageAtLeast(years).claims
        case .dateOfBirth: Verified.dateOfBirth.claims
        case .documentNumber: Verified.documentNumber.claims
        case .familyName: Verified.familyName.claims
        case .givenName: Verified.givenName.claims
        case .portrait: Verified.portrait.claims
        case .sex: Verified.sex.claims
        }
    }

    private typealias Verified = MobileNationalIDCardDataRequest.Element
}

extension MobileNationalIDCardDisplayRequest {
    /// Whether the cards of a region can be asked for. Others are refused with `notSupported` before anything is asked.
    public static func isSupportedRegion(_ region: Locale.Region) -> Bool {
        MobileNationalIDCardDataRequest.isSupportedRegion(region)
    }
}
