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
            self = try RequestPlan(RequestIntent(.elements, claims, from: [document]), keeping: kept)
        } catch {
            throw .invalidRequest(MobileDocumentReaderError.Reason(error))
        }
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
            case .overAsking(.attestationAnswersAge, _): .ageBesideThreshold
            case .overAsking(.twoAgesAtMost, _): .moreThanTwoAges
            case .documentLacks: .elementNotOfDocument
            // No element of this library is asked for like that.
            case .overAsking, .notUnderstood, .textTooLong: .internalFault
            }
    }
}
