import ISO7816
import NDEF
import Testing
import VectorFiles

@testable import MdocSession

@Suite("Faults in NFC engagement")
struct NFCEngagementFaultTests {
    private func reason(
        _ fault: NFCHolderFault?, negotiated: Bool = false,
        _ change: (inout NFCHolderBehaviour) -> Void = { _ in },
        settings: NFCEngagementSettings = NFCEngagementSettings()
    ) -> NFCEndReason? {
        let behaviour = NFCSamples.behaviour {
            if negotiated { $0.handover = NFCSamples.negotiated() }
            $0.fault = fault
            change(&$0)
        }
        var tap = NFCTap(behaviour, settings: settings)
        return tap.run().reason
    }

    @Test("Q1 A locked phone is no wallet yet")
    func lockedPhone() {
        #expect(reason(nil) { $0.isLocked = true } == NFCEndReason(.selectApplication, .noWalletYet))
    }

    @Test("Q12 A status word ends the machine with its phase", arguments: NFCPhase.engagement)
    func statusWithPhase(phase: NFCPhase) {
        let status = StatusWord.unknownError
        #expect(reason(.refuses(phase, status), negotiated: true) == NFCEndReason(phase, .status(status)))
    }

    @Test(
        "Q1 6A82 after the first SELECT is a fault like any other", arguments: NFCPhase.engagement.dropFirst()
    )
    func notFoundLater(phase: NFCPhase) {
        let reason = reason(.refuses(phase, .notFound), negotiated: true)
        #expect(reason == NFCEndReason(phase, .status(.notFound)))
    }

    @Test("Q3 Q132 An answer without a status is a lost card, with its phase", arguments: NFCPhase.engagement)
    func lostCard(phase: NFCPhase) {
        #expect(reason(.silent(phase), negotiated: true) == NFCEndReason(phase, .cardLost))
    }

    @Test(
        "Q13 Q14 Q194 NLEN that stays 0 ends after a hundred polls, at the start, for the status and for the answer"
    )
    func neverReady() {
        #expect(reason(.neverReady) == NFCEndReason(.initialMessage, .notReady(polls: 100, promised: nil)))
        let start = reason(nil, negotiated: true) { $0.unready.initialMessage = 100 }
        #expect(start == NFCEndReason(.initialMessage, .notReady(polls: 100, promised: nil)))
        let status = reason(nil, negotiated: true) { $0.unready.serviceStatus = 100 }
        #expect(status == NFCEndReason(.serviceStatus, .notReady(polls: 100, promised: 15)))
        let select = reason(nil, negotiated: true) { $0.unready.handoverSelect = 100 }
        #expect(select == NFCEndReason(.handoverSelect, .notReady(polls: 100, promised: 15)))
    }

    @Test("Q13 The cap on polls is a setting")
    func pollCap() {
        var settings = NFCEngagementSettings()
        settings.maximumPolls = 3
        let reason = reason(.neverReady, settings: settings)
        #expect(reason == NFCEndReason(.initialMessage, .notReady(polls: 3, promised: nil)))
    }

    @Test("Q5 Slow polling ends by the phase's deadline, and the whole engagement by its own, under 15 s")
    func deadlines() {
        let slow = NFCSamples.negotiated(waitingTime: 63)
        let phase = reason(nil) {
            $0.handover = slow
            $0.unready.handoverSelect = 50
        }
        #expect(phase == NFCEndReason(.handoverSelect, .deadlinePassed))
        var settings = NFCEngagementSettings()
        #expect(settings.engagementDeadline < .seconds(15))
        settings.phaseDeadline = .seconds(100)
        let whole = reason(
            nil,
            {
                $0.handover = slow; $0.unready.serviceStatus = 50
            }, settings: settings)
        #expect(whole == NFCEndReason(.serviceStatus, .deadlinePassed))
    }

    @Test("A response after the deadline does not count")
    func lateResponse() throws {
        let now = ContinuousClock.now
        var reader = NFCEngagementReader(limits: .short, offer: NFCSamples.offer)
        #expect(reader.deadline == nil)
        _ = reader.start(now: now)
        let deadline = try #require(reader.deadline)
        #expect(reader.expire(now: now) == .wait(until: deadline))
        var punctual = reader
        #expect(punctual.receive([0x90, 0], now: deadline) == .transmit([0, 0xa4, 0, 0x0c, 2, 0xe1, 3]))
        let end = NFCEndReason(.selectApplication, .deadlinePassed)
        #expect(reader.receive([0x90, 0], now: deadline + .nanoseconds(1)) == .end(end))
    }

    @Test("Calls out of turn end the machine")
    func outOfTurn() {
        let now = ContinuousClock.now
        let end = NFCAction<NFCHandover>.end(NFCEndReason(.selectApplication, .outOfTurn))
        var early = NFCEngagementReader(limits: .short, offer: NFCSamples.offer)
        #expect(early.receive([0x90, 0], now: now) == end)
        #expect(early.start(now: now) == end)
        var twice = NFCEngagementReader(limits: .short, offer: NFCSamples.offer)
        _ = twice.start(now: now)
        #expect(twice.start(now: now) == end)
    }

    @Test("Q22 Answers without data are tolerated once, not twice")
    func emptyAnswers() {
        #expect(reason(.answersEmpty) == NFCEndReason(.initialMessage, .noProgress))
        var read = NFCFileRead(offset: 0, count: 4, chunk: 2)
        #expect(throws: Never.self) {
            try read.receive([])
            try read.receive([1])
            try read.receive([])
            try read.receive([2, 3])
        }
        #expect(read.bytes == [1, 2, 3])
    }

    @Test("More bytes than asked for are refused")
    func surplusBytes() {
        #expect(reason(.answersTooMuch) == NFCEndReason(.initialMessage, .surplusBytes))
    }

    @Test("Q24 Q194 NLEN above the announced maximum or our cap is refused before a byte is read")
    func giantLength() {
        let giant = reason(.announcesLength(0xffff)) { $0.maximumFileSize = 0xffff }
        #expect(giant == NFCEndReason(.initialMessage, .messageTooLong(announced: 0xffff, limit: 0x7ffd)))
        let above = reason(.announcesLength(0x0801)) { $0.maximumFileSize = 0x0802 }
        #expect(above == NFCEndReason(.initialMessage, .messageTooLong(announced: 0x0801, limit: 0x0800)))
        var settings = NFCEngagementSettings()
        settings.maximumMessageSize = 100
        let cap = reason(.announcesLength(101), settings: settings)
        #expect(cap == NFCEndReason(.initialMessage, .messageTooLong(announced: 101, limit: 100)))
    }

    @Test("Q24 The longest message our cap allows is read with offsets below 8000")
    func longestMessage() throws {
        let overhead = try #require(longTap(engagement: 1000).handover).handoverSelect.count - 1000
        let largest = 0x7ffd - overhead
        #expect(longTap(engagement: largest).handover?.handoverSelect.count == 0x7ffd)
        let above = longTap(engagement: largest + 1).reason
        #expect(above == NFCEndReason(.initialMessage, .messageTooLong(announced: 0x7ffe, limit: 0x7ffd)))
    }

    private func longTap(engagement count: Int) -> NFCTap.Outcome {
        var tap = NFCTap(
            NFCSamples.behaviour { $0.maximumFileSize = 0xffff },
            content: NFCSamples.content(engagement: count))
        return tap.run()
    }

    @Test("Q24 A cap set above 7ffe ends by name where the offset would reach 8000")
    func offsetBound() {
        var settings = NFCEngagementSettings()
        settings.maximumMessageSize = 0xfffd
        var tap = NFCTap(
            NFCSamples.behaviour { $0.maximumFileSize = 0xffff },
            content: NFCSamples.content(engagement: 40_000), settings: settings)
        guard case .messageTooLong(_, limit: 0x8000) = tap.run().reason?.fault else {
            Issue.record("the offset was not bounded")
            return
        }
    }

    @Test("A Handover Request longer than the phone takes is not written")
    func requestTooLong() {
        let byService = reason(nil) { $0.handover = NFCSamples.negotiated(maximumMessageSize: 100) }
        #expect(byService == NFCEndReason(.handoverRequest, .messageTooLong(announced: 168, limit: 100)))
        let byFile = reason(nil, negotiated: true) { $0.maximumFileSize = 169 }
        #expect(byFile == NFCEndReason(.handoverRequest, .messageTooLong(announced: 168, limit: 167)))
    }

    @Test("Q18 A first message of another kind is refused by name")
    func otherMessage() {
        #expect(reason(.sendsOtherMessage) == NFCEndReason(.initialMessage, .messageUnexpected))
    }

    @Test("Q40 Services without the handover service are refused by name")
    func noHandoverService() {
        let other = ServiceParameter(
            serviceName: [0x61], waitingTimeInteger: 0, waitingTimeExtensions: 0, maximumMessageSize: 9)
        let reason = reason(nil) { $0.handover = .negotiated(other) }
        #expect(reason == NFCEndReason(.initialMessage, .noHandoverService))
    }

    @Test("Q15 A truncated message is malformed, whatever the status said")
    func truncatedMessage() {
        guard case .messageMalformed = reason(.truncatesMessage)?.fault else {
            Issue.record("the message was accepted")
            return
        }
    }

    @Test("A status that is no success ends the service select", arguments: [0x01, 0x80, 0xfe] as [UInt8])
    func serviceRefused(value: UInt8) {
        let status = StatusRecord(rawValue: value)
        let reason = reason(.reportsStatus(status, .serviceStatus), negotiated: true)
        #expect(reason == NFCEndReason(.serviceStatus, .serviceStatus(status)))
    }

    @Test(
        "Q41 A status where the Handover Select was due ends with it",
        arguments: [0x01, 0x80, 0xfe] as [UInt8])
    func statusForSelect(value: UInt8) {
        let status = StatusRecord(rawValue: value)
        let reason = reason(.reportsStatus(status, .handoverSelect), negotiated: true)
        #expect(reason == NFCEndReason(.handoverSelect, .serviceStatus(status)))
    }

    @Test("Q41 Status 00 where the Handover Select was due means: keep polling, within bounds")
    func repeatedSuccess() {
        let reason = reason(.repeatsSuccess, negotiated: true)
        #expect(reason == NFCEndReason(.handoverSelect, .notReady(polls: 100, promised: 15)))
    }

    @Test("A Handover Select without DeviceEngagement is refused")
    func noEngagement() {
        let fixed = reason(.omitsDeviceEngagement)
        #expect(fixed == NFCEndReason(.initialMessage, .noDeviceEngagement))
        let negotiated = reason(.omitsDeviceEngagement, negotiated: true)
        #expect(negotiated == NFCEndReason(.handoverSelect, .noDeviceEngagement))
    }

    @Test("A garbled capability container is refused")
    func garbledCapabilities() {
        let reason = reason(.garblesCapabilities)
        #expect(reason == NFCEndReason(.readCapabilities, .capabilityContainerInvalid))
    }

    @Test("Q22 An MLc that leaves no room for NLEN is refused when it comes to writing")
    func tinyCommands() {
        let negotiated = reason(nil, negotiated: true) { $0.maximumCommandData = 1 }
        #expect(negotiated == NFCEndReason(.serviceSelect, .capabilityContainerInvalid))
        #expect(reason(nil) { $0.maximumCommandData = 1 } == nil)
    }

    @Test("Q194 The limit on steps ends a tap that endlessly brings one byte at a time")
    func stepBudget() {
        var settings = NFCEngagementSettings()
        settings.stepBudget = 50
        let reason = reason(nil, { $0.maximumAnswer = 1 }, settings: settings)
        #expect(reason == NFCEndReason(.initialMessage, .stepBudgetSpent))
    }

    @Test("Answers of noise end every tap by name, without a trap")
    func noise() {
        var random = SplitMix64(seed: 13)
        for round in 0..<4000 {
            let behaviour = round % 2 == 0 ? NFCSamples.behaviour() : NFCSamples.negotiatedBehaviour()
            var tap = NFCTap(behaviour)
            var action = tap.reader.start(now: tap.now)
            let spoiled = Int.random(in: 0..<13, using: &random)
            for step in 0..<400 {
                switch action {
                case .transmit(let command):
                    var response = tap.holder.answer(command[...], now: tap.now)
                    if step == spoiled { response = random.mutate(response) }
                    action = tap.reader.receive(response[...], now: tap.now)
                case .wait(let until):
                    tap.now = until
                    action = tap.reader.expire(now: until)
                case .deliver, .end: break
                }
            }
            switch action {
            case .deliver, .end: break
            case .transmit, .wait: Issue.record("a tap without end")
            }
        }
    }

    @Test("Commands of noise never trap the phone, and each has an answer that ends in a status word")
    func noiseForThePhone() {
        var random = SplitMix64(seed: 31)
        for item in NFCSamples.behaviours {
            var tap = NFCTap(item.behaviour)
            _ = tap.run()
            for _ in 0..<200 {
                var holder = NFCEngagementHolder(item.behaviour, content: NFCSamples.content())
                for command in tap.commands {
                    let spoiled = Bool.random(using: &random) ? command : random.mutate(command)
                    #expect(holder.answer(spoiled[...], now: tap.now).count >= 2)
                }
            }
        }
    }
}

extension NFCPhase {
    /// The phases of the engagement, in their order.
    static let engagement: [NFCPhase] = [
        .selectApplication, .selectCapabilities, .readCapabilities, .selectFile, .initialMessage,
        .serviceSelect,
        .serviceStatus, .handoverRequest, .handoverSelect,
    ]
}
