internal import MdocModel
internal import MdocSession

/// The requests of one session with a phone, one after the other.
struct RequestExchange: ~Copyable, Sendable {
    private(set) var session: ReaderSession
    /// The request that went out last.
    private(set) var sent: SessionRequest?
    private var question: PresentationQuestion
    private let capabilities: EngagementCapabilities
    private var drafts: ArraySlice<DeviceRequestDraft>
    /// The next request, begun as soon as the transcript is known.
    private var next: PendingRequest?
    /// Asked before the first request; nil afterwards.
    private var admission: (@Sendable () async -> Bool)?

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

    /// Whether the phone can be asked for something else.
    var hasFurtherRequest: Bool { next != nil || !drafts.isEmpty }

    /// Asks for something else from now on.
    mutating func startAsking(_ further: PresentationQuestion) {
        question = further
        drafts = further.drafts(for: capabilities)[...]
        next = nil
        prepare()
    }

    private mutating func prepare() {
        guard let draft = drafts.popFirst() else { return }
        let (capabilities, transcript) = (capabilities, session.transcript)
        let identity = question.identity(asking: draft)
        next = PendingRequest(signedBy: identity?.name) { () throws(PresentationFailure) in
            try SessionRequest(draft, for: capabilities, in: transcript, signedBy: identity)
        }
    }

    /// The message with the next request, which may take so long to be signed.
    mutating func message(
        signedWithin timeout: Duration
    ) async throws(PresentationFailure) -> [UInt8] {
        if let admission = admission.take(), await !admission() { throw .cancelled }
        if next == nil { prepare() }
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

    mutating func receive(
        _ message: ArraySlice<UInt8>, now: ContinuousClock.Instant
    ) -> ReaderSession.Action {
        session.receive(message, now: now)
    }

    /// The termination message for the phone; nil if the phone ended the session.
    mutating func terminate() -> [UInt8]? {
        if case .end(_, let terminationMessage) = session.terminate() { terminationMessage } else { nil }
    }
}
