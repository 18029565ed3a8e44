internal import CBOR
internal import Foundation
internal import MdocVerification
internal import ReaderStore
internal import Reports
internal import RequestPlanner

/// The procedure that shows the operator the result of a display request and obtains the decision.
struct ResultShowing: Sendable {
    typealias ValidationOutcome = MobileDriversLicenseDisplayRequest.Response.ValidationOutcome

    let brand: String?
    private let display: (any DisplayChannel)?
    private let presenter: (any MobileDocumentPresenter)?
    /// The maximum time for the operator's decision.
    var timeout = Duration.seconds(300)

    init(_ setup: MobileDocumentReader.Setup, brand: String?) {
        self.brand = brand
        // The clerk's page has no `DisplayChannel`, because the private daemon shows the result there.
        display = if case .channel(let channel)? = setup.display?.place { channel } else { nil }
        presenter = setup.presenter
    }

    /// Returns the operator's decision, from the display or from the app, whichever comes first. The display
    /// is empty again when this function returns.
    func outcome(of result: ShownResult) async throws(MobileDocumentReaderError) -> ValidationOutcome {
        guard let display else { throw .notSupported(.displayMissing) }
        let (decisions, decided) = AsyncStream.makeStream(
            of: Result<ValidationOutcome, MobileDocumentReaderError>.self)
        let (shown, isShown) = AsyncStream.makeStream(of: Void.self)
        let (presenter, timeout) = (presenter, timeout)
        let showing = Task {
            _ = decided.yield(
                await display.show(result, asking: presenter == nil, within: timeout) { isShown.finish() })
        }
        // The app is asked for a decision only after the result is visible. An app that never answers cannot
        // block the request, because the display has its own time limit.
        let asking = Task {
            // The stream has no elements, but ends when the result is visible.
            for await _ in shown {}
            if let presenter, !Task.isCancelled {
                _ = decided.yield(.success(await presenter.validationOutcome(of: result.asked)))
            }
        }
        let first = await decisions.first { _ in true }
        asking.cancel()
        showing.cancel()
        // Nothing of the document may be visible when this function returns.
        await showing.value
        // The stream ends without a decision only if this task was cancelled.
        guard let first, !Task.isCancelled else { throw .cancelled(.taskCancelled) }
        return try first.get()
    }
}

extension ReadDocument {
    /// Returns the operator's decision about the result of a display request.
    func show(
        _ asked: MobileDocumentPresentation
    ) async throws(MobileDocumentReaderError) -> ResultShowing.ValidationOutcome {
        let result = ShownResult(self, asked)
        return result.concluded(try await showing.outcome(of: result))
    }
}

/// The contents of a verified document that a display shows. Values of this type reach only the displays of
/// this library.
struct ShownResult: Sendable, RedactedDescription {
    let brand: String?
    let asked: MobileDocumentPresentation
    /// Whether a test issuer signed the document. Such a document proves nothing.
    let isTest: Bool
    let familyName: String?
    let givenName: String?
    let age: Int?
    let ages: [(years: Int, answer: Answer)]
    let portrait: Data?
    /// The reason why there is no portrait to compare, or `nil` if there is one.
    let portraitFault: String?
    /// The evidence for the outcome, without the operator's decision.
    let evidence: Conclusion.Evidence

    /// Returns the result for the app, from the operator's decision and the evidence, by the rules for the
    /// outcome of a presentation. An approval without a portrait does not count, since nobody compared a
    /// portrait with the holder's face.
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
    /// Creates the result from the requested elements of a document.
    init(_ read: ReadDocument, _ asked: MobileDocumentPresentation) {
        let elements = ElementReader(read)
        // Only the My Number Card of Japan has an element with the whole name.
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
