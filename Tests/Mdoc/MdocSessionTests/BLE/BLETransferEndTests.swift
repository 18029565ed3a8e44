import MdocSession
import Testing
import VectorFiles

@Suite("The end of a transfer over Bluetooth LE")
struct BLETransferEndTests {
    private let start = BLESamples.start

    @Test("State 02 between messages ends the transfer, in any phase, and needs no termination message")
    func terminated() {
        for (phase, transfer) in BLESamples.phases where phase != .receiveMessage {
            var transfer = transfer
            #expect(transfer.receive(.state([2]), now: start) == .end(.terminated(phase)))
            #expect(transfer.end(now: start) == .end(.terminated(phase)))
        }
        var answered = BLESamples.answered()
        #expect(answered.receive(.state([2]), now: start) == .end(.terminated(.idle)))
    }

    @Test("State 02 within a message ends it by name")
    func endedWithinMessage() {
        var reader = BLESamples.asked()
        _ = reader.receive(.value(hex: "01 aa"), now: start)
        let end = BLEAction.end(.failed(.receiveMessage, .endedWithinMessage))
        #expect(reader.receive(.state([2]), now: start) == end)
        #expect(reader.end(now: start) == end)
    }

    @Test(
        "Other values of State end the transfer by name",
        arguments: [([], nil), ([0], 0), ([3], 3), ([0xff], 0xff), ([1, 1], 1), ([2, 0], 2)]
            as [([UInt8], UInt8?)])
    func stateUnknown(value: [UInt8], first: UInt8?) {
        for (phase, transfer) in BLESamples.phases {
            var transfer = transfer
            let end = BLEAction.end(.failed(phase, .stateUnknown(first)))
            #expect(transfer.receive(.state(value[...]), now: start) == end)
        }
    }

    @Test("There is no State over L2CAP")
    func noState() {
        var reader = BLESamples.asked(valueLimit: nil)
        #expect(reader.receive(.state([2]), now: start) == .end(.failed(.awaitResponse, .outOfTurn)))
    }

    @Test("Q78 A link that closes after the answer is an end as good as any")
    func disconnected() {
        for valueLimit in [182, nil] {
            var reader = BLESamples.answered(valueLimit: valueLimit)
            #expect(reader.receive(.closed, now: start) == .end(.disconnected))
            #expect(reader.end(now: start) == .end(.disconnected))
        }
        var holder = BLESamples.transfer(.holder)
        _ = holder.receive(.value(hex: "00 aa"), now: start)
        _ = holder.send([1], now: start)
        _ = holder.sent(now: start)
        #expect(holder.receive(.closed, now: start) == .end(.disconnected))
    }

    @Test("Q78 A link that closes before the answer is lost, by phase, and gets no termination message")
    func linkLost() {
        for (phase, transfer) in BLESamples.phases {
            var transfer = transfer
            #expect(transfer.receive(.closed, now: start) == .end(.failed(phase, .linkLost)))
            #expect(transfer.end(now: start) == .end(.failed(phase, .linkLost)))
        }
        var again = BLESamples.answered()
        _ = again.send([1], now: start)
        var sent = again
        #expect(again.receive(.closed, now: start) == .end(.failed(.sendMessage, .linkLost)))
        _ = sent.sent(now: start)
        #expect(sent.receive(.closed, now: start) == .end(.failed(.awaitResponse, .linkLost)))
        var holder = BLESamples.transfer(.holder)
        _ = holder.receive(.value(hex: "00 aa"), now: start)
        var answering = holder
        #expect(holder.receive(.closed, now: start) == .end(.failed(.idle, .linkLost)))
        _ = answering.send([1], now: start)
        #expect(answering.receive(.closed, now: start) == .end(.failed(.sendMessage, .linkLost)))
    }

    @Test("Q76 Q77 Our end is signalled once, and the link stays for 1 s or until the peer closes it")
    func terminationMessage() {
        for (_, transfer) in BLESamples.phases {
            var transfer = transfer
            #expect(transfer.end(now: start) == .signalState(.end))
            let wait = BLEAction.wait(until: start + .seconds(1))
            #expect(transfer.sent(now: start) == wait)
            #expect(transfer.end(now: start) == wait)
            #expect(transfer.receive(.value(hex: "ff"), now: start) == wait)
            #expect(transfer.send([1], now: start) == wait)
            #expect(transfer.expire(now: start + .seconds(1)) == wait)
            var closed = transfer
            #expect(closed.receive(.closed, now: start) == .end(.finished))
            #expect(transfer.expire(now: start + .seconds(1) + .milliseconds(1)) == .end(.finished))
            #expect(transfer.end(now: start + .seconds(2)) == .end(.finished))
        }
    }

    @Test("Q76 Over L2CAP nothing is signalled, and the link stays as long")
    func terminationOverL2CAP() {
        var reader = BLESamples.answered(valueLimit: nil)
        #expect(reader.end(now: start) == .wait(until: start + .seconds(1)))
        var closed = reader
        #expect(closed.receive(.closed, now: start) == .end(.finished))
        #expect(reader.expire(now: start + .seconds(2)) == .end(.finished))
    }

    @Test("Q77 After a fault the end is signalled too, and the fault stays the reason")
    func terminationAfterFault() {
        var reader = BLESamples.asked()
        let end = BLEAction.end(.failed(.awaitResponse, .prefixUnknown(2)))
        #expect(reader.receive(.value(hex: "02 aa"), now: start) == end)
        #expect(reader.receive(.value(hex: "00 aa"), now: start) == end)
        #expect(reader.end(now: start) == .signalState(.end))
        #expect(reader.sent(now: start) == .wait(until: start + .seconds(1)))
        #expect(reader.receive(.closed, now: start) == end)
        #expect(reader.end(now: start) == end)
    }
}
