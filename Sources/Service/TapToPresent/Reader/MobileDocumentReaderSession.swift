internal import MdocModel
internal import MdocVerification
internal import ReaderService
internal import ReaderTokens

/// A reader that is ready. It serves any number of requests, one at a time, and ends when it is released.
public final class MobileDocumentReaderSession: Sendable {
    private let installation: ReaderInstallation
    private let sharedReader: SharedReader
    private let hub: EventHub
    /// Checked again for each request: it may have expired by then, or its key may have been revoked.
    let token: MobileDocumentReader.Token?

    init(
        _ installation: ReaderInstallation, sharedReader: SharedReader, hub: EventHub,
        token: MobileDocumentReader.Token?
    ) {
        self.installation = installation
        self.sharedReader = sharedReader
        self.hub = hub
        self.token = token
    }

    /// What happens at this reader from now on, as `MobileDocumentReader.events`.
    public var events: AsyncStream<MobileDocumentReader.Event> { hub.stream() }

    /// Waits for a phone, asks it, and makes every check on its answer. Cancelling the task ends the transaction;
    /// the phone is notified.
    ///
    /// - Throws: `systemBusy` while another read is in progress, `sessionExpired` once the token's time is over,
    ///   `notAllowed` for elements without a reader token, `cancelled` if the task was cancelled or somebody
    ///   declined.
    @discardableResult
    public func requestDocument<Request: MobileDocumentRequest>(
        _ request: Request
    ) async throws(MobileDocumentReaderError) -> Request.Response {
        let plan = request.plan
        let asked = try plan.documents()
        if plan.needsToken, token == nil { throw .notAllowed(.tokenRequired) }
        if !plan.needsToken, installation.setup.display == nil { throw .notSupported(.displayMissing) }
        let result = try await sharedReader.occupied {
            () async throws(MobileDocumentReaderError) -> Result<Request.Response, MobileDocumentReaderError>
            in
            await self.result(of: plan, asking: asked)
        }
        // The reader is free before the event is sent.
        switch result {
        case .success: hub.send(.done(nil))
        case .failure(let error): hub.send(.done(error))
        }
        return try result.get()
    }

    private func result<Response>(
        of plan: MobileDocumentRequestPlan<Response>, asking asked: [RequestedDocument]
    ) async -> Result<Response, MobileDocumentReaderError> {
        do throws(MobileDocumentReaderError) {
            switch plan.answer {
            case .raw(let response): return .success(try response(await readRaw(asked)))
            case .verified(let response):
                let read = try await readVerified(asked)
                if !plan.needsToken { hub.send(.presenting) }
                return .success(try await response(read))
            }
        } catch {
            return .failure(error)
        }
    }

    private func readRaw(_ asked: [RequestedDocument]) async throws(MobileDocumentReaderError) -> RawAnswer {
        let read = try await read(asked, isRaw: true)
        guard case .judged = read.presentation.outcome, let raw = read.presentation.rawAnswer else {
            throw MobileDocumentReaderError(withoutAnswer: read.presentation.outcome)
        }
        return raw
    }

    private func readVerified(
        _ asked: [RequestedDocument]
    ) async throws(MobileDocumentReaderError) -> ReadDocument {
        let read = try await read(asked, isRaw: false)
        return try ReadDocument(
            read.presentation.outcome, asked, on: WallClock.localDay(at: installation.clock.now),
            ResultShowing(installation.setup, brand: read.brand))
    }

    private func read(
        _ asked: [RequestedDocument], isRaw: Bool
    ) async throws(MobileDocumentReaderError) -> (presentation: Presentation, brand: String?) {
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
        let presentation = try await sharedReader.present(
            ReaderTransaction(plan) { hub.send(MobileDocumentReader.Event($0)) })
        if case .judged(let judgement) = presentation.outcome {
            hub.send(.judged(MobileDocumentVerdict(judgement)))
        }
        return (presentation, prepared?.brand.name.text)
    }
}

extension ReadDocument {
    /// The document of an outcome that is to have one.
    fileprivate init(
        _ outcome: Presentation.Outcome, _ asked: [RequestedDocument], on day: FullDate,
        _ showing: ResultShowing
    ) throws(MobileDocumentReaderError) {
        guard case .judged(let judgement) = outcome, case .verified(let response) = judgement.verdict else {
            throw MobileDocumentReaderError(withoutAnswer: outcome)
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

extension MobileDocumentReaderError {
    /// Why an outcome gives the app nothing.
    fileprivate init(withoutAnswer outcome: Presentation.Outcome) {
        switch outcome {
        case .declined: self = .cancelled(.holderDeclined)
        case .malformed: self = .invalidResponse(.responseMalformed)
        case .failed(let failure): self = MobileDocumentReaderError(failure)
        case .judged(let judgement):
            let verdict = MobileDocumentVerdict(judgement)
            self = verdict.isVerified ? .unknown(.internalFault) : .invalidResponse(.rejected(verdict))
        }
    }
}
