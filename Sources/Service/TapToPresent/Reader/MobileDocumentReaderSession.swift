internal import ReaderService
internal import ReaderTokens
internal import RequestPlanner
internal import Synchronization

/// A prepared reader, which serves any number of requests, one at a time.
///
/// ``MobileDocumentReader/prepare(using:)`` creates the session. The session ends when the app releases it. A
/// private daemon that was started for the clerk's page ends with the session.
///
/// For each request, the session
/// 1. converts the request into a plan, and refuses a request that needs a missing token or display;
/// 2. reserves the NFC reader and Bluetooth adapter, or throws `systemBusy`;
/// 3. checks the clock, the token, the trusted issuers and the revocation policy again, since each may have
///    changed since the reader was prepared;
/// 4. runs one transaction with the phone and verifies the answer (ISO/IEC 18013-5 9.3);
/// 5. returns elements, the raw answer, or the operator's decision, according to the type of the request.
///
/// With the clerk's page, steps 3 to 5 take place in a private `countersignd`, and no element enters the
/// app's process.
///
/// The class is safe to use from any thread or actor. A session never repeats a request, keeps no element
/// after returning it, and returns elements only of documents that passed every check; a raw answer is
/// returned unverified.
public final class MobileDocumentReaderSession: Sendable {
    let installation: ReaderInstallation
    let sharedReader: SharedReader
    let hub: EventHub
    /// The reader token. Each request checks the token again, because meanwhile the token may have expired or
    /// its key may have been revoked.
    let token: MobileDocumentReader.Token?
    /// The private daemon, which is started at the first display request on the clerk's page.
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

    /// A stream of the events of all sessions of the reader that created this session, as in
    /// ``MobileDocumentReader/events``.
    public var events: AsyncStream<MobileDocumentReader.Event> { hub.stream() }

    /// Waits for a phone, sends the request, and verifies the answer. If the task is cancelled, the
    /// transaction ends and the phone is notified.
    ///
    /// - Parameters:
    ///   - request: The request, such as ``MobileDriversLicenseDisplayRequest``.
    ///   - policy: A revocation policy that replaces the setup's policies. It must be at least as strict as
    ///     the setup's policies.
    /// - Returns: The answer, of the type `Request.Response`.
    /// - Throws: `systemBusy` while another read is in progress; `sessionExpired` after the token has
    ///   expired; `notAllowed` for elements without a reader token, or for a policy that is less strict than
    ///   the setup's; `cancelled` if the task was cancelled or somebody declined; other cases as described in
    ///   ``MobileDocumentReaderError``.
    @discardableResult
    public func requestDocument<Request: MobileDocumentRequest>(
        _ request: Request, policy: MobileDocumentReader.Setup.Revocation? = nil
    ) async throws(MobileDocumentReaderError) -> Request.Response {
        let plan = try request.plan
        // A request that needs no token is a display request.
        if plan.needsToken, token == nil { throw .notAllowed(.tokenRequired) }
        if !plan.needsToken, installation.setup.display == nil { throw .notSupported(.displayMissing) }
        let result = try await sharedReader.occupied {
            () async throws(MobileDocumentReaderError) -> Result<Request.Response, MobileDocumentReaderError>
            in
            await self.result(of: plan, policy)
        }
        // The event is sent after `occupied` has released the devices, because an app may send its next
        // request as soon as it receives this event.
        switch result {
        case .success: hub.send(.done(nil))
        case .failure(let error): hub.send(.done(error))
        }
        return try result.get()
    }

    /// Reads the document and returns the response: from the raw answer, the verified elements or the
    /// operator's decision, according to `plan.answer`.
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

    /// Returns the operator's decision: from the clerk's page, or from another display after this process has
    /// read the document.
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

    /// Runs a transaction and returns the phone's answer, whether or not it passed the checks.
    private func readRaw(
        _ choices: [RequestPlan], _ policy: MobileDocumentReader.Setup.Revocation?
    ) async throws(MobileDocumentReaderError) -> RawAnswer {
        let read = try await read(choices, policy, isRaw: true)
        guard case .success = read.presentation.result, let raw = read.presentation.rawAnswer else {
            throw MobileDocumentReaderError(withoutAnswer: read.presentation.result)
        }
        return raw
    }

    /// Runs a transaction and returns the requested document. Throws if the answer was not verified.
    private func readVerified(
        _ choices: [RequestPlan], _ policy: MobileDocumentReader.Setup.Revocation?
    ) async throws(MobileDocumentReaderError) -> ReadDocument {
        let read = try await read(choices, policy, isRaw: false)
        return try ReadDocument(
            read.presentation, choices: choices, on: WallClock.localDay(at: installation.clock.now),
            showing: ResultShowing(installation.setup, brand: read.brand))
    }

    /// Runs one transaction with a phone. Returns the presentation, and the name of the brand if the session
    /// has a token.
    private func read(
        _ choices: [RequestPlan], _ policy: MobileDocumentReader.Setup.Revocation?, isRaw: Bool
    ) async throws(MobileDocumentReaderError) -> (presentation: Presentation, brand: String?) {
        // The clock, token, identities, trusted issuers and policy are read for each request, so that a
        // change applies without a restart.
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
