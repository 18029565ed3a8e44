import MdocWallet
import PCSCBench
import PCSCTransport
import PresentationStage
import ReaderService
import Testing
import Transport

/// In a pcscd of their own (Hardware/soak): a reader that hangs can leave it with half of a reader that is gone.
@Suite(
    "USB readers that hang", .serialized,
    .enabled(if: USBBench.isHere, USBBench.absence), .takingTurnsAtTheBench)
struct USBReaderHangTests {
    @Test(
        "Q212 A reader whose firmware hangs is named while a phone is waited for, and after its recovery the wait goes on"
    )
    func recovers() async throws {
        try await USBReader.plugged(.acr1252u) { reader in
            let scene = try Scene()
            let transaction = try scene.transaction(
                deadlines: PresentationDeadlines.ample.with { $0.engagement = .seconds(90) })
            let field = reader.field()
            async let presentation = transaction.run(at: field)
            try await scene.events.first(.armed)
            try await USBBench.fault(.hang)
            let phone = try scene.phone()
            try await reader.holdHanging(phone)
            reader.wake()
            try await scene.events.first(.readerSilent, within: .seconds(30))
            try await USBBench.clear(.hang)
            let outcome = await presentation
            #expect(outcome.verified() != nil, "\(outcome.summary)")
        }
    }

    @Test("Q212 A reader that hangs is named, and works once it was plugged in again")
    func hangs() async throws {
        try await USBReader.plugged(.acr1252u) { reader in
            let scene = try Scene { $0.consentTime = .seconds(60) }
            try await reader.hold(try scene.phone())
            let service = PCSCService()
            let brief = PresentationDeadlines.ample.with { $0.consent = .seconds(1) }
            let transaction = try scene.transaction(deadlines: brief)
            let field = reader.field(service)
            async let first = transaction.run(at: field)
            try await scene.events.first(.awaitingConsent)
            try await USBBench.fault(.hang)
            #expect(await first.failure == .consentOverdue)
            let patient = PresentationDeadlines.ample.with { $0.engagement = .seconds(7) }
            let second = try await scene.transaction(deadlines: patient).run(at: reader.field(service))
            #expect(second.failure == .readerUnavailable(.readerBlocked), "\(second.summary)")
            reader.lift()
            try await USBBench.unplug()
            try await USBBench.clear(.hang)
            let again = try VirtualReader(await USBBench.plug(.acr1252u))
            defer { again.lift() }
            let next = try Scene()
            try await again.hold(try next.phone())
            let third = try await next.transaction().run(at: again.field(service))
            #expect(third.verified() != nil, "\(third.summary)")
        }
    }
}
