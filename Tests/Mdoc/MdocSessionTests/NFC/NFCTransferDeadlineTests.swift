import ISO7816
import NDEF
import Testing

@testable import MdocSession

@Suite("The deadline of an NFC transfer")
struct NFCTransferDeadlineTests {
    /// A reader that has sent its request and waits for the answer.
    private func asked(_ start: ContinuousClock.Instant) throws -> NFCTransferReader {
        var reader = NFCTransferReader(limits: .short, carrier: NFCCarrier())
        _ = reader.start(now: start)
        #expect(reader.receive([0x90, 0x00], now: start) == .deliver(.selected))
        guard case .transmit = reader.send([1, 2, 3], now: start) else {
            throw NFCEndReason(.sendMessage, .outOfTurn)
        }
        return reader
    }

    @Test("Q194 A phone that sends a byte every few seconds is given up when the transfer's time is over")
    func trickle() throws {
        let start = ContinuousClock.now
        var reader = try asked(start)
        // A data object of 4096 bytes, of which each answer brings one.
        var answers: [[UInt8]] = [[0x53, 0x82, 0x10, 0x00, 0x61, 0x00]]
        answers += Array(repeating: [0xaa, 0x61, 0x00], count: 100)
        var now = start
        var end: NFCEndReason?
        for answer in answers {
            now += .seconds(9)
            if case .end(let reason) = reader.receive(answer[...], now: now) {
                end = reason
                break
            }
        }
        #expect(end == NFCEndReason(.receiveMessage, .deadlinePassed))
        #expect(now <= start + .seconds(9 + 60 + 9))
    }

    @Test("Q54 The person's time to decide does not count, and steady progress within the time goes through")
    func steady() throws {
        let start = ContinuousClock.now
        var reader = try asked(start)
        let consented = start + .seconds(290)
        guard case .transmit = reader.receive([0x53, 0x02, 0xaa, 0x61, 0x01], now: consented) else {
            Issue.record("the first answer was refused")
            return
        }
        #expect(
            reader.receive([0xbb, 0x90, 0x00], now: consented + .seconds(9))
                == .deliver(.message([0xaa, 0xbb])))
    }
}
