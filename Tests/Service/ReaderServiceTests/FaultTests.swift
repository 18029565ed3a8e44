import MdocWallet
import PresentationStage
import ReaderService
import Testing
import Transport
import VectorFiles

@Suite("Each fault of a phone has its name, in memory")
struct FaultTests {
    @Test("Q22 Q24 Q41 Q52 Q132 Q194 What goes wrong with a card", arguments: CardFault.allCases)
    func card(_ fault: CardFault) async throws {
        let scene = try fault.scene()
        let deadlines = PresentationDeadlines.ample.with {
            $0.engagement = .milliseconds(300)
            $0.nextTap = .milliseconds(100)
            $0.consent = .milliseconds(500)
        }
        let presentation = try await scene.transaction(deadlines: deadlines).run(at: Field(scene.phone()))
        #expect(presentation.summary == FaultTable.card[fault.rawValue])
    }

    @Test("What goes wrong in messages, over NFC", arguments: FaultTable.messages.indices)
    func nfc(_ index: Int) async throws {
        let (presentation, summary) = FaultTable.messages[index]
        let scene = try presentation.sceneAtReader()
        let result = try await scene.transaction().run(at: Field(scene.phone()))
        #expect(result.summary == summary, "\(presentation.name)")
    }

    @Test("What goes wrong in messages, over a bench link", arguments: FaultTable.messages.indices)
    func link(_ index: Int) async throws {
        let (presentation, summary) = FaultTable.messages[index]
        let scene = try Scene(presentation, handover: presentation.handover)
        let (reader, holder) = InMemoryChannel.pair()
        let phone = Task { try await HolderEnd.serve(scene, over: holder) }
        let result = try await scene.transaction().run(over: reader)
        #expect(result.summary == summary, "\(presentation.name)")
        _ = try await phone.value
    }

    @Test(
        "Q200 Whatever is printed of a presentation that was refused holds nothing of the licence",
        arguments: FaultTable.messages.indices.filter { index in
            !FaultTable.messages[index].summary.hasPrefix("verified")
        })
    func silence(_ index: Int) async throws {
        let scene = try FaultTable.messages[index].presentation.sceneAtReader()
        let result = try await scene.transaction().run(at: Field(scene.phone()))
        #expect(!result.summary.hasPrefix("verified"), "\(result.summary)")
        var printed = "\(result) \(String(reflecting: result)) \(scene.events.all)"
        dump(result, to: &printed)
        let portrait = Array(TestPortrait.jpeg(size: TestPortrait.minimumSize).prefix(16))
        let values = [
            "Testrup", "Lumi", "7700423519", portrait.hex, "\(portrait)", "\(Array("Testrup".utf8))",
            Array("7700423519".utf8).hex,
        ]
        for value in values { #expect(!printed.contains(value), "\(result.summary)") }
    }

    @Test("Every fault has a row in the table")
    func complete() {
        #expect(Set(CardFault.allCases.map(\.rawValue)).isSubset(of: FaultTable.card.keys))
        #expect(Set(SessionFault.allCases.map(\.rawValue)).isSubset(of: FaultTable.session.keys))
        #expect(Set(HolderFault.allCases.map(\.rawValue)).isSubset(of: FaultTable.holder.keys))
        #expect(Set(FaultTable.issuer.keys).isSubset(of: IssuerFault.allCases.map(\.rawValue)))
    }
}

extension CardFault: CustomTestStringConvertible {
    /// Its name on the command line.
    public var testDescription: String { rawValue }
}
