import Accessories
import Testing

@Suite("The machine of a contact when something fails")
struct ContactMachineFaultTests {
    private let output = OutputSamples.output(17)
    private let next = OutputSamples.output(18)

    // MARK: The device is lost

    @Test("A device that was lost is switched off before all else, wherever it was lost")
    func lostAnywhere() {
        var ready = ContactMachine.readyLock()
        var claiming = ready
        _ = claiming.due(output, at: .seconds(1))
        let closed = ContactMachine.closedLock(output)
        var opening = closed
        _ = opening.expire(at: .seconds(2))
        var readingBack = opening
        _ = readingBack.answered(.accepted, at: .seconds(2))
        var failed = opening
        _ = failed.failed(.noReply, at: .seconds(2))
        for machine in [ready, claiming, closed, opening, readingBack, failed] {
            var machine = machine
            _ = machine.lost(at: .seconds(2))
            #expect(machine.deadline == nil)
            #expect(machine.due(next, at: .seconds(2)) == [.finish(next, .refused)])
            #expect(machine.connected(at: .seconds(3)).first == .switchOff)
            #expect(machine.due(next, at: .seconds(3)).withoutWait == [.finish(next, .refused)])
        }
        // A device that was opened again without a notice of its loss.
        #expect(ready.connected(at: .seconds(3)).withoutWait == [.switchOff])
    }

    @Test("An output whose contact was closed is unknown after the loss of the device")
    func lostClosed() {
        var closed = ContactMachine.closedLock(output)
        #expect(closed.lost(at: .seconds(1)) == [.finish(output, .unknown), .report(.absent)])
        #expect(closed.mayBeClosed)
        var opening = ContactMachine.closedLock(output)
        _ = opening.expire(at: .seconds(2))
        #expect(opening.lost(at: .seconds(2)) == [.finish(output, .unknown), .report(.absent)])
        var reopened = ContactMachine.closedLock(output)
        #expect(
            reopened.connected(at: .seconds(1)).withoutWait == [.switchOff, .finish(output, .unknown)])
    }

    @Test(
        "An output whose contact was not closed is refused, and unknown if the daemon marks it nevertheless")
    func lostClaiming() {
        var machine = ContactMachine.readyLock()
        _ = machine.due(output, at: .zero)
        #expect(machine.lost(as: .busy, at: .zero) == [.finish(output, .refused), .report(.busy)])
        var notDue = machine
        #expect(machine.claimed(.given, output: 17, at: .zero) == [.finish(output, .unknown)])
        #expect(notDue.claimed(.notDue, output: 17, at: .zero) == [])
    }

    @Test("An answer from before the loss of the device confirms nothing")
    func staleAnswers() {
        var machine = ContactMachine.lock()
        _ = machine.connected(at: .zero)
        _ = machine.lost(at: .zero)
        #expect(machine.answered(.accepted, at: .zero) == [])
        #expect(machine.answered(.state(isOn: false), at: .zero) == [])
        #expect(machine.failed(.noReply, at: .zero) == [])
        #expect(machine.due(output, at: .zero) == [.finish(output, .refused)])
    }

    @Test("An answer that nobody waits for does not confirm the command that its call sends")
    func strayAnswer() {
        var closed = ContactMachine.closedLock(output)
        #expect(closed.answered(.accepted, at: .seconds(2)).withoutWait == [.switchOff])
        #expect(closed.due(next, at: .seconds(2)).withoutWait == [.finish(next, .refused)])
        var failed = ContactMachine.closedLock(output)
        _ = failed.expire(at: .seconds(2))
        _ = failed.failed(.noReply, at: .seconds(2))
        #expect(failed.answered(.accepted, at: .seconds(3)).withoutWait == [.switchOff])
        #expect(failed.answered(.accepted, at: .seconds(3)).withoutWait == [.readBack])
    }

    // MARK: "Off" fails

    @Test("An opening that fails is tried again every 200 ms until it is confirmed")
    func openingFails() {
        var machine = ContactMachine.closedLock(output)
        var now = Duration.milliseconds(1500)
        #expect(machine.expire(at: now).withoutWait == [.switchOff])
        for attempt in 0..<4 {
            let report: [ContactAction] = attempt == 0 ? [.report(.notAnswering)] : []
            #expect(
                machine.failed(.noReply, at: now) == report + [.wait(until: now + .milliseconds(200))])
            now += .milliseconds(200)
            #expect(machine.expire(at: now).withoutWait == [.switchOff])
        }
        _ = machine.answered(.accepted, at: now)
        #expect(
            machine.answered(.state(isOn: false), at: now) == [.finish(output, .done), .report(.ready)])
    }

    @Test("A contact that is read back as closed is switched off again")
    func stillClosed() {
        var machine = ContactMachine.lock()
        _ = machine.connected(at: .zero)
        _ = machine.answered(.accepted, at: .zero)
        #expect(
            machine.answered(.state(isOn: true), at: .zero)
                == [.report(.notAnswering), .wait(until: .milliseconds(200))])
        #expect(machine.expire(at: .milliseconds(200)).withoutWait == [.switchOff])
    }

    @Test("An answer of another kind confirms nothing")
    func wrongAnswers() {
        var off = ContactMachine.lock()
        _ = off.connected(at: .zero)
        #expect(off.answered(.state(isOn: false), at: .zero).withoutWait == [.report(.notAnswering)])
        var read = ContactMachine.lock()
        _ = read.connected(at: .zero)
        _ = read.answered(.accepted, at: .zero)
        #expect(read.answered(.accepted, at: .zero).withoutWait == [.report(.notAnswering)])
        var on = ContactMachine.readyLock()
        _ = on.due(output, at: .zero)
        _ = on.claimed(.given, output: 17, at: .zero)
        #expect(on.answered(.state(isOn: true), at: .zero).withoutWait == [.switchOff])
    }

    @Test("A board that contradicts the file says so")
    func misconfigured() {
        var machine = ContactMachine.lock()
        _ = machine.connected(at: .zero)
        #expect(
            machine.failed(.refused(.illegalAddress), at: .zero).withoutWait == [.report(.misconfigured)])
    }

    @Test("After five failures the device is opened again, and switched off before all else")
    func reconnect() {
        var machine = ContactMachine.closedLock(output)
        var now = Duration.seconds(2)
        _ = machine.expire(at: now)
        for _ in 0..<4 {
            _ = machine.failed(.noReply, at: now)
            now += .milliseconds(200)
            _ = machine.expire(at: now)
        }
        #expect(machine.failed(.noReply, at: now) == [.reconnect, .finish(output, .unknown)])
        #expect(machine.deadline == nil && machine.mayBeClosed)
        #expect(machine.connected(at: now).withoutWait == [.switchOff])
        _ = machine.answered(.accepted, at: now)
        #expect(machine.answered(.state(isOn: false), at: now) == [.report(.ready)])
    }

    @Test("A driver that does not answer for 1 s has to open the device again")
    func silentDriver() {
        var machine = ContactMachine.lock()
        _ = machine.connected(at: .zero)
        #expect(machine.expire(at: .milliseconds(999)) == [.wait(until: .seconds(1))])
        #expect(machine.expire(at: .seconds(1)) == [.reconnect, .report(.notAnswering)])
        #expect(machine.answered(.accepted, at: .seconds(1)) == [])
    }

    // MARK: "On" fails

    @Test("A contact that could not be closed is opened at once, and the output is unknown")
    func onFails() {
        var machine = ContactMachine.readyLock()
        _ = machine.due(output, at: .zero)
        _ = machine.claimed(.given, output: 17, at: .zero)
        #expect(machine.failed(.noReply, at: .milliseconds(300)).withoutWait == [.switchOff])
        _ = machine.answered(.accepted, at: .milliseconds(300))
        #expect(
            machine.answered(.state(isOn: false), at: .milliseconds(300)) == [.finish(output, .unknown)])
    }

    @Test("The pulse ends in time although the answer to \"on\" has not come")
    func slowAnswer() {
        var machine = ContactMachine.readyLock()
        _ = machine.due(output, at: .zero)
        _ = machine.claimed(.given, output: 17, at: .zero)
        #expect(machine.expire(at: .milliseconds(500)).withoutWait == [.switchOff])
        var failing = machine
        // The answers come in the order of the commands.
        #expect(machine.answered(.accepted, at: .milliseconds(600)).withoutWait == [])
        #expect(machine.answered(.accepted, at: .milliseconds(620)).withoutWait == [.readBack])
        #expect(
            machine.answered(.state(isOn: false), at: .milliseconds(640)) == [.finish(output, .done)])
        #expect(failing.failed(.noReply, at: .milliseconds(600)).withoutWait == [])
        #expect(failing.answered(.accepted, at: .milliseconds(620)).withoutWait == [.readBack])
        #expect(
            failing.answered(.state(isOn: false), at: .milliseconds(640)) == [.finish(output, .unknown)])
    }

    @Test("A long pulse whose \"on\" has no answer is cut short, and the output is unknown")
    func noAnswerToOn() {
        var machine = ContactMachine.readyLock(pulse: .seconds(10))
        _ = machine.due(output, at: .zero)
        #expect(machine.claimed(.given, output: 17, at: .zero) == [.switchOn, .wait(until: .seconds(1))])
        #expect(machine.expire(at: .seconds(1)).withoutWait == [.switchOff])
        _ = machine.answered(.accepted, at: .seconds(1))
        _ = machine.answered(.accepted, at: .seconds(1))
        #expect(machine.answered(.state(isOn: false), at: .seconds(1)) == [.finish(output, .unknown)])
    }

    // MARK: The end

    @Test("A stop switches off, wherever it comes")
    func stop() {
        let ready = ContactMachine.readyLock()
        var claiming = ready
        _ = claiming.due(output, at: .seconds(1))
        let closed = ContactMachine.closedLock(output)
        var opening = closed
        _ = opening.expire(at: .seconds(2))
        var readingBack = opening
        _ = readingBack.answered(.accepted, at: .seconds(2))
        var failed = opening
        _ = failed.failed(.noReply, at: .seconds(2))
        let unknown: [ContactAction] = [.switchOff, .finish(output, .unknown)]
        for (machine, actions) in [
            (ready, [.switchOff]), (claiming, [.switchOff, .finish(output, .refused)]), (closed, unknown),
            (opening, unknown), (readingBack, unknown), (failed, unknown),
        ] {
            var machine = machine
            #expect(machine.stop(at: .seconds(2)).withoutWait == actions)
            #expect(!machine.isStopped)
            #expect(machine.due(next, at: .seconds(2)).withoutWait == [.finish(next, .refused)])
            while !machine.isStopped, machine.deadline != nil {
                let actions = machine.answered(.accepted, at: .seconds(2)).withoutWait
                if actions.contains(.readBack) { _ = machine.answered(.state(isOn: false), at: .seconds(2)) }
            }
            #expect(machine.isStopped && !machine.mayBeClosed)
            #expect(machine.due(next, at: .seconds(2)) == [.finish(next, .refused)])
            #expect(machine.claimed(.given, output: 18, at: .seconds(2)) == [])
        }
    }

    @Test("A stop that is not confirmed is tried again")
    func stopFails() {
        var machine = ContactMachine.closedLock(output)
        _ = machine.stop(at: .seconds(1))
        _ = machine.failed(.noReply, at: .seconds(1))
        #expect(!machine.isStopped)
        #expect(machine.expire(at: .milliseconds(1200)).withoutWait == [.switchOff])
        _ = machine.answered(.accepted, at: .milliseconds(1200))
        _ = machine.answered(.state(isOn: false), at: .milliseconds(1200))
        #expect(machine.isStopped)
    }

    @Test("A machine without a device has stopped, unless it left the contact closed")
    func stopWithoutDevice() {
        var absent = ContactMachine.lock()
        #expect(absent.stop(at: .zero) == [] && absent.isStopped)
        var closed = ContactMachine.closedLock(output)
        _ = closed.lost(at: .seconds(1))
        #expect(closed.stop(at: .seconds(1)) == [] && !closed.isStopped)
        #expect(closed.connected(at: .seconds(2)).withoutWait == [.switchOff])
        _ = closed.answered(.accepted, at: .seconds(2))
        _ = closed.answered(.state(isOn: false), at: .seconds(2))
        #expect(closed.isStopped)
    }
}
