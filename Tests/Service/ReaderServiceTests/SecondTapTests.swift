import Deadlines
import MdocModel
import MdocSession
import MdocWallet
import NDEF
import PresentationStage
import ReaderService
import Testing
import Transport

@Suite("A second tap while Bluetooth connects, in memory")
struct SecondTapTests {
    /// One phone that engages, and then comes through the air when a test lets it.
    private struct Stage {
        let scene: Scene
        let radio = AwaitedRadio()
        let field = Field([])

        init(_ change: (inout Wallet) -> Void = { _ in }) throws {
            scene = try Scene.onAir(.negotiated, .centralOnly, .signature, portrait: 2400, change)
        }

        /// A tap, until the phone is engaged.
        func tap() async throws -> Phone {
            let phone = try scene.phone()
            let before = scene.events.count(of: .engaged)
            field.tap(phone)
            try await scene.events.reach(before + 1, of: .engaged)
            return phone
        }

        /// The phone connects to the UUID of its engagement; false where that is not served.
        func connect(_ phone: Phone) async throws -> Bool {
            let engagement = try #require(phone.engagement)
            guard let link = await radio.connect(after: .seconds(5)) else { return false }
            _ = await HolderEnd.serve(scene.wallet, engagement, over: link)
            return true
        }
    }

    @Test(
        "Q207 Before the transfer has started a second tap replaces the engagement, with another UUID and key"
    )
    func replaces() async throws {
        let stage = try Stage()
        let transaction = try stage.scene.transaction(retrieval: .over(.centralClient))
        async let presentation = transaction.run(at: stage.field, radio: stage.radio)
        let first = try await stage.tap()
        let second = try await stage.tap()
        try await stage.radio.served(2)
        let uuids = await stage.radio.uuids
        #expect(uuids.count == 2 && Set(uuids).count == 2)
        #expect(await stage.radio.open == [uuids[1]])
        let engagements = try [first, second].map { try #require($0.engagement?.deviceEngagement) }
        #expect(engagements[0] != engagements[1])
        // The phone of the second tap is understood, by the transcript of its own engagement.
        #expect(try await stage.connect(second))
        #expect(await presentation.verified() != nil)
        #expect(stage.scene.events.count(of: .engaged) == 2)
        #expect(await stage.radio.open.isEmpty)
    }

    @Test(
        "Q207 The twentieth tap that replaces an engagement ends the presentation, the one before does not",
        arguments: [(19, true), (20, false)])
    func mostReplacements(replaced: Int, isVerified: Bool) async throws {
        let stage = try Stage()
        let transaction = try stage.scene.transaction(retrieval: .over(.centralClient))
        async let presentation = transaction.run(at: stage.field, radio: stage.radio)
        var phone = try await stage.tap()
        for _ in 1..<replaced { phone = try await stage.tap() }
        if isVerified {
            phone = try await stage.tap()
            #expect(try await stage.connect(phone))
            #expect(await presentation.verified() != nil)
        } else {
            stage.field.tap(try stage.scene.phone())
            #expect(await presentation.failure == .connectionOverdue)
        }
        #expect(await stage.radio.open.isEmpty)
    }

    @Test("Q207 A connection by the engagement that was replaced is not taken for the new one's")
    func lateConnection() async throws {
        let stage = try Stage()
        let transaction = try stage.scene.transaction(retrieval: .over(.centralClient))
        async let presentation = transaction.run(at: stage.field, radio: stage.radio)
        let first = try await stage.tap()
        _ = try await stage.tap()
        try await stage.radio.served(2)
        // It comes to the new service with the old engagement: nothing of it can be decrypted.
        #expect(try await stage.connect(first))
        let ended = await presentation
        #expect(ended.failure != nil, "\(ended.result)")
    }

    @Test("Q9 Q207 Once the transfer has started a second tap is ignored and breaks nothing")
    func ignored() async throws {
        let stage = try Stage { $0.consentTime = .milliseconds(300) }
        let transaction = try stage.scene.transaction(retrieval: .over(.centralClient))
        async let presentation = transaction.run(at: stage.field, radio: stage.radio)
        let first = try await stage.tap()
        async let isConnected = stage.connect(first)
        try await stage.scene.events.first(.awaitingConsent)
        let second = try stage.scene.phone()
        stage.field.tap(second)
        #expect(await presentation.verified() != nil)
        #expect(try await isConnected)
        #expect(second.log.commands.isEmpty)
        #expect(stage.scene.events.count(of: .engaged) == 1)
    }

    @Test("Q207 A second tap that breaks off leaves the engagement in force")
    func brokenSecondTap() async throws {
        let stage = try Stage()
        let transaction = try stage.scene.transaction(retrieval: .over(.centralClient))
        async let presentation = transaction.run(at: stage.field, radio: stage.radio)
        let first = try await stage.tap()
        let broken = try stage.scene.phone { $0.cardFault = .garbledCapabilities }
        stage.field.tap(broken)
        try await until("the broken tap", every: .milliseconds(1)) { broken.log.count(of: 0xb0) > 0 }
        #expect(try await stage.connect(first))
        #expect(await presentation.verified() != nil)
        #expect(stage.scene.events.count(of: .engaged) == 1)
    }

    @Test("Q207 A phone that does not connect in time is waited for again, and the next tap is verified")
    func armsAgain() async throws {
        let stage = try Stage()
        let deadlines = PresentationDeadlines.ample.with { $0.connection = .milliseconds(200) }
        let transaction = try stage.scene.transaction(
            deadlines: deadlines, retrieval: .over(.centralClient))
        async let presentation = transaction.run(at: stage.field, radio: stage.radio)
        _ = try await stage.tap()
        try await stage.scene.events.reach(2, of: .armed)
        let second = try await stage.tap()
        #expect(try await stage.connect(second))
        #expect(await presentation.verified() != nil)
        #expect(stage.scene.events.all.prefix(5) == [.armed, .engaged, .mayLift, .armed, .engaged])
    }

    @Test("Q207 After two phones that did not connect NFC alone is offered; without a tap that is the reason")
    func nfcAlone() async throws {
        let deadlines = PresentationDeadlines.ample.with {
            $0.connection = .milliseconds(200)
            $0.engagement = .seconds(2)
            $0.nextTap = .seconds(2)
        }
        for tapsThrice in [true, false] {
            let scene = try Scene(handover: .static) { $0.profile.bluetoothRole = .centralOnly }
            let field = Field(try scene.phone())
            let transaction = try scene.transaction(deadlines: deadlines)
            async let presentation = transaction.run(at: field, radio: AwaitedRadio())
            try await scene.events.reach(2, of: .armed)
            field.tap(try scene.phone())
            try await scene.events.reach(3, of: .armed)
            #expect(scene.events.count(of: .hold) == 0)
            if tapsThrice {
                field.tap(try scene.phone())
                #expect(await presentation.verified() != nil)
                #expect(scene.events.count(of: .hold) == 1)
            } else {
                #expect(await presentation.failure == .connectionOverdue)
            }
        }
    }

    @Test("Q207 Where a phone cannot do without Bluetooth a QR code is offered then")
    func offersQR() async throws {
        let stage = try Stage()
        let deadlines = PresentationDeadlines.ample.with {
            $0.connection = .milliseconds(200)
            $0.nextTap = .seconds(1)
            $0.engagement = .seconds(1)
        }
        let transaction = try stage.scene.transaction(deadlines: deadlines)
        async let presentation = transaction.run(at: stage.field, radio: stage.radio)
        for count in 2...4 {
            stage.field.tap(try stage.scene.phone())
            try await stage.scene.events.reach(count, of: .armed)
        }
        #expect(await presentation.failure == .connectionOverdue)
        #expect(stage.scene.events.count(of: .offerQR) == 1)
    }
}
