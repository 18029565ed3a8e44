import Accessories
import Testing

@Suite("The machine of a contact")
struct ContactMachineTests {
    private let output = OutputSamples.output(17)
    private let next = OutputSamples.output(18)

    // MARK: From the start to the pulse

    @Test("The contact is switched off and read back before the accessory is ready")
    func start() {
        var machine = ContactMachine.lock()
        #expect(machine.deadline == nil)
        #expect(machine.connected(at: .zero) == [.switchOff, .wait(until: .seconds(1))])
        #expect(
            machine.answered(.accepted, at: .milliseconds(20)) == [
                .readBack, .wait(until: .milliseconds(1020)),
            ])
        #expect(machine.answered(.state(isOn: false), at: .milliseconds(40)) == [.report(.ready)])
        #expect(machine.deadline == nil)
    }

    @Test("A device that cannot be read back is ready after it received the command")
    func startWithoutReadBack() {
        var machine = ContactMachine.lock(canReadBack: false)
        #expect(machine.connected(at: .zero).withoutWait == [.switchOff])
        #expect(machine.answered(.accepted, at: .zero) == [.report(.ready)])
    }

    @Test("A trial accessory reports that it is one")
    func trial() {
        var machine = ContactMachine.lock(canReadBack: false, isTrial: true)
        _ = machine.connected(at: .zero)
        #expect(machine.answered(.accepted, at: .zero) == [.report(.trial)])
    }

    @Test("An output is claimed, the contact closes for its pulse, and the output is done")
    func pulse() {
        var machine = ContactMachine.readyLock()
        #expect(machine.due(output, at: .seconds(9)) == [.claim(output), .wait(until: .seconds(11))])
        #expect(
            machine.claimed(.given, output: 17, at: .seconds(10))
                == [.switchOn, .wait(until: .milliseconds(10_500))])
        #expect(machine.mayBeClosed)
        #expect(
            machine.answered(.accepted, at: .milliseconds(10_020)) == [.wait(until: .milliseconds(10_500))])
        #expect(
            machine.expire(at: .milliseconds(10_499)) == [.wait(until: .milliseconds(10_500))])
        #expect(
            machine.expire(at: .milliseconds(10_500)) == [.switchOff, .wait(until: .milliseconds(11_500))])
        #expect(machine.answered(.accepted, at: .milliseconds(10_520)).withoutWait == [.readBack])
        #expect(machine.mayBeClosed)
        #expect(
            machine.answered(.state(isOn: false), at: .milliseconds(10_540)) == [.finish(output, .done)])
        #expect(!machine.mayBeClosed)
        #expect(machine.due(next, at: .seconds(12)).withoutWait == [.claim(next)])
    }

    @Test("Any call after the end of the pulse opens the contact")
    func lateCalls() {
        for call in 0..<4 {
            var machine = ContactMachine.closedLock(output)
            let now = Duration.seconds(7)
            let actions =
                switch call {
                case 0: machine.expire(at: now)
                case 1: machine.due(next, at: now)
                case 2: machine.claimed(.given, output: 18, at: now)
                default: machine.answered(.accepted, at: now)
                }
            #expect(actions.first == .switchOff)
        }
    }

    @Test("A lamp acts on the outcomes of its rule alone")
    func lamp() {
        var machine = ContactMachine.lock(canReadBack: false, outcomes: [.deny, .failed])
        _ = machine.connected(at: .zero)
        _ = machine.answered(.accepted, at: .zero)
        #expect(machine.due(output, at: .zero) == [.finish(output, .refused)])
        let denied = OutputSamples.output(18, outcome: .deny)
        #expect(machine.due(denied, at: .zero).withoutWait == [.claim(denied)])
    }

    // MARK: Before the contact closes

    @Test("Before the contact is known to be open an output is refused")
    func notReady() {
        var machine = ContactMachine.lock()
        #expect(machine.due(output, at: .zero) == [.finish(output, .refused)])
        _ = machine.connected(at: .zero)
        #expect(machine.due(output, at: .zero).withoutWait == [.finish(output, .refused)])
        _ = machine.answered(.accepted, at: .zero)
        #expect(machine.due(output, at: .zero).withoutWait == [.finish(output, .refused)])
    }

    @Test("A test document closes the contact of a trial accessory alone")
    func testDocument() {
        let test = OutputSamples.output(17, isTest: true)
        var machine = ContactMachine.readyLock()
        #expect(machine.due(test, at: .zero) == [.finish(test, .refused)])
        var trial = ContactMachine.readyLock(isTrial: true)
        #expect(trial.due(test, at: .zero).withoutWait == [.claim(test)])
    }

    @Test("Without the daemon's word the contact does not close")
    func notGiven() {
        for (answer, end) in [(ClaimAnswer.notDue, []), (.failed, [ContactAction.finish(output, .unknown)])] {
            var machine = ContactMachine.readyLock()
            _ = machine.due(output, at: .zero)
            #expect(machine.claimed(answer, output: 17, at: .zero) == end)
            // The claim has its answer, and another one changes nothing.
            #expect(machine.claimed(.given, output: 17, at: .zero) == [])
            #expect(machine.due(next, at: .zero).withoutWait == [.claim(next)])
        }
    }

    @Test("The daemon's word for another output does not close the contact")
    func otherClaim() {
        var machine = ContactMachine.readyLock()
        _ = machine.due(output, at: .zero)
        #expect(machine.claimed(.given, output: 16, at: .zero).withoutWait == [])
        #expect(machine.claimed(.given, output: 17, at: .zero).withoutWait == [.switchOn])
    }

    @Test("The daemon's word that comes after 2 s does not close the contact")
    func lateClaim() {
        for answer in [ClaimAnswer.given, .failed] {
            var machine = ContactMachine.readyLock()
            _ = machine.due(output, at: .zero)
            #expect(machine.claimed(answer, output: 17, at: .seconds(2)) == [.finish(output, .unknown)])
        }
        var machine = ContactMachine.readyLock()
        _ = machine.due(output, at: .zero)
        #expect(machine.claimed(.notDue, output: 17, at: .seconds(2)) == [])
        _ = machine.due(next, at: .seconds(3))
        #expect(machine.claimed(.given, output: 18, at: .milliseconds(4999)).withoutWait == [.switchOn])
    }

    @Test("A late word for one output does not close the contact for the next")
    func lateClaimDuringNext() {
        var machine = ContactMachine.readyLock()
        _ = machine.due(output, at: .zero)
        #expect(machine.expire(at: .seconds(2)) == [])
        #expect(machine.due(next, at: .seconds(2)).withoutWait == [.claim(next)])
        #expect(
            machine.claimed(.given, output: 17, at: .seconds(3)).withoutWait == [.finish(output, .unknown)])
        #expect(machine.claimed(.given, output: 18, at: .seconds(3)).withoutWait == [.switchOn])
    }

    @Test("An output that comes while another is in progress is refused")
    func second() {
        var machine = ContactMachine.readyLock()
        let refused: [ContactAction] = [.finish(next, .refused)]
        _ = machine.due(output, at: .zero)
        #expect(machine.due(next, at: .zero).withoutWait == refused)
        _ = machine.claimed(.given, output: 17, at: .zero)
        #expect(machine.due(next, at: .zero).withoutWait == refused)
        _ = machine.answered(.accepted, at: .zero)
        #expect(machine.due(next, at: .milliseconds(499)).withoutWait == refused)
        #expect(machine.due(next, at: .milliseconds(500)).withoutWait == [.switchOff] + refused)
        _ = machine.answered(.accepted, at: .milliseconds(500))
        #expect(machine.due(next, at: .milliseconds(500)).withoutWait == refused)
    }
}
