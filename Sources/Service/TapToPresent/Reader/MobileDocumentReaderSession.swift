internal import MdocModel
internal import MdocVerification
internal import ReaderService
internal import ReaderTokens

/// A reader that is ready. It serves any number of requests, one at a time, and ends when it is let go of.
public final class MobileDocumentReaderSession: Sendable {
    private let installation: ReaderInstallation
    private let counter: ReadingCounter
    private let hub: EventHub
    /// Believed anew for each request: its time may be over by then, or its key revoked.
    let token: MobileDocumentReader.Token?

    init(
        _ installation: ReaderInstallation, counter: ReadingCounter, hub: EventHub,
        token: MobileDocumentReader.Token?
    ) {
        self.installation = installation
        self.counter = counter
        self.hub = hub
        self.token = token
    }

    /// What happens at this reader from now on, as `MobileDocumentReader.events`.
    public var events: AsyncStream<MobileDocumentReader.Event> { hub.stream() }

    /// Waits for a phone, asks it, and makes every check on its answer. Cancelling the task ends the transaction; the
    /// phone is told.
    ///
    /// - Throws: `systemBusy` while another read is under way, `sessionExpired` once the token's time is over,
    ///   `notAllowed` for elements without a reader token, `cancelled` where the task was cancelled or somebody said no.
    @discardableResult
    public func requestDocument<Request: MobileDocumentRequest>(
        _ request: Request
    ) async throws(MobileDocumentReaderError) -> Request.Response {
        guard let planned = request as? any PlannedRequest else {
            throw .invalidRequest(.requestNotKnown)
        }
        guard let response = try await answer(to: planned) as? Request.Response else {
            throw .unknown(.internalFault)
        }
        return response
    }

    private func answer<Request: PlannedRequest>(
        to request: Request
    ) async throws(MobileDocumentReaderError) -> any Sendable {
        let asked = try request.documents()
        if Request.needsToken, token == nil { throw .notAllowed(.tokenRequired) }
        if !Request.needsToken, installation.setup.display == nil { throw .notSupported(.displayMissing) }
        let result = try await counter.occupied {
            () async throws(MobileDocumentReaderError) -> Result<Request.Response, MobileDocumentReaderError>
            in
            await self.result(of: request, asking: asked)
        }
        // Whoever hears of it finds the reader free.
        switch result {
        case .success: hub.send(.done(nil))
        case .failure(let error): hub.send(.done(error))
        }
        return try result.get()
    }

    private func result<Request: PlannedRequest>(
        of request: Request, asking asked: [RequestedDocument]
    ) async -> Result<Request.Response, MobileDocumentReaderError> {
        do throws(MobileDocumentReaderError) {
            let answer = try await read(asked, isRaw: Request.isRaw)
            if !Request.needsToken { hub.send(.presenting) }
            return .success(try await request.response(to: answer))
        } catch {
            return .failure(error)
        }
    }

    private func read(
        _ asked: [RequestedDocument], isRaw: Bool
    ) async throws(MobileDocumentReaderError) -> ReadAnswer {
        let now = try installation.now()
        let prepared = try await installation.prepared(by: token, at: now)
        var plan = PresentationPlan(
            question: PresentationQuestion(
                .anyOf(asked.map(\.requests)),
                identities: try installation.identities(for: prepared, at: now),
                brand: prepared?.brand.identifier.text),
            trust: try installation.trust(), policy: installation.policy, deadlines: installation.deadlines,
            clock: installation.clock)
        plan.handsOutRawAnswer = isRaw
        let hub = hub
        let presentation = try await counter.present(
            ReaderTransaction(plan) { hub.send(MobileDocumentReader.Event($0)) })
        if case .judged(let judgement) = presentation.outcome {
            hub.send(.judged(MobileDocumentVerdict(judgement)))
        }
        if case .judged = presentation.outcome, let raw = presentation.rawAnswer { return .raw(raw) }
        return .verified(
            try ReadDocument(
                presentation.outcome, asked, on: WallClock.localDay(at: plan.clock.now),
                ResultShowing(installation.setup, brand: prepared?.brand.name.text)))
    }
}

extension ReadDocument {
    /// The document of an outcome that is to have one.
    fileprivate init(
        _ outcome: Presentation.Outcome, _ asked: [RequestedDocument], on day: FullDate,
        _ showing: ResultShowing
    ) throws(MobileDocumentReaderError) {
        switch outcome {
        case .declined: throw .cancelled(.holderDeclined)
        case .malformed: throw .invalidResponse(.responseMalformed)
        case .failed(let failure): throw MobileDocumentReaderError(failure)
        case .judged(let judgement):
            guard case .verified(let response) = judgement.verdict else {
                throw .invalidResponse(.rejected(MobileDocumentVerdict(judgement)))
            }
            for requested in asked {
                let docTypes = requested.kind.docTypes
                guard let document = response.documents.first(where: { docTypes.contains($0.docType) })
                else { continue }
                self.init(document: document, requested: requested, day: day, showing: showing)
                return
            }
            throw .unknown(.internalFault)
        }
    }
}
