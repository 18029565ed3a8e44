import Accessories
import Testing

@Suite("The machine of a contact that is tried")
struct ContactMachineTryTests {
    private let attempt = AccessoryTry(number: 17, accessory: "lock", lane: "gate", action: .pulse)
    private let output = OutputSamples.output(17)

    @Test("A try is claimed, closes the contact for one pulse, and reports its own end")
    func pulse() {
        // No outcome and no test document decide about a try.
        var machine = ContactMachine.readyLock(isTrial: false)
        #expect(
            machine.tryPulse(attempt, at: .seconds(9)) == [.claimTry(attempt), .wait(until: .seconds(11))])
        #expect(machine.claimed(.given, try: 17, at: .seconds(9)).withoutWait == [.switchOn])
        #expect(machine.mayBeClosed)
        _ = machine.answered(.accepted, at: .seconds(9))
        #expect(machine.expire(at: .milliseconds(9500)).withoutWait == [.switchOff])
        _ = machine.answered(.accepted, at: .milliseconds(9500))
        #expect(
            machine.answered(.state(isOn: false), at: .milliseconds(9520)) == [.finishTry(attempt, .done)])
        #expect(!machine.mayBeClosed)
    }

    @Test("Before the contact is known to be open, and after the stop, a try is refused")
    func notReady() {
        var machine = ContactMachine.lock()
        #expect(machine.tryPulse(attempt, at: .zero) == [.finishTry(attempt, .refused)])
        _ = machine.connected(at: .zero)
        #expect(machine.tryPulse(attempt, at: .zero).withoutWait == [.finishTry(attempt, .refused)])
        _ = machine.answered(.accepted, at: .zero)
        #expect(machine.tryPulse(attempt, at: .zero).withoutWait == [.finishTry(attempt, .refused)])
        var stopped = ContactMachine.readyLock()
        _ = stopped.stop(at: .zero)
        #expect(stopped.tryPulse(attempt, at: .zero).withoutWait == [.finishTry(attempt, .refused)])
    }

    @Test("A try and an output never close the contact at the same time, nor one by the other's claim")
    func oneAtATime() {
        var machine = ContactMachine.readyLock()
        _ = machine.tryPulse(attempt, at: .zero)
        #expect(machine.due(output, at: .zero).withoutWait == [.finish(output, .refused)])
        #expect(machine.claimed(.given, output: 17, at: .zero).withoutWait == [], "the output of this number")
        #expect(machine.claimed(.given, try: 18, at: .zero).withoutWait == [], "another try")
        #expect(machine.claimed(.given, try: 17, at: .zero).withoutWait == [.switchOn])
        var other = ContactMachine.closedLock(output)
        #expect(other.tryPulse(attempt, at: .seconds(1)).withoutWait == [.finishTry(attempt, .refused)])
        var claiming = ContactMachine.readyLock()
        _ = claiming.due(output, at: .zero)
        #expect(claiming.claimed(.given, try: 17, at: .zero).withoutWait == [], "the try of this number")
        #expect(claiming.claimed(.given, output: 17, at: .zero).withoutWait == [.switchOn])
    }

    @Test("A daemon that refuses a try, is late or is lost closes nothing")
    func notGiven() {
        for (answer, end) in [
            (ClaimAnswer.notDue, []), (.failed, [ContactAction.finishTry(attempt, .unknown)]),
        ] {
            var machine = ContactMachine.readyLock()
            _ = machine.tryPulse(attempt, at: .zero)
            #expect(machine.claimed(answer, try: 17, at: .zero) == end)
            #expect(machine.claimed(.given, try: 17, at: .zero) == [])
        }
        var late = ContactMachine.readyLock()
        _ = late.tryPulse(attempt, at: .zero)
        #expect(late.claimed(.given, try: 17, at: .seconds(2)) == [.finishTry(attempt, .unknown)])
    }

    @Test("A device that is lost during the pulse of a try is switched off first, and the end is unknown")
    func lost() {
        var machine = ContactMachine.readyLock()
        _ = machine.tryPulse(attempt, at: .zero)
        _ = machine.claimed(.given, try: 17, at: .zero)
        #expect(machine.lost(at: .zero).contains(.finishTry(attempt, .unknown)))
        #expect(machine.mayBeClosed)
        #expect(machine.connected(at: .seconds(2)).first == .switchOff)
    }
}
