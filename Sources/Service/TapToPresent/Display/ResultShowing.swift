internal import Foundation

/// Shows the result of a display request and has the operator decide.
struct ResultShowing: Sendable {
    typealias ValidationOutcome = MobileDriversLicenseDisplayRequest.Response.ValidationOutcome

    let brand: String?
    private let display: (any DisplayChannel)?
    private let presenter: (any MobileDocumentPresenter)?
    /// How long the operator may take.
    var timeout = Duration.seconds(300)

    init(_ setup: MobileDocumentReader.Setup, brand: String?) {
        self.brand = brand
        display = if case .channel(let channel)? = setup.display?.place { channel } else { nil }
        presenter = setup.presenter
    }

    /// The operator's decision, by the display or by the app, whichever comes first. Nothing is shown any more when
    /// this returns.
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
        // The app is asked only once the result is shown. An app that never answers blocks nothing: the display has
        // its own timeout.
        let asking = Task {
            for await _ in shown {}
            if let presenter, !Task.isCancelled {
                _ = decided.yield(.success(await presenter.validationOutcome(of: result.asked)))
            }
        }
        let first = await decisions.first { _ in true }
        asking.cancel()
        showing.cancel()
        await showing.value
        guard let first, !Task.isCancelled else { throw .cancelled(.taskCancelled) }
        return try first.get()
    }
}

extension ReadDocument {
    /// The operator's decision on what a display request shows.
    func show(
        _ asked: MobileDocumentPresentation
    ) async throws(MobileDocumentReaderError) -> ResultShowing.ValidationOutcome {
        let result = ShownResult(self, asked)
        return result.concluded(try await showing.outcome(of: result))
    }
}
