import MdocModel
import MdocWallet
import PresentationStage
import ReaderService
import Testing
import Transport

@Suite("A presentation that is told to stop, in memory")
struct CancellationTests {
    @Test("while it waits for a phone, stops at once")
    func waiting() async throws {
        let scene = try Scene()
        let presentation = try await stopped(scene, at: Field([]), after: .armed)
        #expect(presentation.failure == .cancelled)
    }

    @Test("while it polls a locked phone, stops at once")
    func locked() async throws {
        let scene = try Scene { $0.lockedSelects = .max }
        let presentation = try await stopped(scene, at: Field(try scene.phone()), after: .phoneLocked)
        #expect(presentation.failure == .cancelled)
    }

    @Test("while the holder decides, lets a phone that answers soon know by status 20")
    func deciding() async throws {
        let scene = try Scene(Scene.presentation(portrait: 25_000)) { $0.consentTime = .seconds(1) }
        let phone = try scene.phone()
        // Several commands are still to come once the holder has decided.
        let presentation = try await stopped(scene, at: Field([phone], .short), after: .awaitingConsent)
        #expect(presentation.failure == .cancelled)
        #expect(phone.log.readerStatus == .termination)
    }

    @Test("while the holder is deciding, ends when its timeout is over")
    func endlessDecision() async throws {
        let scene = try Scene { $0.consentTime = .seconds(60) }
        let phone = try scene.phone()
        let (presentation, time) = try await timed {
            try await stopped(scene, at: Field(phone), after: .awaitingConsent, timeout: .milliseconds(300))
        }
        #expect(presentation.failure == .cancelled)
        #expect(phone.log.readerStatus == nil)
        #expect(time < .milliseconds(300) + DeadlineTests.margin)
    }

    @Test("over a bench link, tells the phone by status 20", arguments: HandoverKind.allCases)
    func link(_ handover: HandoverKind) async throws {
        let scene = try Scene(handover: handover) { $0.consentTime = .milliseconds(600) }
        let (reader, holder) = InMemoryChannel.pair()
        let phone = Task { try await WatchingHolder.serve(scene, over: holder) }
        let transaction = try scene.transaction()
        let task = Task { await transaction.run(over: reader) }
        try await scene.events.first(.awaitingConsent)
        task.cancel()
        #expect(await task.value.failure == .cancelled)
        #expect(try await phone.value == .termination)
    }

    @Test("over a bench link before its greeting, stops at once")
    func linkWaiting() async throws {
        let scene = try Scene()
        let (reader, holder) = InMemoryChannel.pair()
        let transaction = try scene.transaction()
        let task = Task { await transaction.run(over: reader) }
        try await scene.events.first(.armed)
        task.cancel()
        #expect(await task.value.failure == .cancelled)
        await #expect(throws: TransportError.closed(by: .peer)) { try await holder.receive() }
    }

    private func stopped(
        _ scene: Scene, at field: Field, after event: PresentationEvent, timeout: Duration = .seconds(20)
    ) async throws -> Presentation {
        let transaction = try scene.transaction(deadlines: .ample.with { $0.termination = timeout })
        let task = Task { await transaction.run(at: field) }
        try await scene.events.first(event)
        task.cancel()
        return await task.value
    }
}

/// A holder who reads what comes while the person is still deciding, as phones do.
private enum WatchingHolder {
    static func serve(
        _ scene: Scene, over channel: any MessageChannel
    ) async throws -> SessionStatus? {
        var link = try scene.link()
        do throws(TransportError) {
            try await channel.send(link.greeting)
            // The request, and then whatever comes before the answer would go out.
            _ = link.session.receive(try await channel.receive()[...])
            _ = link.session.receive(try await channel.receive()[...])
        } catch {}
        return link.session.readerStatus
    }
}
