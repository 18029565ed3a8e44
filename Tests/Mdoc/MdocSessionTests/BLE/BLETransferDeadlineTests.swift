import MdocSession
import Testing
import VectorFiles

@Suite("The deadlines of a transfer over Bluetooth LE")
struct BLETransferDeadlineTests {
    private let start = BLESamples.start

    @Test("Q88 The person may decide for 300 s; there is no other time before the first fragment")
    func consent() {
        var reader = BLESamples.asked()
        #expect(reader.expire(now: start + .seconds(300)) == .wait(until: start + .seconds(300)))
        var late = reader
        let consented = start + .seconds(300)
        #expect(reader.receive(.value(hex: "00 aa"), now: consented) == .deliver([0xaa], began: consented))
        #expect(
            late.expire(now: consented + .milliseconds(1)) == .end(.failed(.awaitResponse, .deadlinePassed)))
    }

    @Test("Q62 Q88 Between fragments there are 10 s, over characteristics and over L2CAP")
    func progress() {
        for (valueLimit, first, next) in [(182, "01 aa", "01 bb"), (nil, "000000ff aa", "bb")] {
            var reader = BLESamples.asked(valueLimit: valueLimit)
            var now = start + .seconds(100)
            _ = reader.receive(.value(hex: first), now: now)
            for _ in 0..<5 {
                now += .seconds(10)
                let wait = BLEAction.wait(until: now + .seconds(10))
                #expect(reader.receive(.value(hex: next), now: now) == wait)
            }
            let late = now + .seconds(10) + .milliseconds(1)
            #expect(
                reader.receive(.value(hex: next), now: late)
                    == .end(.failed(.receiveMessage, .deadlinePassed)))
        }
    }

    @Test("Q194 A peer that sends a byte every few seconds is given up when the transfer's time is over")
    func trickle() {
        var reader = BLESamples.asked()
        var now = start + .seconds(290)
        var end: BLEEndReason?
        for _ in 0..<100 where end == nil {
            now += .seconds(9)
            if case .end(let reason) = reader.receive(.value(hex: "01 aa"), now: now) { end = reason }
        }
        #expect(end == .failed(.receiveMessage, .deadlinePassed))
        #expect(now <= start + .seconds(290 + 9 + 60 + 9))
    }

    @Test("Q74 A message that began long before it was due has its time from when it is due")
    func beganEarly() {
        var reader = BLESamples.answered()
        _ = reader.receive(.value(hex: "01 aa"), now: start)
        let later = start + .seconds(600)
        _ = reader.send([1], now: later)
        #expect(reader.sent(now: later) == .wait(until: later + .seconds(10)))
        let last = later + .seconds(10)
        #expect(reader.receive(.value(hex: "00 bb"), now: last) == .deliver([0xaa, 0xbb], began: start))
    }

    @Test("A slow peer that keeps the least rate gets a large message through")
    func slow() {
        var reader = BLESamples.asked(valueLimit: 20)
        let value = [1] + BLESamples.bytes(19)
        for index in 0..<4700 {  // 90 kB, a value every 75 ms
            let action = reader.receive(.value(value[...]), now: start + .milliseconds(75) * index)
            guard case .wait = action else {
                Issue.record("\(action)")
                return
            }
        }
        guard case .deliver = reader.receive(.value([0]), now: start + .milliseconds(75) * 4700) else {
            Issue.record("not delivered")
            return
        }
    }

    @Test("Empty chunks of L2CAP are no progress")
    func emptyChunks() {
        var reader = BLESamples.asked(valueLimit: nil)
        let wait = BLEAction.wait(until: start + .seconds(300))
        #expect(reader.receive(.value([]), now: start + .seconds(200)) == wait)
        #expect(reader.receive(.value(hex: "00000001aa"), now: start + .seconds(201)) != wait)
    }

    @Test("A message that the link does not take has its time, by its size")
    func sending() {
        var reader = BLESamples.transfer(.reader)
        _ = reader.send(BLESamples.bytes(2560)[...], now: start)
        #expect(reader.deadline == start + .seconds(20))
        var late = reader
        #expect(reader.sent(now: start + .seconds(20)) == .wait(until: start + .seconds(320)))
        #expect(
            late.expire(now: start + .seconds(20) + .milliseconds(1))
                == .end(.failed(.sendMessage, .deadlinePassed)))
    }

    @Test("The holder gives up a reader that asks nothing")
    func request() {
        var holder = BLESamples.transfer(.holder)
        var late = holder
        let last = start + .seconds(30)
        #expect(holder.receive(.value(hex: "00 aa"), now: last) == .deliver([0xaa], began: last))
        #expect(
            late.expire(now: last + .milliseconds(1)) == .end(.failed(.awaitRequest, .deadlinePassed)))
    }

    @Test("Q89 Every phase with something due has its deadline, which ends it by the phase's name")
    func named() {
        for (phase, transfer) in BLESamples.phases {
            var transfer = transfer
            #expect((transfer.deadline == nil) == (phase == .idle))
            guard let deadline = transfer.deadline else { continue }
            #expect(transfer.expire(now: deadline) == .wait(until: deadline))
            #expect(
                transfer.expire(now: deadline + .milliseconds(1)) == .end(.failed(phase, .deadlinePassed)))
        }
    }
}
