import MdocModel
import MdocWallet
import PresentationStage
import ReaderService
import Synchronization
import Testing
import Transport

@Suite("A further question to the same phone, in the same session")
struct FurtherQuestionTests {
    private static func further(_ isDue: Bool = true) throws -> FurtherQuestion {
        FurtherQuestion(PresentationQuestion(try .intent("rental: name, categories B"))) { _ in isDue }
    }

    private static let once: [PresentationEvent] = [.awaitingConsent, .receiving, .verifying]

    @Test(
        "It is put in the session of the first, and the answer to each is judged by its own",
        arguments: Way.allCases)
    func both(_ way: Way) async throws {
        let scene = try Scene.holding()
        let asked = try await scene.ask(.intent("age over 21"), then: Self.further(), by: way)
        #expect(asked.presentation.verified() != nil)
        let first = try #require(asked.presentation.earlier.first)
        #expect(first.verified() != nil && asked.presentation.earlier.count == 1)
        let requests = try asked.parsed.map { Set($0.identifiers) }
        #expect(requests.count == 2 && requests[0].contains("age_over_21"))
        #expect(requests[1].contains("family_name") && !requests[1].contains("age_over_21"))
        #expect([first.request?.bytes, asked.presentation.request?.bytes] == asked.requests)
        #expect(asked.readerStatus == .termination)
        #expect(Array(scene.events.all.suffix(6)) == Self.once + Self.once)
    }

    @Test(
        "An answer to it of another document is refused by name, and one of the same is not",
        arguments: Way.allCases)
    func otherDocument(_ way: Way) async throws {
        for (document, isSame) in [("mdl", true), ("photoid", false)] {
            let scene = try Scene.holding([.drivingLicence, .photoID])
            let further = FurtherQuestion(
                PresentationQuestion(try .intent("rental: name; from \(document)"))
            ) { _ in true }
            let asked = try await scene.ask(.intent("age over 21; from mdl"), then: further, by: way)
            #expect(asked.requests.count >= 2 && asked.presentation.earlier.first?.verified() != nil)
            if isSame {
                #expect(asked.presentation.verified() != nil)
            } else {
                #expect(asked.presentation.failure == .otherDocument)
            }
        }
    }

    @Test("Each is signed where one who signs fits", arguments: Way.allCases)
    func signed(_ way: Way) async throws {
        let reader = try TestReader()
        let scene = try Scene.holding {
            $0.holder.readerTrust = ReaderTrust(.alwaysRequire, roots: [reader.root])
        }
        let further = FurtherQuestion(
            PresentationQuestion(try .intent("rental: name"), identities: reader.always)
        ) { _ in true }
        let asked = try await scene.ask(.intent("age over 21"), as: reader.always, then: further, by: way)
        #expect(asked.presentation.verified() != nil && asked.requests.count == 2)
    }

    @Test("It is not put where it is not due, where the first is declined, and where that is rejected")
    func notDue() async throws {
        let changes: [@Sendable (inout Wallet) -> Void] = [
            { _ in }, { $0.holder.decision = .declines }, { $0.holder.decision = .returnsNothing },
            { $0.holder.fault = .signatureFlipped },
        ]
        for (index, change) in changes.enumerated() {
            let scene = try Scene.holding { change(&$0) }
            let asked = try await scene.ask(.intent("age over 21"), then: Self.further(index > 0))
            #expect(asked.requests.count == 1 && asked.presentation.earlier.isEmpty)
            #expect(asked.presentation.isDeclined == (1...2).contains(index))
        }
    }

    @Test(
        "A holder who declines it has declined, and the first stands", arguments: Way.allCases,
        [Holder.Decision.declines, .returnsNothing])
    func declined(_ way: Way, _ decision: Holder.Decision) async throws {
        let scene = try Scene.holding { $0.furtherDecision = decision }
        let asked = try await scene.ask(.intent("age over 21"), then: Self.further(), by: way)
        #expect(asked.presentation.isDeclined)
        #expect(asked.presentation.earlier.first?.verified() != nil && asked.requests.count == 2)
    }

    @Test("A phone that ends the session with its first answer is told apart from one that declines")
    func sessionOver() async throws {
        let scene = try Scene.holding { $0.endsSessionWithResponse = true }
        let asked = try await scene.ask(.intent("age over 21"), then: Self.further())
        #expect(asked.presentation.failure == .sessionOver)
        #expect(asked.presentation.earlier.first?.verified() != nil)
        #expect(try await scene.ask(.intent("age over 21")).presentation.verified() != nil)
    }

    @Test(
        "A phone that leaves after its first answer, and one that never answers again",
        arguments: [true, false])
    func gone(_ leaves: Bool) async throws {
        let scene = try Scene.holding()
        let (reader, holder) = InMemoryChannel.pair()
        let phone = Task {
            var link = try scene.link()
            try await holder.send(link.greeting)
            if case .send(let answer, _) = link.session.receive(try await holder.receive()[...]) {
                try await holder.send(answer)
            }
            _ = try await holder.receive()
            if leaves { await holder.close() } else { _ = try await holder.receive() }
        }
        let transaction = try scene.transaction(
            deadlines: .ample.with { if !leaves { $0.consent = .milliseconds(500) } },
            asking: PresentationQuestion(.intent("age over 21")), then: Self.further())
        let presentation = await transaction.run(over: reader)
        #expect(presentation.failure == (leaves ? .linkLost : .consentOverdue))
        #expect(presentation.earlier.first?.verified() != nil)
        _ = await phone.result
    }

    @Test("Q2 Over NFC a phone that leaves between the two is asked both anew at the next tap")
    func tappedAgain() async throws {
        let scene = try Scene.holding()
        let (first, second) = (try scene.phone(), try scene.phone())
        let field = Field(first)
        let consents = Mutex(0)
        let transaction = try scene.transaction(
            asking: PresentationQuestion(.intent("age over 21")), then: Self.further()
        ) { event in
            guard event == .awaitingConsent,
                consents.withLock({
                    $0 += 1; return $0 == 2
                })
            else { return }
            field.lift()
            field.tap(second)
        }
        let presentation = await transaction.run(at: field)
        #expect(presentation.verified() != nil && presentation.earlier.first?.verified() != nil)
        #expect(first.log.requests.count == 1 && second.log.requests.count == 2)
    }
}
