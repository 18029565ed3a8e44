internal import Foundation
internal import MdocModel
internal import RequestPlanner

/// A request for elements of one kind of document, which come to the app.
protocol DocumentElementsRequest: MobileDocumentRequest {
    associatedtype Element: RequestedElement

    var answer: MobileDocumentRequestPlan<Response>.Answer { get }
    /// Whether documents of the request's region can be asked for.
    var isSupported: Bool { get }
    /// The issuers whose documents are wanted; empty for all.
    var issuerIdentifiers: [Data] { get }
    var retainedElements: [Element] { get }
    var nonRetainedElements: [Element] { get }
}

extension DocumentElementsRequest {
    var isSupported: Bool { true }
    var issuerIdentifiers: [Data] { [] }

    /// What a session makes of it.
    public var plan: MobileDocumentRequestPlan<Response> {
        get throws(MobileDocumentReaderError) {
            guard isSupported else { throw .notSupported(.regionNotSupported) }
            try (retainedElements + nonRetainedElements).checkEachOnce()
            let kept = retainedElements.flatMap(\.claims)
            let claims = kept + nonRetainedElements.flatMap(\.claims)
            let plan = try RequestPlan(asking: claims, keeping: Set(kept), of: Element.document)
            return try MobileDocumentRequestPlan(
                asking: [plan.wanting(issuers: issuerIdentifiers.map { [UInt8]($0) })], answer: answer)
        }
    }
}

extension DocumentElementsRequest where Response == MobileDocumentRawDataResponse {
    var answer: MobileDocumentRequestPlan<Response>.Answer { .asSent }
}

extension MobileDriversLicenseDataRequest: DocumentElementsRequest {
    var answer: MobileDocumentRequestPlan<Response>.Answer {
        .verified { Response(documentElements: Response.DocumentElements($0)) }
    }
}

extension MobileDriversLicenseRawDataRequest: DocumentElementsRequest {}

extension MobilePhotoIDDataRequest: DocumentElementsRequest {
    var answer: MobileDocumentRequestPlan<Response>.Answer {
        .verified { Response(documentElements: Response.DocumentElements($0)) }
    }
}

extension MobilePhotoIDRawDataRequest: DocumentElementsRequest {}

extension MobileDriversLicenseDataRequest.Element: RequestedElement {
    static var document: DocumentFamily { .drivingLicence }

    var claims: [Claim] {
        let (iso, aamva) = (Self.document.mainNameSpace, DocumentFamily.aamvaNameSpace)
        return switch self {
        case .address: [.address, .named("resident_country", in: iso)]
        case .age: [.named("age_in_years", in: iso)]
        case .ageAtLeast(let years): [.ageOver(years)]
        case .dateOfBirth: [.birthDate]
        case .documentDHSComplianceStatus: [.named("DHS_compliance", in: aamva)]
        case .documentExpirationDate: [.expiry]
        case .documentIssueDate: [.issueDate]
        case .documentNumber: [.documentNumber]
        case .drivingPrivileges:
            [.named("driving_privileges", in: iso), .named("domestic_driving_privileges", in: aamva)]
        case .eyeColor: [.named("eye_colour", in: iso)]
        case .familyName: [.named("family_name", in: iso)]
        case .givenName: [.named("given_name", in: iso), .named("name_suffix", in: aamva)]
        case .hairColor: [.named("hair_colour", in: iso)]
        case .height: [.named("height", in: iso)]
        case .issuingAuthority: [.issuer, .named("issuing_jurisdiction", in: iso)]
        case .organDonorStatus: [.named("organ_donor", in: aamva)]
        case .portrait: [.portrait(isCompared: true)]
        case .sex: [.named("sex", in: iso), .named("sex", in: aamva)]
        case .veteranStatus: [.named("veteran", in: aamva)]
        case .weight: [.named("weight", in: iso)]
        }
    }
}

extension MobilePhotoIDDataRequest.Element: RequestedElement {
    static var document: DocumentFamily { .photoID }

    var claims: [Claim] {
        let main = Self.document.mainNameSpace
        return switch self {
        case .address: [.address]
        case .age: [.named("age_in_years", in: main)]
        case .ageAtLeast(let years): [.ageOver(years)]
        case .dateOfBirth: [.birthDate]
        case .documentExpirationDate: [.expiry]
        case .documentIssueDate: [.issueDate]
        case .documentNumber: [.documentNumber]
        case .familyName: [.named("family_name", in: main)]
        case .givenName: [.named("given_name", in: main)]
        case .issuingAuthority: [.issuer]
        case .portrait: [.portrait(isCompared: true)]
        case .sex: [.named("sex", in: main)]
        }
    }
}

/// An element that an app asks of one kind of document.
protocol RequestedElement: Hashable, Sendable {
    static var document: DocumentFamily { get }
    /// What has to be asked for all that the response has of it.
    var claims: [Claim] { get }
}

extension Claim {
    /// An element by its own name.
    static func named(_ identifier: String, in nameSpace: String) -> Claim {
        .element(ElementName(nameSpace: nameSpace, identifier: identifier))
    }
}

extension RequestPlan {
    /// The least that an app's elements need of one kind of document.
    init(
        asking claims: [Claim], keeping kept: Set<Claim> = [], of document: DocumentFamily
    ) throws(MobileDocumentReaderError) {
        do throws(RequestPlannerError) {
            let claims = claims.eachOnce
            let purpose = claims.areOfAgeCheck ? RequestPurpose.age : .elements
            var intent = RequestIntent(purpose, claims, from: [document])
            intent.allowsBirthDateBesideAge = true
            self = try RequestPlan(intent, keeping: kept)
        } catch {
            throw .invalidRequest(MobileDocumentReaderError.Reason(error))
        }
    }
}

extension Array where Element: Hashable {
    /// Refuses a request that names an element twice.
    func checkEachOnce() throws(MobileDocumentReaderError) {
        guard Set(self).count == count else { throw .invalidRequest(.elementTwice) }
    }
}

extension [Claim] {
    /// Two elements may need the same of a document.
    fileprivate var eachOnce: [Claim] {
        reduce(into: []) { claims, claim in
            if !claims.contains(claim) { claims.append(claim) }
        }
    }

    /// Whether an age is asked for, and nothing but a portrait that somebody compares.
    fileprivate var areOfAgeCheck: Bool {
        let others = filter { if case .ageOver = $0 { false } else { true } }
        return others.count < count && others.allSatisfy { $0 == .portrait(isCompared: true) }
    }
}

extension MobileDocumentReaderError.Reason {
    fileprivate init(_ error: RequestPlannerError) {
        self =
            switch error {
            case .nothingAsked: .nothingRequested
            case .claimTwice: .elementTwice
            case .documentTwice: .documentTwice
            case .ageOutOfRange: .ageOutOfRange
            case .overAsking(.twoAgesAtMost, _): .moreThanTwoAges
            case .documentLacks: .elementNotOfDocument
            // No element of this library is asked for like that.
            case .overAsking, .notUnderstood, .textTooLong, .requiredNotAsked: .internalFault
            }
    }
}
