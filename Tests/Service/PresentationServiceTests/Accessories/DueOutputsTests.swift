import Accessories
import Testing

@testable import PresentationService

@Suite("Outputs that are due, as a value")
struct DueOutputsTests {
    private static let start = ContinuousClock.now
    private static let end = start + .seconds(5)

    private static func output(_ number: Int64, of accessory: String = "lock") -> DueOutput {
        DueOutput(
            number: number, accessory: accessory, lane: "one", presentation: "p", outcome: .allow,
            isTest: false, age: nil, code: "000001")
    }

    private static func outputs(_ numbers: Int64...) -> DueOutputs {
        var outputs = DueOutputs()
        for number in numbers { outputs.insert(output(number), until: end) }
        return outputs
    }

    @Test("An output is given once: neither while it is being given nor after it")
    func once() {
        var outputs = Self.outputs(1)
        var begun = [outputs.beginGiving(1, at: Self.start), outputs.beginGiving(1, at: Self.start)]
        outputs.endGiving(1, by: 7)
        begun.append(outputs.beginGiving(1, at: Self.start))
        #expect(begun == [true, false, false])
        #expect(outputs.isGiven(1, by: 7) && !outputs.isGiven(1, by: 8))
        outputs.remove(1)
        let again = outputs.beginGiving(1, at: Self.start)
        #expect(!again && outputs.isEmpty)
    }

    @Test("An output is given until its time is over, and not from then on")
    func time() {
        for (now, isGiven) in [(Self.end - .nanoseconds(1), true), (Self.end, false)] {
            var outputs = Self.outputs(1)
            #expect(outputs.isOver(1, at: now) == !isGiven)
            let begun = outputs.beginGiving(1, at: now)
            #expect(begun == isGiven)
        }
        #expect(Self.outputs().isOver(1, at: Self.start), "one that is unknown")
    }

    @Test("What the store refused to record is due again; what was given is not")
    func cancelled() {
        var outputs = Self.outputs(1)
        _ = outputs.beginGiving(1, at: Self.start)
        var removed = [outputs.removeDue(1)]
        outputs.cancelGiving(1)
        let begun = outputs.beginGiving(1, at: Self.start)
        outputs.endGiving(1, by: 7)
        outputs.cancelGiving(1)
        removed.append(outputs.removeDue(1))
        #expect(begun && removed == [false, false] && outputs.isGiven(1, by: 7))
    }

    @Test("The end of a program's stream ends what the program gave, and nothing else")
    func streams() {
        var outputs = Self.outputs(1, 2, 3)
        for (number, stream) in [(1, 7), (2, 8)] as [(Int64, Int)] {
            _ = outputs.beginGiving(number, at: Self.start)
            outputs.endGiving(number, by: stream)
        }
        let given = outputs.removeGiven(by: 7)
        #expect(given.map(\.number) == [1] && outputs.isGiven(2, by: 8))
        let isDue = outputs.removeDue(3)
        #expect(isDue)
    }

    @Test("An output belongs to its accessory, and the end of another ends nothing of it")
    func accessories() {
        var outputs = Self.outputs(1)
        outputs.insert(Self.output(2, of: "lamp"), until: Self.end)
        #expect(outputs.output(1, of: "lock")?.number == 1 && outputs.output(1, of: "lamp") == nil)
        let ended = outputs.removeDue(ofAccessories: ["lamp", "other"])
        #expect(ended == [2] && outputs.output(1, of: "lock") != nil)
    }
}
