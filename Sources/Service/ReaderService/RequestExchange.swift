internal import MdocModel
internal import MdocSession

/// The requests of one session with a phone, one after another.
///
/// A session may need several requests. A question can have several drafts, each of which becomes one
/// request. A later draft is sent only if no earlier draft brought a document. If the plan has a second
/// question, its drafts may follow (`startAsking(_:)`).
///
/// `RunningTransaction` calls these functions in turn: `message(signedWithin:)` gives the next encrypted
/// message, a carrier exchanges it, and `receive(_:now:)` decrypts the answer. `terminate()` ends the
/// session.
///
/// The next request is written and signed as soon as the transcript is known, while other work continues,
/// because some keys sign slowly (`PendingRequest`). The reader's signature covers the transcript, so a
/// request is made again for each session (Q57).
///
/// The exchange owns the session and its keys, and cannot be copied, so that no message counter is used
/// twice. It judges no answer.
struct RequestExchange: ~Copyable, Sendable {
    private(set) var session: ReaderSession
    /// The request that was sent last.
    private(set) var sent: SessionRequest?
    private var question: PresentationQuestion
    private let capabilities: EngagementCapabilities
    /// The drafts of `question` that are not prepared yet.
    private var drafts: ArraySlice<DeviceRequestDraft>
    /// The next request, which is being written and signed.
    private var next: PendingRequest?
    /// The plan's `admission`, which may stop the presentation before its first request; `nil` after this
    /// function was called.
    private var admission: (@Sendable () async -> Bool)?

    /// Creates the exchange, and begins to write and sign the first request.
    init(
        _ session: consuming ReaderSession, asking question: PresentationQuestion,
        _ capabilities: EngagementCapabilities, admission: (@Sendable () async -> Bool)? = nil
    ) {
        self.session = session
        self.admission = admission
        self.question = question
        self.capabilities = capabilities
        drafts = question.drafts(for: capabilities)[...]
        prepare()
    }

    /// Whether another request is left for this session.
    var hasFurtherRequest: Bool { next != nil || !drafts.isEmpty }

    /// Continues with another question. Drafts of the previous question that were not sent are dropped.
    mutating func startAsking(_ further: PresentationQuestion) {
        question = further
        drafts = further.drafts(for: capabilities)[...]
        next = nil
        prepare()
    }

    /// Starts to write and sign the next draft, if one is left.
    private mutating func prepare() {
        guard let draft = drafts.popFirst() else { return }
        let (capabilities, transcript) = (capabilities, session.transcript)
        let identity = question.identity(asking: draft)
        next = PendingRequest(signedBy: identity?.name) { () throws(PresentationFailure) in
            try SessionRequest(draft, for: capabilities, in: transcript, signedBy: identity)
        }
    }

    /// Returns the encrypted message with the next request.
    ///
    /// - Parameter timeout: the time that the request's signature may still take.
    /// - Throws: `cancelled` if the plan's `admission` returns false, `requestNotSigned` if the identity's
    ///   key does not sign in time.
    mutating func message(
        signedWithin timeout: Duration
    ) async throws(PresentationFailure) -> [UInt8] {
        if let admission = admission.take(), await !admission() { throw .cancelled }
        // A later draft is signed only when it is needed.
        if next == nil { prepare() }
        // Only a question without drafts leaves nothing to send.
        guard let pending = next.take() else { throw .session(.unexpectedMessage) }
        let request = try await pending.value(by: .now + timeout)
        do throws(SessionError) {
            guard case .transmit(let message, _) = try session.send(request.bytes[...], now: .now) else {
                throw .unexpectedMessage
            }
            sent = request
            return message
        } catch {
            throw .session(error)
        }
    }

    /// Decrypts a message of the phone, and returns the next action of the session.
    mutating func receive(
        _ message: ArraySlice<UInt8>, now: ContinuousClock.Instant
    ) -> ReaderSession.Action {
        session.receive(message, now: now)
    }

    /// Ends the session.
    ///
    /// - Returns: the termination message for the phone; `nil` if the phone has ended the session.
    mutating func terminate() -> [UInt8]? {
        if case .end(_, let terminationMessage) = session.terminate() { terminationMessage } else { nil }
    }
}
