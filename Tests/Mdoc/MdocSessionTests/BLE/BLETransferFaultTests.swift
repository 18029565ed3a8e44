import MdocSession
import Testing
import VectorFiles

@Suite("Faults in a transfer over Bluetooth LE")
struct BLETransferFaultTests {
    private let start = BLESamples.start

    private func settings(_ maximumMessageSize: Int) -> BLETransferSettings {
        var settings = BLETransferSettings()
        settings.maximumMessageSize = maximumMessageSize
        return settings
    }

    @Test(
        "A malformed value ends the transfer by name",
        arguments: [
            ("", .valueEmpty), ("01", .valueEmpty), ("00", .messageEmpty), ("02aa", .prefixUnknown(2)),
        ] as [(String, BLEFault)])
    func malformedValue(hex: String, fault: BLEFault) {
        var reader = BLESamples.asked()
        #expect(reader.receive(.value(hex: hex), now: start) == .end(.failed(.awaitResponse, fault)))
        #expect(reader.expire(now: start) == .end(.failed(.awaitResponse, fault)))
        #expect(reader.send([1], now: start) == .end(.failed(.awaitResponse, fault)))
    }

    @Test("Q66 A bare message over L2CAP is named, a framed one is taken")
    func bare() {
        var reader = BLESamples.asked(valueLimit: nil)
        var framed = reader
        #expect(
            reader.receive(.value(hex: "a1 66 737461747573 14"), now: start)
                == .end(.failed(.receiveMessage, .notFramed)))
        guard case .deliver = framed.receive(.value(hex: "00000009 a1 66 737461747573 14"), now: start) else {
            Issue.record("not delivered")
            return
        }
    }

    @Test("Q194 A message above the cap ends the transfer in either framing, one of its size passes")
    func cap() {
        for (size, isTaken) in [(3, true), (2, false)] {
            for (valueLimit, hex) in [(182, "00 aabbcc"), (nil, "00000003 aabbcc")] {
                var reader = BLESamples.asked(valueLimit: valueLimit, settings: settings(size))
                let action = reader.receive(.value(hex: hex), now: start)
                let phase = valueLimit == nil ? BLEPhase.receiveMessage : .awaitResponse
                let refusal = BLEEndReason.failed(phase, .messageTooLong(announced: 3, limit: size))
                #expect(action == (isTaken ? .deliver([0xaa, 0xbb, 0xcc], began: start) : .end(refusal)))
            }
        }
    }

    @Test("Q194 What comes early is within the cap too")
    func earlyCap() {
        var reader = BLESamples.transfer(.reader, settings: settings(2))
        #expect(reader.receive(.value(hex: "01 aabb"), now: start) == .wait(until: nil))
        #expect(
            reader.receive(.value(hex: "01 cc"), now: start)
                == .end(.failed(.idle, .messageTooLong(announced: 3, limit: 2))))
    }

    @Test("An empty message and one above the cap are not sent")
    func unsendable() {
        for valueLimit in [182, nil] {
            let fresh = BLESamples.transfer(.reader, valueLimit: valueLimit, settings: settings(3))
            var (empty, long, full) = (fresh, fresh, fresh)
            #expect(empty.send([], now: start) == .end(.failed(.sendMessage, .messageEmpty)))
            #expect(
                long.send([1, 2, 3, 4], now: start)
                    == .end(.failed(.sendMessage, .messageTooLong(announced: 4, limit: 3))))
            #expect(full.send([1, 2, 3], now: start).pieces != nil)
        }
    }

    @Test("A message out of turn ends the transfer by the phase's name")
    func outOfTurn() {
        for (phase, transfer) in BLESamples.phases where phase != .idle {
            var transfer = transfer
            #expect(transfer.send([1], now: start) == .end(.failed(phase, .outOfTurn)))
        }
    }

    @Test("Every fault has a name of its own for programs")
    func names() {
        let faults: [BLEFault] = [
            .linkLost, .deadlinePassed, .endedWithinMessage, .stateUnknown(0), .valueEmpty, .prefixUnknown(2),
            .messageEmpty, .messageTooLong(announced: 2, limit: 1), .messageUnexpected, .notFramed,
            .outOfTurn,
        ]
        #expect(Set(faults.map(\.id)).count == faults.count)
        #expect(faults.allSatisfy { $0.id.wholeMatch(of: /ble\.[a-z_]+/) != nil })
    }

    @Test("Noise ends every transfer by name, without a trap, or is delivered within the cap")
    func noise() throws {
        var random = SplitMix64(seed: 9)
        for round in 0..<3000 {
            let valueLimit = round.isMultiple(of: 2) ? 182 : nil
            var reader = BLESamples.asked(valueLimit: valueLimit, settings: settings(100))
            var holder = BLESamples.transfer(.holder, valueLimit: valueLimit)
            _ = holder.receive(.value(valueLimit == nil ? [0, 0, 0, 1, 1] : [0, 1]), now: start)
            let answer = BLESamples.bytes(Int.random(in: 1...400, using: &random))
            let action = holder.send(answer[...], now: start)
            for piece in try #require(action.pieces) {
                let spoiled = Int.random(in: 0..<3, using: &random) == 0 ? random.mutate(piece) : piece
                let state = Int.random(in: 0..<20, using: &random) == 0
                switch reader.receive(state ? .state(spoiled[...]) : .value(spoiled[...]), now: start) {
                case .deliver(let message, let began):
                    #expect((1...100).contains(message.count) && began == start)
                case .wait, .end: break
                case .transmit, .signalState: Issue.record("the machine speaks by itself")
                }
            }
        }
    }
}
