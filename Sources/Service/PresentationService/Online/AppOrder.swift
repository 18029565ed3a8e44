internal import ErrorMapping
package import JSON
internal import MdocModel
internal import MdocVerification
internal import Reports
internal import RequestPlanner
package import WalletPresentation

/// The order of an app that asks through PassKit (Verify with Wallet): the document and its elements. The
/// store keeps the order as JSON beside the nonce of the request.
package struct AppOrder: Sendable {
    /// The merchant's name in the configuration; `nil` for the only merchant.
    let merchant: String?
    package let descriptor: IdentityDescriptor

    /// The names of the members that the JSON of an order may have.
    package static let members: Set = ["merchant", "document", "elements", "intentToStore"]
    private static let mostElements = 32

    /// Parses an order.
    ///
    /// - Throws: `orderMalformed`, or `descriptorRefused` for elements that PassKit cannot ask for together.
    package init(_ members: JSONTextMembers) throws(PresentationServiceError) {
        let (document, elements): (IdentityDocument, [(element: IdentityElement, intent: IntentToStore)])
        do throws(JSONFault) {
            merchant = try members["merchant"]?.string(upTo: 64)
            document = try members.required("document").word()
            let intent = try Self.intent(members.required("intentToStore"))
            elements = try members.required("elements").array(upTo: Self.mostElements).map {
                entry throws(JSONFault) in
                guard let element = IdentityElement(try entry.string(upTo: 64)) else {
                    throw entry.wrong(
                        "must be an element with PassKit's name, such as givenName or age(atLeast:21)")
                }
                return (element, intent)
            }
        } catch {
            // The caller of this initialiser has refused unknown members already. The faults here are in
            // values, and a list of the permitted members would not help.
            throw .orderMalformed(error, permitted: [])
        }
        descriptor = try mapping(IdentityDescriptor(document, elements)) { (error: IdentityDescriptorError) in
            PresentationServiceError.descriptorRefused(error)
        }
    }

    /// Reads for how long the shop may store the elements.
    private static func intent(_ text: JSONText) throws(JSONFault) -> IntentToStore {
        guard let intent = IntentToStore(try text.string(upTo: 32)) else {
            throw text.wrong("must be \"willNotStore\", \"mayStore\" or \"mayStore(days:30)\"")
        }
        return intent
    }

    /// The questions that a response has to answer. There is one question for each age in the order. If the
    /// order asks for the expiry date, one more question is whether the document is in date. PassKit may ask
    /// for an age in years instead of an `age_over` element, and such an age answers the question too.
    func expectation(on day: FullDate) -> AnswerExpectation {
        let request = descriptor.itemsRequest
        let ages = descriptor.elements.compactMap { element, _ -> Question.Subject? in
            if case .ageAtLeast(let years) = element { .ageOver(years, by: request.ageEvidence) } else { nil }
        }
        let subjects = ages + (request.asksForExpiryDate ? [.inDate] : [])
        return AnswerExpectation(
            subjects.map { Question(docTypes: [request.docType], $0, on: day) }, of: request.askedElements())
    }

    /// The purpose of the request, which follows from the elements because an app names no purpose. A request
    /// for ages alone is an age check.
    var purpose: RequestPurpose {
        let isAgeCheck = descriptor.elements.allSatisfy { element, _ in
            if case .ageAtLeast = element { true } else { false }
        }
        return isAgeCheck ? .age : .elements
    }

    /// The JSON that the store keeps beside the nonce of the request.
    ///
    /// - Parameter merchant: the name of the merchant who asks. It is written even if the order named no
    ///   merchant, because several merchants may be configured when the response arrives.
    package func kept(for merchant: String) -> [UInt8] {
        // All elements have the intent of the order. The first element's intent is therefore written for all.
        // There is always a first element: `IdentityDescriptor` refuses an empty list.
        let value: JSONValue = [
            "merchant": .string(merchant), "document": .string(descriptor.document.rawValue),
            "elements": .array(descriptor.elements.map { .string($0.element.name) }),
            "intentToStore": .string(descriptor.elements.first?.intent.name ?? ""),
        ]
        return value.utf8
    }
}

extension IdentityDescriptor {
    /// The descriptor with PassKit's names.
    var json: JSONValue {
        [
            "type": .string(document.descriptorType), "regionCode": JSONValue(document.regionCode),
            "elements": .array(
                elements.map {
                    ["element": .string($0.element.name), "intentToStore": .string($0.intent.name)]
                }),
        ]
    }
}

extension IdentityDocument {
    fileprivate var descriptorType: String {
        switch self {
        case .driversLicense: "PKIdentityDriversLicenseDescriptor"
        case .nationalIDCardJP: "PKIdentityNationalIDCardDescriptor"
        case .photoID: "PKIdentityPhotoIDDescriptor"
        }
    }

    fileprivate var regionCode: String? { self == .nationalIDCardJP ? "JP" : nil }
}
