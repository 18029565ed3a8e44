import ISO7816
import NDEF
import Testing
import VectorFiles

@testable import MdocSession

@Suite("Faults in NFC data transfer")
struct NFCTransferFaultTests {
    private func reason(
        _ fault: NFCHolderFault?, reply: Int = 1000, request: Int = 600,
        _ change: (inout NFCHolderBehaviour) -> Void = { _ in },
        settings: NFCTransferSettings = NFCTransferSettings()
    ) -> NFCEndReason? {
        let behaviour = NFCSamples.behaviour {
            $0.fault = fault
            change(&$0)
        }
        var exchange = NFCExchange(behaviour, settings: settings)
        return exchange.run([(NFCSamples.bytes(request), NFCSamples.bytes(reply))]).reason
    }

    static let phases: [NFCPhase] = [.selectDataTransfer, .sendMessage, .awaitResponse, .receiveMessage]

    @Test(
        "Q12 A status word ends the machine with its phase", arguments: phases,
        [.notFound, .wrongLength, .instructionNotSupported, .unknownError, .commandNotAllowed] as [StatusWord]
    )
    func statusWithPhase(phase: NFCPhase, status: StatusWord) {
        #expect(reason(.refuses(phase, status)) == NFCEndReason(phase, .status(status)))
    }

    @Test("Q3 Q132 An answer without a status is a lost card, with its phase", arguments: phases)
    func lostCard(phase: NFCPhase) {
        #expect(reason(.silent(phase)) == NFCEndReason(phase, .cardLost))
    }

    @Test("Another tag than 53 is refused")
    func wrongTag() {
        let reason = reason(.wrongDataObjectTag)
        #expect(reason == NFCEndReason(.awaitResponse, .dataObjectMalformed(.unexpectedTag(0x54))))
    }

    @Test("Q52 9000 before the data object is complete is refused, with what is missing")
    func endsEarly() {
        #expect(reason(.endsDataEarly) == NFCEndReason(.receiveMessage, .dataObjectIncomplete(missing: 1)))
        #expect(
            reason(.endsDataEarly, reply: 0)
                == NFCEndReason(.awaitResponse, .dataObjectIncomplete(missing: nil)))
    }

    @Test("Q52 A byte behind the data object is refused", arguments: [0, 1, 252, 1000])
    func surplusByte(size: Int) {
        #expect(reason(.addsSurplusByte, reply: size)?.fault == .surplusBytes)
    }

    @Test("Q194 Q195 A data object above the cap is refused by its header, before room is taken")
    func hugeObject() {
        let huge = reason(.announcesDataObject(0xff_ffff))
        #expect(huge == NFCEndReason(.awaitResponse, .messageTooLong(announced: 0xff_ffff, limit: 1 << 20)))
        var settings = NFCTransferSettings()
        settings.maximumMessageSize = 999
        let above = reason(nil, settings: settings)
        #expect(above == NFCEndReason(.awaitResponse, .messageTooLong(announced: 1000, limit: 999)))
        settings.maximumMessageSize = 1000
        #expect(reason(nil, settings: settings) == nil)
    }

    @Test("A message above the cap is not sent")
    func requestTooLong() {
        var settings = NFCTransferSettings()
        settings.maximumMessageSize = 599
        let reason = reason(nil, settings: settings)
        #expect(reason == NFCEndReason(.sendMessage, .messageTooLong(announced: 600, limit: 599)))
    }

    @Test("Q194 61XX without end stops at the second answer without data")
    func neverFinishes() {
        #expect(reason(.neverFinishes) == NFCEndReason(.receiveMessage, .noProgress))
    }

    @Test("Q194 The step budget ends answers of a byte at a time")
    func stepBudget() {
        var settings = NFCTransferSettings()
        settings.stepBudget = 100
        let reason = reason(nil, { $0.maximumAnswer = 1 }, settings: settings)
        #expect(reason == NFCEndReason(.receiveMessage, .stepBudgetSpent))
    }

    /// A reader whose last ENVELOPE is out.
    private func awaitingResponse(
        _ now: ContinuousClock.Instant, settings: NFCTransferSettings = NFCTransferSettings()
    ) -> NFCTransferReader {
        var reader = NFCTransferReader(limits: .short, carrier: NFCCarrier(), settings: settings)
        _ = reader.start(now: now)
        _ = reader.receive([0x90, 0x00], now: now)
        _ = reader.send([1, 2, 3], now: now)
        return reader
    }

    @Test("Q54 The person may decide for as long as the consent deadline allows")
    func consent() {
        let now = ContinuousClock.now
        var reader = awaitingResponse(now)
        #expect(reader.deadline == now + .seconds(300))
        #expect(reader.expire(now: now + .seconds(299)) == .wait(until: now + .seconds(300)))
        var late = reader
        #expect(reader.receive([0x53, 1, 7, 0x90, 0], now: now + .seconds(300)) == .deliver(.message([7])))
        let end = NFCEndReason(.awaitResponse, .deadlinePassed)
        #expect(late.expire(now: now + .seconds(301)) == .end(end))
    }

    @Test("Q53 Deadlines go by progress, not by total time")
    func progress() {
        var now = ContinuousClock.now
        var reader = awaitingResponse(now)
        _ = reader.receive([0x53, 0x06, 0x61, 0x06], now: now)
        for _ in 0..<5 {
            now += .seconds(9)
            #expect(reader.receive([0, 0x61, 0x05], now: now) == .transmit([0, 0xc0, 0, 0, 0x05]))
        }
        var late = reader
        #expect(
            late.receive([0, 0x90, 0], now: now + .seconds(11))
                == .end(NFCEndReason(.receiveMessage, .deadlinePassed)))
        let message = [UInt8](repeating: 0, count: 6)
        #expect(reader.receive([0, 0x90, 0], now: now + .seconds(9)) == .deliver(.message(message)))
        #expect(reader.deadline == nil)
    }

    @Test("Q51 An answer of a bare 61XX is asked on for; a full data object is asked on until 9000")
    func bareMore() {
        let now = ContinuousClock.now
        var reader = awaitingResponse(now)
        #expect(reader.receive([0x61, 0x03], now: now) == .transmit([0, 0xc0, 0, 0, 3]))
        #expect(reader.receive([0x53, 1, 7, 0x61, 0x02], now: now) == .transmit([0, 0xc0, 0, 0, 2]))
        var surplus = reader
        #expect(reader.receive([0x90, 0x00], now: now) == .deliver(.message([7])))
        #expect(
            surplus.receive([8, 0x90, 0x00], now: now) == .end(NFCEndReason(.receiveMessage, .surplusBytes)))
    }

    @Test("Data in the answer to a command that is not the last are refused")
    func dataWithinTheChain() {
        let now = ContinuousClock.now
        var reader = NFCTransferReader(limits: .short, carrier: NFCCarrier())
        _ = reader.start(now: now)
        _ = reader.receive([0x90, 0x00], now: now)
        _ = reader.send(NFCSamples.bytes(600)[...], now: now)
        #expect(reader.receive([1, 0x90, 0x00], now: now) == .end(NFCEndReason(.sendMessage, .surplusBytes)))
    }

    @Test("Calls out of turn end the machine")
    func outOfTurn() {
        let now = ContinuousClock.now
        var early = NFCTransferReader(limits: .short, carrier: NFCCarrier())
        #expect(early.send([1], now: now) == .end(NFCEndReason(.selectDataTransfer, .outOfTurn)))
        #expect(early.start(now: now) == .end(NFCEndReason(.selectDataTransfer, .outOfTurn)))
        var idle = NFCTransferReader(limits: .short, carrier: NFCCarrier())
        _ = idle.start(now: now)
        #expect(idle.receive([0x90, 0x00], now: now) == .deliver(.selected))
        #expect(idle.receive([0x90, 0x00], now: now) == .end(NFCEndReason(.idle, .outOfTurn)))
        var busy = awaitingResponse(now)
        #expect(busy.send([1], now: now) == .end(NFCEndReason(.awaitResponse, .outOfTurn)))
    }

    @Test("Answers of noise end every transfer by name or deliver one message, without a trap")
    func noise() {
        var random = SplitMix64(seed: 77)
        let now = ContinuousClock.now
        var delivered = 0
        var faults: Set<String> = []
        for _ in 0..<3000 {
            var reader = awaitingResponse(now)
            var holder = NFCTransferHolder(NFCHolderBehaviour(), carrier: NFCCarrier())
            _ = holder.answer(CommandAPDU.select(application: .mdocDataTransfer).encode()[...])
            _ = holder.answer([0x00, 0xc3, 0, 0, 3, 0x53, 1, 7, 0])
            let reply = NFCSamples.bytes(600)
            var response = holder.reply(reply[...])
            var action = NFCTransferReader.Action.wait(until: now)
            steps: for _ in 0..<400 {
                if Int.random(in: 0..<3, using: &random) == 0 { response = random.mutate(response) }
                action = reader.receive(response[...], now: now)
                guard case .transmit(let command) = action else { break steps }
                let spoiled = Int.random(in: 0..<3, using: &random) == 0 ? random.mutate(command) : command
                switch holder.answer(spoiled[...]) {
                case .respond(let next): response = next
                case .message: response = holder.reply(reply[...])
                }
            }
            switch action {
            case .deliver(.message): delivered += 1
            case .end(let reason):
                #expect([.awaitResponse, .receiveMessage].contains(reason.phase))
                faults.insert("\(reason.fault)")
            case .deliver(.selected), .transmit, .wait: Issue.record("a transfer without end: \(action)")
            }
        }
        #expect(delivered > 0 && faults.count > 3, "\(delivered) \(faults)")
    }
}
