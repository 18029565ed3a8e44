internal import CBOR
internal import Foundation
internal import MdocVerification
internal import ReaderStore
internal import Reports
internal import RequestPlanner

/// What a display shows of a document that passed every check. It goes to a display of this library and to nothing else.
struct ShownResult: Sendable, RedactedDescription {
    let brand: String?
    let asked: MobileDocumentPresentation
    /// Whether a test issuer signed the document, which proves nothing.
    let isTest: Bool
    let familyName: String?
    let givenName: String?
    let age: Int?
    let ages: [(years: Int, answer: Answer)]
    let portrait: Data?
    /// Why there is no portrait to compare; nil if there is one.
    let portraitFault: String?
    /// The evidence for the outcome, beside the operator's decision.
    let evidence: Conclusion.Evidence

    /// The result of the operator's decision, by the outcome of a presentation. Without a portrait nobody compared.
    func concluded(_ decision: ResultShowing.ValidationOutcome) -> ResultShowing.ValidationOutcome {
        var evidence = evidence
        evidence.person = .decided(ReceiptStatement.Decision(decision))
        switch evidence.conclusion?.outcome {
        case .allow: return .approved
        case .deny: return .rejected
        case .unclear, .declined, .cancelled, .failed, nil: return .dismissed
        }
    }
}

extension ReceiptStatement.Decision {
    fileprivate init(_ outcome: ResultShowing.ValidationOutcome) {
        self =
            switch outcome {
            case .approved: .approved
            case .rejected: .rejected
            case .dismissed: .dismissed
            }
    }
}

extension ShownResult {
    init(_ read: ReadDocument, _ asked: MobileDocumentPresentation) {
        let elements = ElementReader(read)
        let fullName = ElementReader(read, nameSpace: DocumentFamily.japaneseNameSpace).fullName
        let answers = elements.agesAtLeast
        brand = read.showing.brand
        self.asked = asked
        isTest = read.isTest
        familyName =
            asked.elements.contains(.familyName) ? elements.text("family_name") ?? fullName?.familyName : nil
        givenName =
            asked.elements.contains(.givenName) ? elements.text("given_name") ?? fullName?.givenName : nil
        age = asked.elements.contains(.age) ? elements.age : nil
        ages = read.plan.ages.map { years in
            (years, answers[years].map { $0 ? .yes : .no } ?? .unknown)
        }
        portrait = read.comparablePortrait.map { Data($0) }
        portraitFault = portrait == nil ? read.portraitAnswer?.reason : nil
        evidence = read.evidence
    }
}
