import ISO7816
import MdocSession
import MdocWallet
import PCSCBench
import PresentationStage
import ReaderService
import Testing
import Transport

@Suite(
    "What stays on the reader, through the real pcscd", .serialized,
    .enabled(if: VirtualBench.isHere, VirtualBench.absence), .takingTurnsAtTheBench)
struct StayingPhoneTests {
    private let refused = PresentationEvent.liftAndTapAgain(
        NFCEndReason(.selectApplication, .status(.unknownError)))
    private let mute = PresentationEvent.liftAndTapAgain(NFCEndReason(.selectApplication, .cardMute))

    private let brief = PresentationDeadlines.ample.with {
        $0.engagement = .seconds(4)
        $0.nextTap = .seconds(1)
        $0.unlocking = .milliseconds(500)
    }

    @Test("Q202 A phone that answers 6F00 to the first SELECT and stays is powered up anew and asked")
    func brokenTap() async throws {
        let reader = try VirtualReader()
        defer { reader.lift() }
        let scene = try Scene()
        let phone = try scene.phone()
        reader.spoil(2)
        #expect(try await reader.present(scene, phone, deadlines: brief).verified() != nil)
        #expect(phone.log.taps >= 3)
        #expect(scene.events.all.first { $0 != .armed } == .engaged)
    }

    @Test("Q202 A phone that always answers 6F00 is tried four times and then has to be lifted and tapped")
    func alwaysBroken() async throws {
        let reader = try VirtualReader()
        defer { reader.lift() }
        let scene = try Scene()
        let transaction = try scene.transaction(
            deadlines: .ample.with { $0.nextTry = PresentationDeadlines().nextTry })
        reader.spoil(.max)
        let phone = try scene.phone()
        try await reader.hold(phone)
        let field = reader.field()
        async let presentation = transaction.run(at: field)
        let (_, time) = try await timed { try await scene.events.first(refused) }
        #expect(time < .seconds(3) + PCSCTests.margin)
        let taps = phone.log.taps
        #expect((3...5).contains(taps), "\(taps)")
        try await reader.takeAway()
        #expect(phone.log.taps == taps)
        reader.spoil(0)
        try await reader.hold(try scene.phone())
        #expect(await presentation.verified() != nil)
        #expect(scene.events.count(of: refused) == 1)
    }

    @Test(
        "Q203 A phone that is mute at the edge of the field is tried again while it lies there, and answers")
    func muteForAWhile() async throws {
        let reader = try VirtualReader()
        defer { reader.lift() }
        let scene = try Scene()
        try await reader.holdMute(try scene.phone())
        let transaction = try scene.transaction()
        let field = reader.field()
        async let presentation = transaction.run(at: field)
        try await scene.events.first(mute)
        reader.wake()
        #expect(await presentation.verified() != nil)
        #expect(scene.events.count(of: mute) == 1)
    }

    @Test("Q203 A phone that stays mute is named when the time is over")
    func muteForEver() async throws {
        let reader = try VirtualReader()
        defer {
            reader.wake()
            reader.lift()
        }
        let scene = try Scene()
        try await reader.holdMute(try scene.phone())
        let presentation = try await scene.transaction(deadlines: brief).run(at: reader.field())
        #expect(
            presentation.failure
                == .engagementOverdue(lastTap: NFCEndReason(.selectApplication, .cardMute)))
        #expect(scene.events.all == [.armed, mute])
    }

    @Test("Q206 A card that is no phone's wallet is said so after 2 s, and looked at once a second")
    func ordinaryCard() async throws {
        let reader = try VirtualReader()
        defer { reader.lift() }
        let scene = try Scene { $0.lockedSelects = 13 }
        let phone = try scene.phone()
        try await reader.hold(phone)
        let transaction = try scene.transaction(
            deadlines: .ample.with { $0.lockedPhone = PresentationDeadlines().lockedPhone })
        let field = reader.field()
        async let presentation = transaction.run(at: field)
        try await scene.events.first(.notAnID)
        let before = phone.log.taps
        // An ID that is opened at last is asked where it lies.
        let began = ContinuousClock.now
        #expect(await presentation.verified() != nil)
        let looks = phone.log.taps - before
        #expect(ContinuousClock.now - began > .seconds(looks - 2), "\(looks) looks")
        #expect(scene.events.all.prefix(3) == [.armed, .phoneLocked, .notAnID])
        #expect(scene.events.count(of: .notAnID) == 1)
    }

    @Test("Q206 A phone that is unlocked within 2 s is not taken for something else")
    func unlocked() async throws {
        let reader = try VirtualReader()
        defer { reader.lift() }
        let scene = try Scene { $0.lockedSelects = 2 }
        #expect(try await reader.present(scene, scene.phone()).verified() != nil)
        #expect(scene.events.count(of: .notAnID) == 0)
    }

    @Test(
        "Q206 A card without NDEF is reported as no wallet, whatever it answers to the SELECT",
        arguments: [[0x6a, 0x81], [0x6d, 0x00], [0x6e, 0x00]] as [[UInt8]])
    func withoutNDEF(_ status: [UInt8]) async throws {
        let reader = try VirtualReader()
        defer { reader.lift() }
        let scene = try Scene()
        reader.spoil(.max, with: status)
        try await reader.hold(try scene.phone())
        let briefer = brief.with { $0.engagement = .seconds(2) }
        let presentation = try await scene.transaction(deadlines: briefer).run(at: reader.field())
        #expect(presentation.failure != nil)
        #expect(scene.events.all == [.armed, .phoneLocked, .notAnID])
    }

    @Test("Q208 The phone of one presentation that stays is not the next one's; one that comes later is")
    func nextCustomer() async throws {
        let reader = try VirtualReader()
        defer { reader.lift() }
        let scene = try Scene()
        let field = reader.field()
        let phone = try scene.phone()
        try await reader.hold(phone)
        #expect(try await scene.transaction().run(at: field).verified() != nil)
        let commands = phone.log.commands.count
        let short = PresentationDeadlines.ample.with { $0.engagement = .milliseconds(700) }
        let second = try await scene.transaction(deadlines: short).run(at: field)
        #expect(second.failure == .engagementOverdue(lastTap: nil))
        #expect(phone.log.commands.count == commands)
        try await reader.takeAway()
        try await reader.hold(try scene.phone())
        #expect(try await scene.transaction().run(at: field).verified() != nil)
    }

    @Test(
        "Q212 A reader that hangs while it powers a phone up is named, and the wait continues when it recovers"
    )
    func hangs() async throws {
        let reader = try VirtualReader()
        defer { reader.lift() }
        // pcscd has to see that the phone of another test is away.
        try await Task.sleep(for: .seconds(1))
        let scene = try Scene()
        let transaction = try scene.transaction()
        let field = reader.field()
        async let presentation = transaction.run(at: field)
        try await scene.events.first(.armed)
        try await reader.holdHanging(try scene.phone())
        try await scene.events.first(.readerSilent, within: .seconds(15))
        reader.wake()
        #expect(await presentation.verified() != nil)
        #expect(scene.events.count(of: .readerSilent) == 1)
    }

    @Test(
        "Q212 A reader that does not recover is the reported reason at the deadline; a reader that answers is not"
    )
    func hangsForEver() async throws {
        let reader = try VirtualReader()
        defer { reader.lift() }
        // pcscd has to see that the phone of another test is away.
        try await Task.sleep(for: .seconds(1))
        let scene = try Scene()
        let answering = try await scene.transaction(deadlines: brief).run(at: reader.field())
        #expect(answering.failure == .engagementOverdue(lastTap: nil))
        #expect(scene.events.all == [.armed])
        try await reader.holdHanging(try scene.phone())
        let longer = brief.with { $0.engagement = .seconds(10) }
        let hanging = try await scene.transaction(deadlines: longer).run(at: reader.field())
        reader.wake()
        #expect(hanging.failure == .readerUnavailable(.readerBlocked))
    }
}
