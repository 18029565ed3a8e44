internal import Foundation
internal import MdocModel
internal import RequestPlanner

/// A request for elements of one document type, which returns the elements or the phone's raw answer to the
/// app.
protocol DocumentElementsRequest: MobileDocumentRequest {
    associatedtype Element: RequestedElement

    /// The conversion of the phone's answer into the response.
    var answer: MobileDocumentRequestPlan<Response>.Answer { get }
    /// Whether documents of the request's region are supported.
    var isSupported: Bool { get }
    /// The subject key identifiers of the accepted issuers; empty for all issuers.
    var issuerIdentifiers: [Data] { get }
    var retainedElements: [Element] { get }
    var nonRetainedElements: [Element] { get }
}

extension DocumentElementsRequest {
    var isSupported: Bool { true }
    var issuerIdentifiers: [Data] { [] }

    /// The document request that a session sends, made from both lists of elements.
    public var plan: MobileDocumentRequestPlan<Response> {
        get throws(MobileDocumentReaderError) {
            guard isSupported else { throw .notSupported(.regionNotSupported) }
            // An element must occur only once in both lists together.
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
        // Some elements of the app's request need several claims, because the document stores their values in
        // several elements.
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

/// An element that an app can request of one document type.
protocol RequestedElement: Hashable, Sendable {
    static var document: DocumentFamily { get }
    /// The claims to request, so that the response can contain every value of the element.
    var claims: [Claim] { get }
}

extension Claim {
    /// Creates the claim for a single element of a namespace.
    static func named(_ identifier: String, in nameSpace: String) -> Claim {
        .element(ElementName(nameSpace: nameSpace, identifier: identifier))
    }
}

extension RequestPlan {
    /// Creates the smallest request of one document type that answers the app's elements.
    init(
        asking claims: [Claim], keeping kept: Set<Claim> = [], of document: DocumentFamily
    ) throws(MobileDocumentReaderError) {
        do throws(RequestPlannerError) {
            let claims = claims.eachOnce
            let purpose = claims.areOfAgeCheck ? RequestPurpose.age : .elements
            var intent = RequestIntent(purpose, claims, from: [document])
            // The app chooses each element itself, so it may request a birth date in addition to an age. For
            // other callers, the planner refuses this combination.
            intent.allowsBirthDateBesideAge = true
            self = try RequestPlan(intent, keeping: kept)
        } catch {
            throw .invalidRequest(MobileDocumentReaderError.Reason(error))
        }
    }
}

extension Array where Element: Hashable {
    /// Throws `elementTwice` if an element occurs twice.
    func checkEachOnce() throws(MobileDocumentReaderError) {
        guard Set(self).count == count else { throw .invalidRequest(.elementTwice) }
    }
}

extension [Claim] {
    /// The claims without repetitions. Two elements of an app can need the same claim, and the planner
    /// refuses a claim that occurs twice.
    fileprivate var eachOnce: [Claim] {
        reduce(into: []) { claims, claim in
            if !claims.contains(claim) { claims.append(claim) }
        }
    }

    /// Whether the claims are an age check: at least one age, and otherwise only a portrait to compare.
    fileprivate var areOfAgeCheck: Bool {
        let others = filter { if case .ageOver = $0 { false } else { true } }
        return others.count < count && others.allSatisfy { $0 == .portrait(isCompared: true) }
    }
}

extension MobileDocumentReaderError.Reason {
    /// Converts an error of the request planner.
    fileprivate init(_ error: RequestPlannerError) {
        self =
            switch error {
            case .nothingAsked: .nothingRequested
            case .claimTwice: .elementTwice
            case .documentTwice: .documentTwice
            case .ageOutOfRange: .ageOutOfRange
            case .overAsking(.twoAgesAtMost, _): .moreThanTwoAges
            case .documentLacks: .elementNotOfDocument
            // The elements that an app can request never lead to these errors. Such an error would be a fault
            // of this library.
            case .overAsking, .notUnderstood, .textTooLong, .requiredNotAsked: .internalFault
            }
    }
}
