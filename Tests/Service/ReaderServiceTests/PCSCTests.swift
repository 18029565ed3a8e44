import Deadlines
import MdocVerification
import MdocSession
import MdocWallet
import PCSCBench
import PCSCTransport
import PresentationStage
import ReaderService
import Testing
import Transport

/// One after the other: there are two virtual readers, and some tests kill their pcscd.
@Suite(
    "A presentation through the real pcscd", .serialized,
    .enabled(if: VirtualBench.isHere, VirtualBench.absence), .takingTurnsAtTheBench)
struct PCSCTests {
    /// What a busy machine may add.
    static let margin = Duration.seconds(30)

    @Test("Every wallet, handover, proof and size of portrait is verified")
    func matrix() async throws {
        let reader = try VirtualReader()
        defer { reader.lift() }
        var count = 0
        for row in WalletCase.overNFC {
            for portrait in [2400, 25_000, 90_000] {
                let presentation = Scene.presentation(row.profile, row.proof, portrait: portrait)
                let scene = try Scene(presentation, handover: row.handover)
                let response = try await reader.present(scene, scene.phone())
                    .verified()
                #expect(response?.portrait()?.count == portrait, "\(row.testDescription) \(portrait)")
                #expect(
                    response?.documents[0].deviceBinding == (row.proof == .mac ? .mac : .signature),
                    "\(row.testDescription) \(portrait)")
                count += 1
            }
        }
        #expect(count == 48)
    }

    @Test("Q22 Q24 Q41 Q52 Q194 Each fault of a card has its name within its deadline")
    func cardFaults() async throws {
        let halves = [0, 1].map { half in
            CardFault.allCases.enumerated().filter { $0.offset % 2 == half }.map(\.element)
        }
        async let first: Void = faults(halves[0], at: VirtualBench.first)
        async let second: Void = faults(halves[1], at: VirtualBench.second)
        _ = try await (first, second)
    }

    private func faults(_ faults: [CardFault], at name: String) async throws {
        let reader = try VirtualReader(name)
        defer { reader.lift() }
        let deadlines = PresentationDeadlines.ample.with {
            $0.engagement = .seconds(1)
            $0.nextTap = .milliseconds(100)
            $0.consent = .milliseconds(500)
        }
        for fault in faults {
            let scene = try fault.scene()
            try await reader.hold(try scene.phone())
            let transaction = try scene.transaction(deadlines: deadlines)
            let (presentation, time) = await timed { await transaction.run(at: reader.field()) }
            #expect(presentation.summary == FaultTable.card[fault.rawValue], "\(fault.rawValue)")
            // The longest of them looks 100 times at an NLEN of 0, and then waits for another tap.
            #expect(time < .milliseconds(1700) + Self.margin, "\(fault.rawValue): \(time)")
            // Nothing but its leaving ends the command of a phone that says nothing.
            if fault == .silent { reader.lift() }
        }
    }

    @Test("Each fault in messages has its name")
    func messageFaults() async throws {
        let reader = try VirtualReader()
        defer { reader.lift() }
        for (presentation, summary) in FaultTable.messages {
            let scene = try presentation.sceneAtReader()
            let result = try await reader.present(scene, scene.phone())
            #expect(result.summary == summary, "\(presentation.name)")
        }
    }

    @Test("Q1 Q7 A locked phone that stays on the reader is polled until it is unlocked")
    func locked() async throws {
        let reader = try VirtualReader()
        defer { reader.lift() }
        let scene = try Scene { $0.lockedSelects = 8 }
        let phone = try scene.phone()
        #expect(try await reader.present(scene, phone).verified() != nil)
        #expect(phone.log.taps >= 9)
        #expect(scene.events.count(of: .phoneLocked) == 1)
    }

    @Test("Q2 Q132 A phone pulled in mid-APDU and tapped again is verified")
    func pulledAndTappedAgain() async throws {
        for fault in [CardFault.pulledInEngagement, .pulledInConsent, .pulledInResponse] {
            try await VirtualReader().verifyNextTap(after: fault)
        }
    }

    @Test("Q134 pcscd killed and restarted under a waiting presentation: the next tap is verified")
    func restartWhileWaiting() async throws {
        let reader = try VirtualReader()
        defer { reader.lift() }
        let scene = try Scene()
        let transaction = try scene.transaction(
            deadlines: PresentationDeadlines.ample.with { $0.engagement = .seconds(20) })
        let field = reader.field()
        async let presentation = transaction.run(at: field)
        // A tap that breaks off is handed out: after the restart pcscd counts from the same number again.
        try await reader.hold(try scene.phone { $0.cardFault = .garbledCapabilities })
        try await scene.events.firstTapAgain()
        reader.lift()
        try await VirtualBench.pcscd("kill")
        try await Task.sleep(for: .milliseconds(300))
        try await VirtualBench.pcscd("start")
        try await reader.hold(try scene.phone())
        #expect(await presentation.verified() != nil)
    }

    @Test("Q134 pcscd killed while the holder decides: the next tap is verified")
    func restartInConsent() async throws {
        let reader = try VirtualReader()
        defer { reader.lift() }
        let scene = try Scene()
        let transaction = try scene.transaction(
            deadlines: PresentationDeadlines.ample.with {
                $0.nextTap = .seconds(20)
                $0.consent = .seconds(40)
            })
        try await reader.hold(try scene.phone { $0.consentTime = .seconds(30) })
        let field = reader.field()
        async let presentation = transaction.run(at: field)
        try await scene.events.first(.awaitingConsent)
        try await VirtualBench.pcscd("kill")
        try await scene.events.firstTapAgain()
        try await VirtualBench.pcscd("start")
        reader.lift()
        try await reader.hold(try scene.phone())
        #expect(await presentation.verified() != nil)
    }

    @Test("Q134 Without pcscd, a wait that is over says so")
    func absentService() async throws {
        let reader = try VirtualReader()
        let scene = try Scene()
        try await VirtualBench.pcscd("kill")
        let deadlines = PresentationDeadlines.ample.with { $0.engagement = .milliseconds(500) }
        let presentation = try await scene.transaction(deadlines: deadlines).run(at: reader.field())
        #expect(presentation.failure == .readerUnavailable(.serviceNotRunning))
        try await VirtualBench.pcscd("start")
    }

    @Test("A field that was waited at in vain serves the next presentation")
    func fieldAgain() async throws {
        let reader = try VirtualReader()
        defer { reader.lift() }
        let scene = try Scene()
        let field = reader.field()
        let short = PresentationDeadlines.ample.with { $0.engagement = .milliseconds(300) }
        let first = try await scene.transaction(deadlines: short).run(at: field)
        #expect(first.failure == .engagementOverdue(lastTap: nil))
        let transaction = try scene.transaction()
        async let second = transaction.run(at: field)
        try await reader.hold(try scene.phone())
        #expect(await second.verified() != nil)
    }

    @Test("Q9 A phone that stays on the reader is not asked twice, one that is lifted and tapped is")
    func staysOnReader() async throws {
        let reader = try VirtualReader()
        defer { reader.lift() }
        let scene = try Scene()
        let field = reader.field()
        try await reader.hold(try scene.phone())
        #expect(try await scene.transaction().run(at: field).verified() != nil)
        let short = PresentationDeadlines.ample.with { $0.engagement = .milliseconds(700) }
        let second = try await scene.transaction(deadlines: short).run(at: field)
        #expect(second.failure == .engagementOverdue(lastTap: nil))
        reader.lift()
        try await reader.hold(try scene.phone())
        #expect(try await scene.transaction().run(at: field).verified() != nil)
    }

    @Test("A presentation that is told to stop while the holder decides leaves a reader that can be used")
    func stopped() async throws {
        let reader = try VirtualReader()
        defer { reader.lift() }
        let scene = try Scene { $0.consentTime = .seconds(60) }
        try await reader.hold(try scene.phone())
        let transaction = try scene.transaction(
            deadlines: .ample.with { $0.termination = .milliseconds(300) })
        let service = PCSCService()
        let field = reader.field(service)
        let task = Task { await transaction.run(at: field) }
        try await scene.events.first(.awaitingConsent)
        let (presentation, time) = await timed {
            task.cancel()
            return await task.value
        }
        #expect(presentation.failure == .cancelled)
        #expect(time < .milliseconds(300) + DeadlineTests.margin)
        reader.lift()
        let next = try Scene()
        try await reader.hold(try next.phone())
        let again = try await next.transaction().run(at: reader.field(service))
        #expect(again.verified() != nil)
    }

    @Test("Q130 A phone that says nothing blocks its reader by name until it is lifted")
    func blocked() async throws {
        let reader = try VirtualReader()
        defer { reader.lift() }
        let scene = try Scene { $0.consentTime = .seconds(600) }
        let service = PCSCService()
        try await reader.hold(try scene.phone())
        let brief = PresentationDeadlines.ample.with { $0.consent = .milliseconds(300) }
        let first = try await scene.transaction(deadlines: brief).run(at: reader.field(service))
        #expect(first.failure == .consentOverdue)
        let patient = PresentationDeadlines.ample.with { $0.engagement = .seconds(7) }
        let second = try await scene.transaction(deadlines: patient).run(at: reader.field(service))
        #expect(second.failure == .readerUnavailable(.readerBlocked))
        reader.lift()
        let next = try Scene()
        try await reader.hold(try next.phone())
        #expect(try await next.transaction().run(at: reader.field(service)).verified() != nil)
    }

    @Test("Two readers side by side do not hear each other")
    func sideBySide() async throws {
        let service = PCSCService()
        async let first = presentations(at: VirtualBench.first, service)
        async let second = presentations(at: VirtualBench.second, service)
        #expect(try await first == 10)
        #expect(try await second == 10)
    }

    /// How many presentations were verified, each by a root of its own that the other reader does not trust.
    private func presentations(at name: String, _ service: PCSCService) async throws -> Int {
        let reader = try VirtualReader(name)
        defer { reader.lift() }
        var verified = 0
        for _ in 0..<10 {
            let scene = try Scene(Scene.presentation(portrait: 25_000), handover: .negotiated)
            try await reader.hold(try scene.phone())
            let presentation = try await scene.transaction()
                .run(at: reader.field(service))
            if presentation.verified() != nil { verified += 1 }
        }
        return verified
    }

    @Test("Q194 An answer of more than 1 MiB is refused by name")
    func messageCap() async throws {
        let reader = try VirtualReader()
        defer { reader.lift() }
        let scene = try Scene(Scene.presentation(portrait: 1 << 20))
        let presentation = try await reader.present(scene, scene.phone())
        #expect(presentation.summary == "awaitResponse messageTooLong")
    }
}

extension VirtualReader {
    /// A phone leaves as the fault says, and the next one is verified.
    func verifyNextTap(after fault: CardFault) async throws {
        let scene = try Scene(Scene.presentation(portrait: 25_000))
        try await hold(try scene.phone { $0.cardFault = fault })
        let transaction = try scene.transaction(
            deadlines: PresentationDeadlines.ample.with { $0.nextTap = .seconds(8) })
        let field = field()
        async let presentation = transaction.run(at: field)
        try await scene.events.firstTapAgain()
        let second = try scene.phone()
        try await hold(second)
        #expect(await presentation.verified() != nil, "\(fault.rawValue)")
        #expect(second.log.commands.first?[1] == 0xa4)
        try await takeAway()
    }
}

extension EventLog {
    /// Returns once a tap broke off.
    func firstTapAgain() async throws {
        try await until("a tap that broke off", every: .milliseconds(1)) {
            self.all.contains(where: \.isOfBrokenTap)
        }
    }
}

extension PresentationEvent {
    fileprivate var isOfBrokenTap: Bool {
        switch self {
        case .tapAgain, .liftAndTapAgain: true
        default: false
        }
    }
}
