import CBOR
import COSE
import MdocModel
import MdocTrust
import MdocVerification
import MdocWallet
import OpenSSLCrypto
import ReaderService
import Synchronization
import Testing
import Transport

/// One phone with its licence, and what a reader needs to judge it.
struct Scene {
    static let now = Timestamp(secondsSince1970: 1_793_534_400)

    let presented: PresentedWallet
    var wallet: Wallet
    let handover: HandoverKind
    let events = EventLog()

    init(
        _ presentation: PresentationCase = PresentationCase("test"), handover: HandoverKind = .static,
        _ change: (inout Wallet) -> Void = { _ in }
    ) throws {
        var presentation = presentation
        presentation.profile = presentation.profile.addingNFCCarrier()
        presented = try PresentedWallet(presentation, at: Self.now)
        wallet = presented.wallet
        self.handover = handover
        change(&wallet)
    }

    /// A case with a certain wallet, proof and portrait.
    static func presentation(
        _ profile: WalletProfile = .generic, _ proof: Holder.DeviceAuthentication = .signature,
        portrait: Int = 2400
    ) -> PresentationCase {
        PresentationCase("test") {
            $0.profile = profile
            $0.licence.portraitSize = portrait
            if proof == .mac { $0.authenticateByMAC() }
        }
    }

    /// The transaction that asks this phone.
    func transaction(
        deadlines: PresentationDeadlines = .ample, rules: VerificationRules = .interoperable,
        retrieval: RetrievalPlan = RetrievalPlan(), asking question: PresentationQuestion? = nil,
        _ watching: @escaping @Sendable (PresentationEvent) -> Void = { _ in }
    ) throws -> ReaderTransaction {
        let anchor = try TrustAnchor(Certificate(der: presented.issuer.root[...]))
        let plan = PresentationPlan(
            question: question ?? PresentationQuestion(.drafts([DeviceRequestDraft(presented.requests)])),
            trust: TrustStore(anchors: [anchor]), rules: rules,
            deadlines: deadlines, retrieval: retrieval, now: { Self.now })
        let events = events
        return ReaderTransaction(plan) { event in
            events.append(event)
            watching(event)
        }
    }

    /// This phone, taken in hand.
    func phone(_ change: (inout Wallet) -> Void = { _ in }) throws -> Phone {
        var wallet = wallet
        change(&wallet)
        return Phone(try WalletCard(wallet, handover: handover))
    }

    func link(number: Int = 1) throws -> WalletBenchLink {
        try WalletBenchLink(wallet, handover: handover, number: number, now: .now)
    }
}

extension PresentationDeadlines {
    /// Long enough for a busy machine; a test of a deadline shortens that one.
    static let ample: PresentationDeadlines = {
        var deadlines = PresentationDeadlines()
        deadlines.engagement = .seconds(30)
        deadlines.tap = .seconds(30)
        deadlines.tapPhase = .seconds(30)
        deadlines.progress = .seconds(30)
        deadlines.consent = .seconds(60)
        deadlines.farewell = .seconds(5)
        deadlines.lockedPhone = .milliseconds(20)
        return deadlines
    }()

    func with(_ change: (inout PresentationDeadlines) -> Void) -> PresentationDeadlines {
        var deadlines = self
        change(&deadlines)
        return deadlines
    }
}

/// What a transaction said while it ran.
final class EventLog: Sendable {
    private let events = Mutex<[PresentationEvent]>([])

    var all: [PresentationEvent] { events.withLock { $0 } }

    func append(_ event: PresentationEvent) {
        events.withLock { $0.append(event) }
    }

    func count(of event: PresentationEvent) -> Int { all.count { $0 == event } }

    /// Returns once the event was there, or after five seconds.
    func first(_ event: PresentationEvent) async throws {
        for _ in 0..<5000 {
            if all.contains(event) { return }
            try await Task.sleep(for: .milliseconds(1))
        }
        Issue.record("no event \(event)")
    }
}

extension Presentation {
    /// The response, where every check passed.
    func verified(_ location: SourceLocation = #_sourceLocation) -> VerifiedResponse? {
        if case .judged(.verified(let response)) = outcome { return response }
        Issue.record("not verified: \(outcome)", sourceLocation: location)
        return nil
    }

    var failure: PresentationFailure? {
        if case .failed(let failure) = outcome { failure } else { nil }
    }

    var isDeclined: Bool {
        if case .declined = outcome { true } else { false }
    }

    func duration(of name: PhaseTime.Name) -> Duration? {
        phases.first { $0.name == name }?.duration
    }
}

extension VerifiedResponse {
    func portrait() -> [UInt8]? {
        documents[0].elements.first { $0.name.identifier == "portrait" }
            .flatMap { try? $0.value.byteString() }.map(Array.init)
    }
}

/// How long `body` took.
func timed<Value>(_ body: () async throws -> Value) async rethrows -> (value: Value, time: Duration) {
    let start = ContinuousClock.now
    let value = try await body()
    return (value, start.duration(to: .now))
}
