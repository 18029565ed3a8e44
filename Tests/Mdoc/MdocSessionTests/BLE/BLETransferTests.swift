import MdocSession
import Testing
import VectorFiles

@Suite("A transfer over Bluetooth LE")
struct BLETransferTests {
    private let start = BLESamples.start

    @Test("A request goes out in values, the answer comes in values, and another exchange may follow")
    func characteristics() {
        var reader = BLESamples.transfer(.reader, valueLimit: 4)
        #expect(reader.send([1, 2, 3, 4], now: start).pieces?.map(\.hex) == ["01010203", "0004"])
        #expect(reader.sent(now: start) == .wait(until: start + .seconds(300)))
        let later = start + .seconds(40)
        #expect(reader.receive(.value(hex: "01 aabbcc"), now: later) == .wait(until: later + .seconds(10)))
        #expect(
            reader.receive(.value(hex: "00 dd"), now: later + .seconds(1))
                == .deliver([0xaa, 0xbb, 0xcc, 0xdd], began: later))
        #expect(reader.deadline == nil && reader.expire(now: later + .seconds(999)) == .wait(until: nil))
        #expect(reader.send([5], now: later).pieces?.map(\.hex) == ["0005"])
        #expect(reader.sent(now: later) == .wait(until: later + .seconds(300)))
        #expect(reader.receive(.value(hex: "00 ee"), now: later) == .deliver([0xee], began: later))
    }

    @Test("Over L2CAP the same goes behind lengths")
    func l2CAP() {
        var reader = BLESamples.transfer(.reader, valueLimit: nil)
        #expect(reader.send([1, 2, 3, 4], now: start).pieces?.map(\.hex) == ["00000004", "01020304"])
        #expect(reader.sent(now: start) == .wait(until: start + .seconds(300)))
        let later = start + .seconds(40)
        #expect(reader.receive(.value(hex: "00"), now: later) == .wait(until: later + .seconds(10)))
        #expect(
            reader.receive(.value(hex: "000002 aabb"), now: later + .seconds(1))
                == .deliver([0xaa, 0xbb], began: later))
    }

    @Test("The holder waits for the request, answers when its person has decided, and waits again")
    func holder() {
        var holder = BLESamples.transfer(.holder)
        #expect(holder.expire(now: start) == .wait(until: start + .seconds(30)))
        #expect(holder.receive(.value(hex: "00 01"), now: start) == .deliver([1], began: start))
        #expect(holder.expire(now: start + .seconds(600)) == .wait(until: nil))
        #expect(holder.send([2], now: start).pieces?.map(\.hex) == ["0002"])
        #expect(holder.sent(now: start) == .wait(until: start + .seconds(30)))
        #expect(holder.receive(.value(hex: "00 03"), now: start) == .deliver([3], began: start))
    }

    @Test(
        "Reader and holder exchange messages of any size, at any MTU and over L2CAP",
        arguments: [1, 18, 19, 20, 511, 8191, 25_000, 102_400])
    func exchange(count: Int) throws {
        var random = SplitMix64(seed: UInt64(count))
        let (request, answer) = (
            BLESamples.bytes(Int.random(in: 1...4000, using: &random)), BLESamples.bytes(count)
        )
        for valueLimit in [20, 182, 244, 509, 512, 514, nil] {
            var reader = BLESamples.transfer(.reader, valueLimit: valueLimit)
            var holder = BLESamples.transfer(.holder, valueLimit: valueLimit)
            for _ in 0..<2 {
                #expect(
                    try carry(request, from: &reader, to: &holder, &random) == .deliver(request, began: start)
                )
                #expect(
                    try carry(answer, from: &holder, to: &reader, &random) == .deliver(answer, began: start))
            }
            #expect(reader.oddValues == 0 && holder.oddValues == 0)
        }
    }

    /// What the receiver makes of the message's last piece; the pieces of a byte stream are cut anew.
    private func carry(
        _ message: [UInt8], from sender: inout BLETransfer, to receiver: inout BLETransfer,
        _ random: inout SplitMix64
    ) throws -> BLEAction? {
        let action = sender.send(message[...], now: start)
        let transmission = try #require(action.transmission)
        var pieces = transmission.pieces.map { $0[...] }
        if case .frame = transmission {
            pieces = BLESamples.chunks(Array(pieces.joined()), longest: 2048, using: &random)
        }
        _ = sender.sent(now: start)
        var last: BLEAction?
        for piece in pieces {
            if case .deliver = last { Issue.record("delivered before its end") }
            last = receiver.receive(.value(piece), now: start)
        }
        return last
    }

    @Test("Q74 What comes before `sent` is called is taken: an answer at once, its beginning for later")
    func answerBeforeSent() {
        var reader = BLESamples.transfer(.reader)
        _ = reader.send([1], now: start)
        var slow = reader
        #expect(reader.receive(.value(hex: "00 aa"), now: start) == .deliver([0xaa], began: start))
        #expect(reader.sent(now: start) == .wait(until: nil))
        _ = slow.receive(.value(hex: "01 aa"), now: start)
        let later = start + .seconds(3)
        #expect(slow.sent(now: later) == .wait(until: later + .seconds(10)))
        #expect(slow.receive(.value(hex: "00 bb"), now: later) == .deliver([0xaa, 0xbb], began: start))
    }

    @Test("Q74 A message that comes while nothing is due waits until ours is out; a second one is too much")
    func early() {
        var reader = BLESamples.answered()
        #expect(reader.receive(.value(hex: "01 bb"), now: start) == .wait(until: nil))
        #expect(reader.receive(.value(hex: "00 cc"), now: start) == .wait(until: nil))
        var crowded = reader
        _ = reader.send([1], now: start)
        var overtaking = reader
        #expect(reader.sent(now: start + .seconds(1)) == .deliver([0xbb, 0xcc], began: start))
        #expect(
            overtaking.receive(.value(hex: "00 dd"), now: start)
                == .end(.failed(.sendMessage, .messageUnexpected)))
        #expect(
            crowded.receive(.value(hex: "00 dd"), now: start) == .end(.failed(.idle, .messageUnexpected)))
    }

    @Test("Q74 Two messages in one chunk of L2CAP come one after the other; three are too many")
    func twoInOneChunk() {
        var reader = BLESamples.asked(valueLimit: nil)
        var crowded = reader
        let two = "00000001 aa 00000001 bb"
        #expect(reader.receive(.value(hex: two), now: start) == .deliver([0xaa], began: start))
        _ = reader.send([1], now: start)
        #expect(reader.sent(now: start) == .deliver([0xbb], began: start))
        #expect(
            crowded.receive(.value(hex: two + "00000001 cc"), now: start)
                == .end(.failed(.awaitResponse, .messageUnexpected)))
    }

    @Test("Q84 State 01 told again changes nothing, in any phase")
    func startAgain() {
        for machine in BLESamples.phases {
            var (once, again) = (machine.transfer, machine.transfer)
            #expect(again.receive(.state([1]), now: start) == once.expire(now: start))
            #expect(again.deadline == once.deadline)
        }
    }

    @Test("Q68 Values of odd sizes are counted and taken")
    func oddValues() {
        var reader = BLESamples.asked(valueLimit: 4)
        for value in ["01aabbcc", "01dd", "01eeff", "01000000000000"] {
            _ = reader.receive(.value(hex: value), now: start)
        }
        #expect(reader.oddValues == 3)
        guard case .deliver(let message, _) = reader.receive(.value(hex: "00"), now: start) else {
            Issue.record("not delivered")
            return
        }
        #expect(message.hex == "aabbccddeeff000000000000")
    }
}

extension BLESamples {
    /// A machine in each of its phases.
    static var phases: [(phase: BLEPhase, transfer: BLETransfer)] {
        var sending = transfer(.reader)
        _ = sending.send([1], now: start)
        var receiving = asked()
        _ = receiving.receive(.value(hex: "01 aa"), now: start)
        return [
            (.idle, transfer(.reader)), (.sendMessage, sending), (.awaitRequest, transfer(.holder)),
            (.awaitResponse, asked()), (.receiveMessage, receiving),
        ]
    }
}
