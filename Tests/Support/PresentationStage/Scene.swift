internal import CBOR
internal import COSE
internal import Deadlines
internal import Foundation
package import MdocModel
internal import MdocTrust
package import MdocVerification
package import MdocWallet
internal import PKIX
package import ReaderService
internal import Synchronization
package import Testing
internal import Transport

/// One phone with its licence, and what a reader needs to judge it.
package struct Scene {
    package static let now = Timestamp(secondsSince1970: 1_793_534_400)

    package let presented: PresentedWallet
    package var wallet: Wallet
    package let handover: HandoverKind
    package let events = EventLog()

    package init(
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
    package static func presentation(
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
    package func transaction(
        deadlines: PresentationDeadlines = .ample, rules: VerificationRules = .interoperable,
        retrieval: RetrievalPlan = RetrievalPlan(), asking question: PresentationQuestion? = nil,
        then further: FurtherQuestion? = nil,
        _ watching: @escaping @Sendable (PresentationEvent) -> Void = { _ in }
    ) throws -> ReaderTransaction {
        let anchor = try TrustAnchor(Certificate(der: presented.issuer.root[...]))
        var policy = VerificationPolicy(rules: rules)
        policy.acceptsTestDocuments = true
        var plan = PresentationPlan(
            question: question ?? PresentationQuestion(.drafts([DeviceRequestDraft(presented.requests)])),
            trust: TrustStore(anchors: [anchor]), policy: policy,
            deadlines: deadlines, retrieval: retrieval, clock: WallClock { Self.now })
        plan.further = further
        let events = events
        return ReaderTransaction(plan) { event in
            events.append(event)
            watching(event)
        }
    }

    /// This phone, taken in hand.
    package func phone(_ change: (inout Wallet) -> Void = { _ in }) throws -> Phone {
        var wallet = wallet
        change(&wallet)
        return Phone(try WalletCard(wallet, handover: handover))
    }

    package func link(number: Int = 1) throws -> WalletBenchLink {
        try WalletBenchLink(wallet, handover: handover, number: number, now: .now)
    }
}

extension PresentationDeadlines {
    /// Long enough for a busy machine; a test of a deadline shortens that one.
    package static let ample: PresentationDeadlines = {
        var deadlines = PresentationDeadlines()
        deadlines.engagement = .seconds(30)
        deadlines.tap = .seconds(30)
        deadlines.tapPhase = .seconds(30)
        deadlines.connecting = .seconds(60)
        deadlines.checkBluetooth = .seconds(60)
        deadlines.progress = .seconds(30)
        deadlines.consent = .seconds(60)
        deadlines.termination = .seconds(5)
        deadlines.lockedPhone = .milliseconds(20)
        deadlines.nextTry = .milliseconds(20)
        return deadlines
    }()

    package func with(_ change: (inout PresentationDeadlines) -> Void) -> PresentationDeadlines {
        var deadlines = self
        change(&deadlines)
        return deadlines
    }
}

/// What a transaction said while it ran, and when.
package final class EventLog: Sendable {
    private struct Entry {
        let event: PresentationEvent
        /// Seconds since 1970, as in a trace of the air.
        let time: Double
    }

    private let entries = Mutex<[Entry]>([])

    package var all: [PresentationEvent] { entries.withLock { $0.map(\.event) } }

    package func append(_ event: PresentationEvent) {
        let entry = Entry(event: event, time: Date().timeIntervalSince1970)
        entries.withLock { $0.append(entry) }
    }

    package func count(of event: PresentationEvent) -> Int { all.count { $0 == event } }

    /// When the event was there first, in seconds since 1970.
    package func time(of event: PresentationEvent) -> Double? {
        entries.withLock { $0.first { $0.event == event }?.time }
    }

    /// Returns once the event was there; records an issue after the time for it.
    package func first(_ event: PresentationEvent, within limit: Duration = .seconds(120)) async throws {
        try await reach(1, of: event, within: limit)
    }

    /// Returns once the event was there so often; records an issue after the time for it.
    package func reach(
        _ count: Int, of event: PresentationEvent, within limit: Duration = .seconds(120)
    ) async throws {
        do {
            try await until("\(event)", within: limit, every: .milliseconds(1)) {
                self.count(of: event) >= count
            }
        } catch is Overdue {
            Issue.record("no event \(event) for the time number \(count): \(all)")
        }
    }
}

extension Presentation {
    /// The response, where every check passed.
    package func verified(_ location: SourceLocation = #_sourceLocation) -> VerifiedResponse? {
        if case .success(.verified(let response)) = result { return response }
        Issue.record("not verified: \(result)", sourceLocation: location)
        return nil
    }

    package var isDeclined: Bool { failure == .declined }

    package func duration(of name: PhaseTime.Name) -> Duration? {
        phases.first { $0.name == name }?.duration
    }
}

extension VerifiedResponse {
    package func portrait() -> [UInt8]? {
        documents[0].elements.first { $0.name.identifier == "portrait" }
            .flatMap { try? $0.value.byteString() }.map(Array.init)
    }
}

/// How long `body` took.
package func timed<Value>(_ body: () async throws -> Value) async rethrows -> (value: Value, time: Duration) {
    let start = ContinuousClock.now
    let value = try await body()
    return (value, start.duration(to: .now))
}
