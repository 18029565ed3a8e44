import NDEF
import Testing

@testable import MdocSession

@Suite("NFC engagement, reader and phone in memory")
struct NFCEngagementLoopTests {
    @Test(
        "Every behaviour and size gives the handover, with no command more than the Type 4 Tag procedure needs",
        arguments: NFCSamples.behaviours.map(\.name), [1, 100, 255, 256, 257, 4096])
    func everyBehaviourAndSize(name: String, size: Int) throws {
        let behaviour = try #require(NFCSamples.behaviours.first { $0.name == name }?.behaviour)
        for (limits, extended) in [
            (NFCReaderLimits.short, false), (NFCSamples.extended, false), (NFCSamples.extended, true),
        ] {
            guard !extended || behaviour.acceptsExtendedLength else { continue }
            var settings = NFCEngagementSettings()
            settings.readsExtended = extended
            (settings.phaseDeadline, settings.engagementDeadline) = (.seconds(60), .seconds(60))
            settings.stepBudget = 10_000
            let content = NFCSamples.content(engagement: size)
            var tap = NFCTap(behaviour, content: content, limits: limits, settings: settings)
            let outcome = tap.run()
            let handover = try #require(outcome.handover, "\(outcome)")
            #expect(Array(handover.deviceEngagement) == content.deviceEngagement)
            #expect(handover.handoverSelect == tap.holder.handover?.handoverSelect)
            #expect(handover.handoverRequest == tap.holder.handover?.handoverRequest)
            #expect(!handover.carriers.isEmpty)
            let chunk =
                extended
                ? max(15, behaviour.maximumResponseData) : max(15, min(255, behaviour.maximumResponseData))
            #expect(tap.commands.count == Self.fewestCommands(behaviour, handover, chunk: chunk))
        }
    }

    /// The commands the procedure needs: SELECT three times, READ the capability container, and for each message
    /// NLEN (once and for each time it is 0), the reads of its bytes and the writes before it.
    private static func fewestCommands(_ behaviour: NFCHolderBehaviour, _ handover: NFCHandover, chunk: Int)
        -> Int
    {
        let answer = behaviour.maximumAnswer ?? .max
        func reads(_ count: Int, _ chunk: Int) -> Int {
            let each = min(chunk, answer)
            return (count + each - 1) / each
        }
        func message(_ count: Int, polls: Int) -> Int {
            (polls + 1) * 1 + (reads(2, 2) - 1) + reads(count, chunk)
        }
        func writes(_ count: Int) -> Int {
            let chunk = min(255, behaviour.maximumCommandData)
            return count + 2 <= chunk ? 1 : 2 + (count + chunk - 1) / chunk
        }
        let selects = 3 + reads(15, 15)
        let unready = behaviour.unready
        if case .negotiated(let service, let others) = behaviour.handover,
            let request = handover.handoverRequest
        {
            let services = NDEFMessage((others + [service]).map { $0.record() }).encode()
            let refusedWrite = behaviour.refusesMergedWrite ? 2 + 2 + 1 : 0
            return selects + message(services.count, polls: unready.initialMessage)
                + writes(ServiceSelect.encode().count) + message(6, polls: unready.serviceStatus)
                + writes(request.count)
                + message(handover.handoverSelect.count, polls: unready.handoverSelect) + refusedWrite
        }
        return selects + message(handover.handoverSelect.count, polls: unready.initialMessage)
    }

    @Test("Q3 After the handover nothing more is sent")
    func nothingAfterTheHandover() {
        var tap = NFCTap(NFCSamples.behaviour())
        #expect(tap.run().handover != nil)
        let reason = NFCEndReason(.initialMessage, .outOfTurn)
        #expect(tap.reader.receive([0x90, 0x00], now: tap.now) == .end(reason))
        #expect(tap.reader.expire(now: tap.now) == .end(reason))
        #expect(tap.reader.start(now: tap.now) == .end(reason))
    }

    @Test("Q2 A tap cut off in the middle leaves nothing to the next one")
    func freshState() {
        let behaviour = NFCSamples.negotiatedBehaviour()
        var whole = NFCTap(behaviour)
        guard whole.run().handover != nil else {
            Issue.record("no handover")
            return
        }
        for cut in 0..<whole.commands.count {
            var tap = NFCTap(behaviour)
            for command in whole.commands.prefix(cut) {
                tap.now += NFCTap.commandTime * 4
                _ = tap.holder.answer(command[...], now: tap.now)
            }
            #expect(tap.run().handover?.handoverRequest == whole.holder.handover?.handoverRequest)
            #expect(tap.commands == whole.commands)
        }
    }

    @Test(
        "Q18 The write access byte does not decide the kind of handover", arguments: [0x00, 0xff] as [UInt8])
    func writeAccess(byte: UInt8) {
        var fixed = NFCTap(NFCSamples.behaviour { $0.writeAccess = byte })
        #expect(fixed.run().handover?.handoverRequest == nil)
        #expect(fixed.holder.handover != nil)
        var negotiated = NFCTap(NFCSamples.negotiatedBehaviour { $0.writeAccess = byte })
        #expect(negotiated.run().handover?.handoverRequest != nil)
    }

    @Test("Q19 The capability container is read short, first and once, whatever the reader can do")
    func capabilityContainerIsReadShort() {
        var settings = NFCEngagementSettings()
        settings.readsExtended = true
        var tap = NFCTap(NFCSamples.behaviour(), limits: NFCSamples.extended, settings: settings)
        #expect(tap.run().handover != nil)
        #expect(tap.commands[2] == [0x00, 0xb0, 0x00, 0x00, 0x0f])
        #expect(tap.commands.count { $0[1] == 0xb0 } == 3)
    }

    @Test("Q20 The NDEF file is read short unless a setting says otherwise")
    func fileIsReadShort() {
        let content = NFCSamples.content(engagement: 4096)
        var short = NFCTap(NFCSamples.behaviour(), content: content, limits: NFCSamples.extended)
        #expect(short.run().handover != nil)
        #expect(short.commands.allSatisfy { $0[1] != 0xb0 || $0.count == 5 })
        var settings = NFCEngagementSettings()
        settings.readsExtended = true
        var extended = NFCTap(
            NFCSamples.behaviour(), content: content, limits: NFCSamples.extended, settings: settings)
        #expect(extended.run().handover != nil)
        #expect(extended.commands.count == 6)
        var unable = NFCTap(NFCSamples.behaviour(), content: content, settings: settings)
        #expect(unable.run().handover != nil)
        #expect(unable.commands == short.commands)
    }

    @Test("Q21 A message of 264 bytes more than a chunk is asked for whole")
    func remainderAbove255() throws {
        let content = NFCSamples.content(engagement: 255 + 264)
        var tap = NFCTap(NFCSamples.behaviour { $0.maximumResponseData = 0x0400 }, content: content)
        let length = try #require(tap.run().handover).handoverSelect.count
        let asked = tap.commands.dropFirst(5).map { Int($0[4]) }
        #expect(asked.reduce(0, +) == length)
        #expect(asked.dropLast().allSatisfy { $0 == 255 })
    }

    @Test("Q15 Nothing is read beyond NLEN")
    func nothingBeyondTheLength() throws {
        for item in NFCSamples.behaviours {
            var tap = NFCTap(item.behaviour)
            let handover = try #require(tap.run().handover, "\(item.name)")
            let end = handover.handoverSelect.count + 2
            let written = tap.commands.lastIndex { $0[1] == 0xd6 } ?? 3
            for command in tap.commands.dropFirst(written + 1) {
                #expect(Int(command[2]) << 8 + Int(command[3]) + Int(command[4]) <= end, "\(item.name)")
            }
        }
    }

    @Test(
        "Q16 Q17 The waiting time is kept after each write and between polls",
        arguments: [0, 3, 16, 20, 63] as [UInt8])
    func waitingTimeIsKept(integer: UInt8) throws {
        var tap = NFCTap(
            NFCSamples.behaviour {
                $0.handover = NFCSamples.negotiated(waitingTime: integer)
                $0.enforcesWaitingTime = true
                $0.unready = .init(initialMessage: 0, serviceStatus: 1, handoverSelect: 2)
            })
        #expect(tap.run().handover != nil)
        let waitingTime = ServiceParameter(
            waitingTimeInteger: integer, waitingTimeExtensions: 0, maximumMessageSize: 0
        ).waitingTime
        #expect(tap.waits == [Duration](repeating: waitingTime, count: 5))
        #expect(waitingTime >= .milliseconds(1))
    }

    @Test("Q16 A wait that is called off too early goes on waiting")
    func earlyExpiry() {
        var tap = NFCTap(NFCSamples.behaviour { $0.unready.initialMessage = 1 })
        var action = tap.reader.start(now: tap.now)
        while case .transmit(let command) = action {
            action = tap.reader.receive(tap.holder.answer(command[...], now: tap.now)[...], now: tap.now)
        }
        guard case .wait(let until) = action else {
            Issue.record("no wait")
            return
        }
        #expect(tap.reader.expire(now: until - .milliseconds(1)) == .wait(until: until))
        #expect(tap.reader.expire(now: until) == .transmit([0x00, 0xb0, 0x00, 0x00, 0x02]))
    }

    @Test("Q23 A merged write that is refused is repeated in three steps, in the same tap, and remembered")
    func mergedWriteFallback() throws {
        var refusing = NFCTap(NFCSamples.negotiatedBehaviour { $0.refusesMergedWrite = true })
        let handover = try #require(refusing.run().handover)
        #expect(handover.mergedWriteRefused)
        let writes = refusing.commands.filter { $0[1] == 0xd6 }
        #expect(writes.map { Int($0[2]) << 8 + Int($0[3]) } == [0, 0, 2, 0, 0, 2, 0])
        #expect(writes.map { Int($0[4]) } == [27, 2, 25, 2, 2, 168, 2])

        var settings = NFCEngagementSettings()
        settings.mergesWrites = false
        var knowing = NFCTap(
            NFCSamples.negotiatedBehaviour { $0.refusesMergedWrite = true }, settings: settings)
        #expect(knowing.run().handover?.mergedWriteRefused == false)
        #expect(knowing.count(of: 0xd6) == 6)
        var accepting = NFCTap(NFCSamples.negotiatedBehaviour())
        #expect(accepting.run().handover?.mergedWriteRefused == false)
        #expect(accepting.count(of: 0xd6) == 2)
    }

    @Test("Q23 A reader with small commands writes in its chunks")
    func smallReader() throws {
        let limits = NFCReaderLimits(maximumCommandData: 57, maximumResponseData: 62, extendedLength: false)
        var tap = NFCTap(NFCSamples.negotiatedBehaviour(), limits: limits)
        #expect(tap.run().handover != nil)
        #expect(tap.commands.allSatisfy { $0[1] != 0xd6 || $0[4] <= 57 })
        #expect(tap.commands.allSatisfy { $0[1] != 0xb0 || $0[4] <= 62 })
    }

    @Test("Q23 A message that fills its chunks exactly takes no empty write")
    func exactChunks() {
        let limits = NFCReaderLimits(maximumCommandData: 56, maximumResponseData: 256, extendedLength: false)
        var tap = NFCTap(NFCSamples.negotiatedBehaviour(), limits: limits)
        #expect(tap.run().handover?.handoverRequest?.count == 3 * 56)
        #expect(tap.commands.filter { $0[1] == 0xd6 }.map { Int($0[4]) } == [27, 2, 56, 56, 56, 2])
    }

    @Test("Q25 Q26 Only the commands of the procedure go out")
    func onlyTheProcedure() {
        var tap = NFCTap(NFCSamples.negotiatedBehaviour())
        #expect(tap.run().handover != nil)
        #expect(
            tap.commands.map { $0[1] } == [
                0xa4, 0xa4, 0xb0, 0xa4, 0xb0, 0xb0, 0xd6, 0xb0, 0xb0, 0xd6, 0xb0, 0xb0,
            ])
        #expect(
            tap.commands[0] == [0x00, 0xa4, 0x04, 0x00, 0x07, 0xd2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01, 0x00])
        #expect(tap.commands[1] == [0x00, 0xa4, 0x00, 0x0c, 0x02, 0xe1, 0x03])
    }

    @Test("Q25 The phone takes SELECT with and without Le")
    func holderTakesBothSelects() {
        var holder = NFCEngagementHolder(NFCSamples.behaviour(), content: NFCSamples.content())
        let select: [UInt8] = [0x00, 0xa4, 0x04, 0x00, 0x07, 0xd2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01]
        #expect(holder.answer(select[...], now: .now) == [0x90, 0x00])
        #expect(holder.answer((select + [0])[...], now: .now) == [0x90, 0x00])
        #expect(holder.answer([0x00, 0xa4, 0x00, 0x0c, 0x02, 0xe1, 0x03, 0x00], now: .now) == [0x90, 0x00])
    }

    @Test("Q56 Q59 The second edition's NFC application is never selected")
    func secondEditionStaysOff() {
        let identifier: [UInt8] = [0xa0, 0x00, 0x00, 0x02, 0x48, 0x04, 0x01]
        for item in NFCSamples.behaviours {
            var tap = NFCTap(item.behaviour)
            _ = tap.run()
            #expect(tap.commands.allSatisfy { !$0.contains(identifier) })
        }
    }
}
