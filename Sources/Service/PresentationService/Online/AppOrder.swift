internal import ErrorMapping
package import JSON
internal import MdocModel
internal import MdocVerification
internal import Reports
internal import RequestPlanner
package import WalletPresentation

/// What an app asks for through PassKit: an order without its session. It is kept beside the
/// nonce in the same form.
package struct AppOrder: Sendable {
    /// By its name in the configuration; nil for the only one.
    let merchant: String?
    package let descriptor: IdentityDescriptor

    package static let members: Set = ["merchant", "document", "elements", "intentToStore"]
    private static let mostElements = 32

    package init(_ members: JSONTextMembers) throws(PresentationServiceError) {
        let (document, elements): (IdentityDocument, [(element: IdentityElement, intent: IntentToStore)])
        do throws(JSONFault) {
            merchant = try members["merchant"]?.string(upTo: 64)
            document = try members.required("document").word()
            let intent = try Self.intent(members.required("intentToStore"))
            elements = try members.required("elements").array(upTo: Self.mostElements).map {
                entry throws(JSONFault) in
                guard let element = IdentityElement(try entry.string(upTo: 64)) else {
                    throw entry.wrong("must be an element as PassKit names it: givenName, age(atLeast:21)")
                }
                return (element, intent)
            }
        } catch {
            throw .orderMalformed(error, permitted: [])
        }
        descriptor = try mapping(IdentityDescriptor(document, elements)) { (error: IdentityDescriptorError) in
            PresentationServiceError.descriptorRefused(error)
        }
    }

    private static func intent(_ text: JSONText) throws(JSONFault) -> IntentToStore {
        guard let intent = IntentToStore(try text.string(upTo: 32)) else {
            throw text.wrong("must be \"willNotStore\", \"mayStore\" or \"mayStore(days:30)\"")
        }
        return intent
    }

    /// The ages that are asked for, where an age in years answers too, which PassKit asks for in their place; whether the
    /// document is in date if its expiry date is asked for; and the elements.
    func expectation(on day: FullDate) -> AnswerExpectation {
        let request = descriptor.itemsRequest
        let ages = descriptor.elements.compactMap { element, _ -> Question.Subject? in
            if case .ageAtLeast(let years) = element { .ageOver(years, by: request.ageEvidence) } else { nil }
        }
        let subjects = ages + (request.asksForExpiryDate ? [.inDate] : [])
        return AnswerExpectation(
            subjects.map { Question(docTypes: [request.docType], $0, on: day) }, of: request.askedElements())
    }

    /// An app names elements and no purpose: ages alone are an age check.
    var purpose: RequestPurpose {
        let isAgeCheck = descriptor.elements.allSatisfy { element, _ in
            if case .ageAtLeast = element { true } else { false }
        }
        return isAgeCheck ? .age : .elements
    }

    /// As it is kept, under the name of the merchant who asks.
    package func kept(for merchant: String) -> [UInt8] {
        let value: JSONValue = [
            "merchant": .string(merchant), "document": .string(descriptor.document.rawValue),
            "elements": .array(descriptor.elements.map { .string($0.element.name) }),
            "intentToStore": .string(descriptor.elements.first?.intent.name ?? ""),
        ]
        return value.utf8
    }
}

extension IdentityDescriptor {
    /// As PassKit names it.
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
