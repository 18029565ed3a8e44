import Accessories
import Testing

@testable import countersign_accessories

@Suite("An output that is given in one go")
struct ClaimedOutputsTests {
    private static func output(
        _ number: Int64, _ outcome: AccessoryOutcome = .allow, isTest: Bool = false
    ) -> DueOutput {
        DueOutput(
            number: number, accessory: "keys", lane: "gate", presentation: "p", outcome: outcome,
            isTest: isTest, age: 21, code: "123456")
    }

    private static let start = Duration.seconds(100)

    private static func machine(isTrial: Bool = false) -> ClaimedOutputs {
        ClaimedOutputs(rule: OutputRule(), isTrial: isTrial)
    }

    @Test("An output is given after the daemon's answer, and once")
    func once() {
        var machine = Self.machine()
        let output = Self.output(1)
        #expect(machine.due(output, isReady: true, at: Self.start) == [.claim(output)])
        #expect(machine.claimed(.given, output: 1, at: Self.start) == [.give(output)])
        #expect(machine.claimed(.given, output: 1, at: Self.start) == [])
        #expect(machine.deadline == nil)
    }

    @Test(
        "Without a granted claim nothing is given",
        arguments: [
            (ClaimAnswer.notDue, [ClaimedOutputs.Action]()), (.failed, [.finish(output(1), .unknown)]),
        ])
    func refused(answer: ClaimAnswer, actions: [ClaimedOutputs.Action]) {
        var machine = Self.machine()
        _ = machine.due(Self.output(1), isReady: true, at: Self.start)
        #expect(machine.claimed(answer, output: 1, at: Self.start) == actions)
    }

    @Test("An answer that is late gives nothing, and the end is unknown")
    func late() {
        var machine = Self.machine()
        let output = Self.output(1)
        _ = machine.due(output, isReady: true, at: Self.start)
        let end = Self.start + ClaimAnswer.limit
        #expect(machine.deadline == end)
        #expect(machine.expire(at: end - .milliseconds(1)) == [])
        #expect(machine.expire(at: end) == [.finish(output, .unknown)])
        #expect(machine.claimed(.given, output: 1, at: end) == [])
        _ = machine.due(output, isReady: true, at: Self.start)
        #expect(machine.claimed(.given, output: 1, at: end) == [.finish(output, .unknown)])
    }

    @Test("A second output, a device that is not ready, another outcome and a test document are refused")
    func notAccepted() {
        var machine = Self.machine()
        _ = machine.due(Self.output(1), isReady: true, at: Self.start)
        #expect(
            machine.due(Self.output(2), isReady: true, at: Self.start) == [.finish(Self.output(2), .refused)])
        var idle = Self.machine()
        for (output, isReady) in [
            (Self.output(3), false), (Self.output(4, .deny), true), (Self.output(5, isTest: true), true),
        ] {
            #expect(idle.due(output, isReady: isReady, at: Self.start) == [.finish(output, .refused)])
        }
        var trial = Self.machine(isTrial: true)
        let test = Self.output(6, isTest: true)
        #expect(trial.due(test, isReady: true, at: Self.start) == [.claim(test)])
    }

    @Test("A device that is gone ends a claim as unknown")
    func lost() {
        var machine = Self.machine()
        #expect(machine.lost() == [])
        _ = machine.due(Self.output(1), isReady: true, at: Self.start)
        #expect(machine.lost() == [.finish(Self.output(1), .unknown)])
    }
}
