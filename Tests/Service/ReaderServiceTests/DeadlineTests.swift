import Deadlines
import MdocModel
import MdocSession
import MdocWallet
import PresentationStage
import ReaderService
import Testing
import Transport

@Suite("Every wait has its deadline, in memory")
struct DeadlineTests {
    /// What a busy machine may add: less than any deadline that was not shortened.
    static let margin = Duration.seconds(25)

    @Test("Q191 No phone: over by the deadline of the engagement")
    func noPhone() async throws {
        let scene = try Scene()
        let deadlines = PresentationDeadlines.ample.with { $0.engagement = .milliseconds(200) }
        let (presentation, time) = try await timed {
            try await scene.transaction(deadlines: deadlines).run(at: Field([]))
        }
        #expect(presentation.failure == .engagementOverdue(lastTap: nil))
        #expect((.milliseconds(200)...(.milliseconds(200) + Self.margin)).contains(time))
    }

    @Test("A phone that leaves before it can be read ends no wait: the next is asked")
    func lostBeforeReading() async throws {
        let scene = try Scene()
        let presentation = try await scene.transaction().run(at: UnsteadyField(scene.phone()))
        #expect(presentation.verified() != nil)
        #expect(scene.events.count(of: .armed) == 1)
    }

    @Test("Q54 Q130 Q191 If the holder does not decide, the presentation ends at the deadline for consent")
    func consent() async throws {
        let scene = try Scene { $0.consentTime = .seconds(60) }
        let deadlines = PresentationDeadlines.ample.with { $0.consent = .milliseconds(200) }
        let (presentation, time) = try await timed {
            try await scene.transaction(deadlines: deadlines).run(at: Field(scene.phone()))
        }
        #expect(presentation.failure == .consentOverdue)
        #expect((.milliseconds(200)...(.milliseconds(200) + Self.margin)).contains(time))
    }

    @Test("Q54 Consent may take longer than any other deadline")
    func longConsent() async throws {
        let scene = try Scene { $0.consentTime = .milliseconds(2500) }
        let deadlines = PresentationDeadlines.ample.with {
            ($0.engagement, $0.tap, $0.progress) = (.seconds(2), .seconds(2), .seconds(2))
        }
        let presentation = try await scene.transaction(deadlines: deadlines).run(at: Field(scene.phone()))
        #expect(presentation.verified() != nil)
    }

    @Test("A phone that stops answering in its engagement: over by the phase's deadline, and then tap again")
    func silentPhone() async throws {
        let scene = try Scene()
        let deadlines = PresentationDeadlines.ample.with {
            $0.tapPhase = .milliseconds(500)
            $0.engagement = .milliseconds(100)
            $0.nextTap = .milliseconds(100)
        }
        let (presentation, time) = try await timed {
            try await scene.transaction(deadlines: deadlines).run(at: SilentField(after: 2))
        }
        guard case .engagementOverdue(let lastTap?) = presentation.failure else {
            Issue.record("\(presentation.result)")
            return
        }
        #expect(lastTap.fault == .deadlinePassed)
        #expect((.milliseconds(600)...(.milliseconds(600) + Self.margin)).contains(time))
    }

    @Test("A bench link without a greeting: over by the deadline of the engagement")
    func noGreeting() async throws {
        let scene = try Scene()
        let (reader, holder) = InMemoryChannel.pair()
        let deadlines = PresentationDeadlines.ample.with { $0.engagement = .milliseconds(200) }
        let (presentation, time) = try await timed {
            try await scene.transaction(deadlines: deadlines).run(over: reader)
        }
        #expect(presentation.failure == .engagementOverdue(lastTap: nil))
        #expect((.milliseconds(200)...(.milliseconds(200) + Self.margin)).contains(time))
        await holder.close()
    }

    @Test("A bench link whose holder does not decide: over by the deadline of consent, and reported so")
    func linkConsent() async throws {
        let scene = try Scene(handover: .qr) { $0.consentTime = .milliseconds(1200) }
        let (reader, holder) = InMemoryChannel.pair()
        let phone = Task { try await HolderEnd.serve(scene, over: holder) }
        let deadlines = PresentationDeadlines.ample.with { $0.consent = .milliseconds(200) }
        let (presentation, time) = try await timed {
            try await scene.transaction(deadlines: deadlines).run(over: reader)
        }
        #expect(presentation.failure == .consentOverdue)
        #expect((.milliseconds(200)...(.milliseconds(200) + Self.margin)).contains(time))
        _ = try await phone.value
    }
}

/// A field whose phone leaves before it can be read, once, and comes back.
private struct UnsteadyField: ContactlessReader {
    private let field: Field
    private let counter = Counter()

    init(_ phone: Phone) {
        field = Field(phone)
    }

    func beginPresentation() async { await field.beginPresentation() }

    func nextCard(again pause: Duration?) async throws(ContactlessError) -> any ContactlessCard {
        guard await counter.next() > 1 else { throw .cardLost }
        return try await field.nextCard(again: pause)
    }
}

/// A phone that answers so many commands and then nothing more, without leaving the field.
private struct SilentField: ContactlessReader {
    let after: Int

    func beginPresentation() async {}

    func nextCard(again pause: Duration?) async throws(ContactlessError) -> any ContactlessCard {
        guard await counter.next() == 1 else {
            await untilCancelled()
            throw .cancelled
        }
        return SilentCard(after: after)
    }

    private let counter = Counter()

    init(after: Int) {
        self.after = after
    }
}

private actor Counter {
    private var count = 0

    func next() -> Int {
        count += 1
        return count
    }
}

private struct SilentCard: ContactlessCard {
    let after: Int
    let limits = ContactlessLimits.extended
    let stay = 1
    private let counter = Counter()

    init(after: Int) {
        self.after = after
    }

    func exchange(_ command: ArraySlice<UInt8>) async throws(ContactlessError) -> [UInt8] {
        guard await counter.next() > after else { return [0x90, 0x00] }
        await untilCancelled()
        throw .cancelled
    }

    func release() async {}
}
