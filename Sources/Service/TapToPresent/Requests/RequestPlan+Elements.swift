internal import MdocModel
internal import RequestPlanner

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
