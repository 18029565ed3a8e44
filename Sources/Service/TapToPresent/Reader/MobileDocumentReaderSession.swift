internal import ReaderService
internal import ReaderTokens
internal import RequestPlanner
internal import Synchronization

/// A reader that is ready. It serves any number of requests, one at a time, and ends when it is released.
public final class MobileDocumentReaderSession: Sendable {
    let installation: ReaderInstallation
    let sharedReader: SharedReader
    let hub: EventHub
    /// Checked again for each request: it may have expired by then, or its key may have been revoked.
    let token: MobileDocumentReader.Token?
    /// Started at the first display request on the clerk's page.
    let daemon = Mutex<PrivateDaemon?>(nil)

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
    /// - Parameter policy: in place of the setup's policies, where it accepts no more than they do.
    /// - Throws: `systemBusy` while another read is in progress, `sessionExpired` once the token's time is over,
    ///   `notAllowed` for elements without a reader token or for a policy that accepts more than the setup's, `cancelled`
    ///   if the task was cancelled or somebody declined.
    @discardableResult
    public func requestDocument<Request: MobileDocumentRequest>(
        _ request: Request, policy: MobileDocumentReader.Setup.Revocation? = nil
    ) async throws(MobileDocumentReaderError) -> Request.Response {
        let plan = try request.plan
        if plan.needsToken, token == nil { throw .notAllowed(.tokenRequired) }
        if !plan.needsToken, installation.setup.display == nil { throw .notSupported(.displayMissing) }
        let result = try await sharedReader.occupied {
            () async throws(MobileDocumentReaderError) -> Result<Request.Response, MobileDocumentReaderError>
            in
            await self.result(of: plan, policy)
        }
        // The reader is free before the event is sent.
        switch result {
        case .success: hub.send(.done(nil))
        case .failure(let error): hub.send(.done(error))
        }
        return try result.get()
    }

    private func result<Response>(
        of plan: MobileDocumentRequestPlan<Response>, _ policy: MobileDocumentReader.Setup.Revocation?
    ) async -> Result<Response, MobileDocumentReaderError> {
        do throws(MobileDocumentReaderError) {
            switch plan.answer {
            case .raw(let response): return .success(try response(await readRaw(plan.choices, policy)))
            case .verified(let response):
                return .success(try response(await readVerified(plan.choices, policy)))
            case .decided(let asked, let response):
                return .success(response(try await decision(on: asked, plan.choices, policy)))
            }
        } catch {
            return .failure(error)
        }
    }

    private func decision(
        on asked: MobileDocumentPresentation, _ choices: [RequestPlan],
        _ policy: MobileDocumentReader.Setup.Revocation?
    ) async throws(MobileDocumentReaderError) -> ResultShowing.ValidationOutcome {
        if case .page(let page)? = installation.setup.display?.place {
            return try await decision(at: page, on: asked, choices, policy)
        }
        var read = try await readVerified(choices, policy)
        await read.decodePortrait(by: installation.setup.decoder)
        hub.send(.presenting)
        return try await read.show(asked)
    }

    private func readRaw(
        _ choices: [RequestPlan], _ policy: MobileDocumentReader.Setup.Revocation?
    ) async throws(MobileDocumentReaderError) -> RawAnswer {
        let read = try await read(choices, policy, isRaw: true)
        guard case .success = read.presentation.result, let raw = read.presentation.rawAnswer else {
            throw MobileDocumentReaderError(withoutAnswer: read.presentation.result)
        }
        return raw
    }

    private func readVerified(
        _ choices: [RequestPlan], _ policy: MobileDocumentReader.Setup.Revocation?
    ) async throws(MobileDocumentReaderError) -> ReadDocument {
        let read = try await read(choices, policy, isRaw: false)
        return try ReadDocument(
            read.presentation, choices: choices, on: WallClock.localDay(at: installation.clock.now),
            showing: ResultShowing(installation.setup, brand: read.brand))
    }

    private func read(
        _ choices: [RequestPlan], _ policy: MobileDocumentReader.Setup.Revocation?, isRaw: Bool
    ) async throws(MobileDocumentReaderError) -> (presentation: Presentation, brand: String?) {
        let now = try installation.now()
        let prepared = try await installation.prepared(by: token, at: now)
        var plan = PresentationPlan(
            question: PresentationQuestion(
                .anyOf(choices), identities: try installation.identities(for: prepared, at: now),
                brand: prepared?.brand.identifier.text),
            trust: try installation.trust(), policy: try installation.policy(for: choices, choosing: policy),
            deadlines: installation.deadlines, clock: installation.clock)
        plan.handsOutRawAnswer = isRaw
        let hub = hub
        let presentation = try await sharedReader.present(
            ReaderTransaction(plan) { hub.send(MobileDocumentReader.Event($0)) })
        if case .success(let judgement) = presentation.result {
            hub.send(.judged(MobileDocumentVerdict(judgement)))
        }
        return (presentation, prepared?.brand.name.text)
    }
}
