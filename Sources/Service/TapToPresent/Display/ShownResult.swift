internal import CBOR
internal import Foundation
internal import RequestPlanner

/// What a display shows of a document that passed every check. It goes to a display of this library and to nothing else.
struct ShownResult: Sendable, RedactedDescription {
    enum Answer: String, Sendable { case yes, no, unknown }

    let brand: String?
    let asked: MobileDocumentPresentation
    let familyName: String?
    let givenName: String?
    let age: Int?
    let ages: [(years: Int, answer: Answer)]
    let portrait: Data?

    /// Whether there is nothing against approving: each age asked about is proven, and there is a portrait to compare.
    var mayBeApproved: Bool { ages.allSatisfy { $0.answer == .yes } && portrait != nil }
}

extension ShownResult {
    init(_ read: ReadDocument, _ asked: MobileDocumentPresentation) {
        let elements = ElementReader(read)
        let answers = elements.agesAtLeast
        brand = read.showing.brand
        self.asked = asked
        familyName = asked.elements.contains(.familyName) ? elements.text("family_name") : nil
        givenName = asked.elements.contains(.givenName) ? elements.text("given_name") : nil
        age = asked.elements.contains(.age) ? elements.age : nil
        ages = read.plan.ages.map { years in
            (years, answers[years].map { $0 ? .yes : .no } ?? .unknown)
        }
        portrait = elements.portrait
    }
}
