import Testing
import VectorFiles

@testable import Accessories

/// The way of an output to the panel: at most one card, and an end that is never better than the truth.
@Suite("OSDP outputs")
struct OSDPOutputTests {
    private static let card = OSDPPanel.Reply(code: 0x50, data: "00001a0026800a80".bytes)

    @Test("A card goes out once, after the claim, as the reply to a poll, and the next command ends it")
    func delivered() throws {
        var bench = try OSDPBench.secure()
        #expect(bench.peripheral.due(.sample(), at: bench.now) == [.claim(.sample())])
        // Not before the daemon has answered.
        #expect(try bench.exchange(0x60).reply == .acknowledgement)
        #expect(bench.peripheral.claimed(true, for: 17, at: bench.now) == [])
        // Not as the reply to another command.
        #expect(try bench.exchange(0x64).reply.code == 0x48)
        let poll = try bench.exchange(0x60)
        #expect(poll.reply == Self.card && poll.actions == [])
        #expect(bench.peripheral.expire(at: bench.now + .milliseconds(4999)) == [])
        let next = try bench.exchange(0x60)
        #expect(next.reply == .acknowledgement && next.actions == [.delivered(.sample())])
        #expect(try bench.exchange(0x60).reply == .acknowledgement)
    }

    @Test("A repeated sequence number is answered with the same bytes, and the card stays one card")
    func repeated() throws {
        var bench = try OSDPBench.claimed(.sample())
        let command = try bench.panel.command(0x60)
        let first = bench.receive(command)
        for _ in 0..<3 {
            bench.now += .milliseconds(200)
            #expect(bench.receive(command) == first)
        }
        let reply = try bench.panel.read(#require(first.first?.message))
        #expect(reply == Self.card)
        #expect(try bench.exchange(0x60).actions == [.delivered(.sample())])
    }

    @Test("Another command with a repeated number has the same answer, and nothing of it is done")
    func repeatedNumber() throws {
        var bench = try OSDPBench.secure()
        let number = bench.panel.number
        let first = try bench.exchange(0x60)
        bench.panel.number = number
        bench.panel.session = nil
        let light = bench.panel.clear(0x69, "0000020a0002001e000000000000".bytes)
        #expect(bench.receive(light) == [.transmit(first.message)])
    }

    @Test("A refused claim sends no card", arguments: [true, false])
    func claim(isGranted: Bool) throws {
        var bench = try OSDPBench.secure()
        _ = bench.peripheral.due(.sample(), at: bench.now)
        #expect(bench.peripheral.claimed(isGranted, for: 17, at: bench.now) == [])
        #expect(try bench.exchange(0x60).reply == (isGranted ? Self.card : .acknowledgement))
        // A second answer to the same claim changes nothing.
        #expect(bench.peripheral.claimed(true, for: 17, at: bench.now) == [])
        let next = try bench.exchange(0x60)
        #expect(next.reply == .acknowledgement)
        #expect(next.actions == (isGranted ? [.delivered(.sample())] : []))
    }

    @Test("An answer to another claim is not taken for this one")
    func otherClaim() throws {
        var bench = try OSDPBench.secure()
        _ = bench.peripheral.due(.sample(), at: bench.now)
        #expect(bench.peripheral.claimed(true, for: 18, at: bench.now) == [])
        #expect(try bench.exchange(0x60).reply == .acknowledgement)
        #expect(bench.peripheral.claimed(true, for: 17, at: bench.now) == [])
        #expect(try bench.exchange(0x60).reply == Self.card)
    }

    @Test("Outputs go one after the other; the same output comes once")
    func several() throws {
        var bench = try OSDPBench.claimed(.sample(1))
        #expect(bench.peripheral.due(.sample(1), at: bench.now) == [])
        #expect(bench.peripheral.due(.sample(2), at: bench.now) == [])
        #expect(bench.peripheral.due(.sample(2), at: bench.now) == [])
        #expect(try bench.exchange(0x60).reply == Self.card)
        #expect(try bench.exchange(0x60).actions == [.delivered(.sample(1)), .claim(.sample(2))])
        _ = bench.peripheral.claimed(true, for: 2, at: bench.now)
        #expect(try bench.exchange(0x60).reply == Self.card)
        #expect(try bench.exchange(0x60).actions == [.delivered(.sample(2))])
    }

    @Test("More than eight waiting outputs are refused")
    func limit() throws {
        var bench = try OSDPBench.claimed(.sample(1))
        for number in 2...9 as ClosedRange<Int64> {
            #expect(bench.peripheral.due(.sample(number), at: bench.now) == [])
        }
        #expect(bench.peripheral.due(.sample(10), at: bench.now) == [.refused(.sample(10))])
    }

    @Test("No outcome but `allow` has a card", arguments: AccessoryOutcome.allCases)
    func outcomes(outcome: AccessoryOutcome) throws {
        var bench = try OSDPBench.secure()
        let output = DueOutput.sample(outcome: outcome)
        #expect(
            bench.peripheral.due(output, at: bench.now)
                == (outcome == .allow ? [.claim(output)] : [.refused(output)]))
    }

    @Test("A test document has no card, unless the accessory is a trial", arguments: [true, false])
    func testDocuments(isTrial: Bool) throws {
        var bench = try OSDPBench.secure(isTrial: isTrial)
        let output = DueOutput.sample(isTest: true)
        #expect(
            bench.peripheral.due(output, at: bench.now) == (isTrial ? [.claim(output)] : [.refused(output)]))
    }

    @Test("Without a panel an output is refused at once")
    func absentPanel() throws {
        var bench = try OSDPBench.keyed()
        #expect(bench.peripheral.due(.sample(), at: bench.now) == [.refused(.sample())])
        #expect(bench.peripheral.deadline == nil)
    }

    @Test("An output waits for the channel within its time")
    func waits() throws {
        var bench = try OSDPBench.keyed()
        _ = try bench.exchange(0x61)
        #expect(bench.peripheral.due(.sample(), at: bench.now) == [])
        #expect(bench.peripheral.deadline == bench.now + .seconds(5))
        bench.now += .milliseconds(4999)
        let answer = try bench.exchange(bench.panel.challenge())
        let last = try bench.exchange(bench.panel.confirmation(of: answer.message))
        #expect(
            last.actions
                == [.claim(.sample()), .report(OSDPStatus(isOnline: true, isSecure: true, state: .ready))])
    }

    @Test("An output whose time ends before the channel opens is refused")
    func tooLateForTheChannel() throws {
        var bench = try OSDPBench.keyed()
        _ = try bench.exchange(0x61)
        _ = bench.peripheral.due(.sample(), at: bench.now)
        bench.now += .seconds(5)
        #expect(bench.peripheral.expire(at: bench.now) == [.refused(.sample())])
        try bench.openChannel()
        #expect(try bench.exchange(0x60).reply == .acknowledgement)
    }

    @Test("A claim that is granted too late sends no card: its end is unknown")
    func lateClaim() throws {
        var bench = try OSDPBench.secure()
        _ = bench.peripheral.due(.sample(), at: bench.now)
        bench.now += .seconds(5)
        #expect(bench.peripheral.claimed(true, for: 17, at: bench.now) == [.unknown(.sample())])
        #expect(try bench.exchange(0x60).reply == .acknowledgement)
    }

    @Test("The answer to a claim counts for two seconds, also if the output is valid for longer")
    func claimLimit() throws {
        for (time, isSent) in [(Duration.milliseconds(1999), true), (ClaimAnswer.limit, false)] {
            var bench = try OSDPBench.secure()
            _ = bench.peripheral.due(.sample(), at: bench.now)
            bench.now += time
            #expect(
                bench.peripheral.claimed(true, for: 17, at: bench.now)
                    == (isSent ? [] : [.unknown(.sample())]))
            #expect(try bench.exchange(0x60).reply == (isSent ? Self.card : .acknowledgement))
        }
    }

    @Test("A claimed card that no poll takes in time is not sent: its end is unknown")
    func latePoll() throws {
        var bench = try OSDPBench.claimed(.sample())
        bench.now += .seconds(5)
        let poll = try bench.exchange(0x60)
        #expect(poll.reply == .acknowledgement && poll.actions == [.unknown(.sample())])
    }

    @Test(
        "A card that the panel did not acknowledge in time is not repeated: its end is unknown, and the channel ends"
    )
    func lateRepetition() throws {
        var bench = try OSDPBench.claimed(.sample())
        let command = try bench.panel.command(0x60)
        let first = bench.receive(command)
        bench.now += .milliseconds(4999)
        #expect(bench.receive(command) == first)
        bench.now += .milliseconds(1)
        let late = bench.receive(command)
        #expect(late.first == .unknown(.sample()))
        #expect(late.last == .report(OSDPStatus(isOnline: true, isSecure: false, state: .notAnswering)))
        // NAK 4 with the sequence number 0.
        #expect(late.compactMap(\.message) == ["53 85 0900 04 41 04 83b7".bytes])
    }

    @Test(
        "If the panel starts again, a transmitted or claimed card is unknown, and it is not sent again",
        arguments: [true, false])
    func restart(isTransmitted: Bool) throws {
        var bench = try OSDPBench.claimed(.sample())
        if isTransmitted { #expect(try bench.exchange(0x60).reply == Self.card) }
        bench.panel.restart()
        #expect(try bench.exchange(0x60).actions.first == .unknown(.sample()))
        try bench.openChannel()
        let poll = try bench.exchange(0x60)
        #expect(poll.reply == .acknowledgement && poll.actions == [])
    }

    @Test("A new challenge, a wrong MAC and a command in the clear end the channel: the card is unknown")
    func lostChannel() throws {
        for kind in 0..<3 {
            var bench = try OSDPBench.claimed(.sample())
            #expect(try bench.exchange(0x60).reply == Self.card)
            let number = bench.panel.number
            var command = try bench.panel.command(0x60)
            command[8] ^= 1
            command = OSDPFrame.closed(command.dropLast(2))
            bench.panel.number = number
            switch kind {
            case 0: command = bench.panel.challenge()
            case 1: bench.panel.session = nil
            default:
                bench.panel.session = nil
                command = bench.panel.clear(0x60)
            }
            let exchange = try bench.exchange(command)
            #expect(exchange.actions.first == .unknown(.sample()), "kind \(kind)")
            let isSecure = bench.peripheral.status.isSecure
            #expect(!isSecure)
        }
    }

    @Test("A sequence number out of order asks the panel to start again, and the card is unknown")
    func sequenceGap() throws {
        var bench = try OSDPBench.claimed(.sample())
        #expect(try bench.exchange(0x60).reply == Self.card)
        bench.panel.number = bench.panel.number % 3 + 1
        let command = try bench.panel.command(0x60)
        let actions = bench.receive(command)
        #expect(
            actions == [
                .transmit("53 85 0900 04 41 04 83b7".bytes), .unknown(.sample()),
                .report(OSDPStatus(isOnline: true, isSecure: false, state: .notAnswering)),
            ])
    }

    @Test(
        "A panel that goes on from an earlier run is asked to start again", arguments: [1, 2, 3] as [UInt8])
    func earlierRun(number: UInt8) throws {
        var bench = try OSDPBench.keyed()
        bench.panel.number = number
        let command = bench.panel.clear(0x60)
        #expect(bench.receive(command) == [.transmit("53 85 0900 04 41 04 83b7".bytes)])
        bench.panel.restart()
        #expect(try bench.exchange(0x60).reply == .acknowledgement)
    }

    @Test(
        "A panel that is silent for 8 s loses the channel; waiting outputs are refused, claimed ones are unknown"
    )
    func silentPanel() throws {
        var bench = try OSDPBench.claimed(.sample(1))
        bench.now += .seconds(7)
        // The first output's time is over, so the second is claimed.
        #expect(
            bench.peripheral.due(.sample(2), at: bench.now) == [.unknown(.sample(1)), .claim(.sample(2))])
        #expect(bench.peripheral.due(.sample(3), at: bench.now) == [])
        #expect(bench.peripheral.claimed(true, for: 2, at: bench.now) == [])
        bench.now += .seconds(1)
        #expect(
            bench.peripheral.expire(at: bench.now) == [
                .unknown(.sample(2)), .refused(.sample(3)),
                .report(OSDPStatus(isOnline: false, isSecure: false, state: .notAnswering)),
            ])
        #expect(bench.peripheral.deadline == nil)
    }

    @Test(
        "A claim that is granted after the panel was lost ends as unknown; one that is refused ends quietly",
        arguments: [true, false])
    func claimAfterLoss(isGranted: Bool) throws {
        var bench = try OSDPBench.secure()
        bench.now += .seconds(6)
        _ = bench.peripheral.due(.sample(), at: bench.now)
        bench.now += .seconds(2)
        #expect(
            bench.peripheral.expire(at: bench.now)
                == [.report(OSDPStatus(isOnline: false, isSecure: false, state: .notAnswering))])
        #expect(
            bench.peripheral.claimed(isGranted, for: 17, at: bench.now)
                == (isGranted ? [.unknown(.sample())] : []))
    }

    @Test("Of several commands at once, only the last is answered")
    func burst() throws {
        var bench = try OSDPBench.claimed(.sample())
        let poll = try bench.panel.command(0x60)
        // The panel has repeated its poll while the driver was stalled.
        let actions = bench.receive(poll + poll)
        #expect(actions.count == 1)
        #expect(try bench.panel.read(#require(actions.first?.message)) == Self.card)
        // Two different commands: the first was never answered, so the second is out of order.
        var other = try OSDPBench(key: nil)
        _ = try other.exchange(0x60)
        let burst = other.panel.clear(0x60) + other.panel.clear(0x60)
        #expect(other.receive(burst).compactMap(\.message) == ["53 85 0900 04 41 04 83b7".bytes])
    }

    @Test("Only repetitions of the last command keep the panel present")
    func presence() throws {
        var bench = try OSDPBench.secure()
        let number = bench.panel.number
        let command = try bench.panel.command(0x60)
        let reply = bench.receive(command)
        bench.now += .seconds(5)
        #expect(bench.receive(command) == reply)
        #expect(bench.peripheral.deadline == bench.now + .seconds(8))
        let heard = bench.now
        bench.now += .seconds(5)
        // The same number, other bytes: anybody can send that.
        bench.panel.number = number
        bench.panel.session = nil
        #expect(bench.receive(bench.panel.clear(0x64)) == reply)
        #expect(bench.peripheral.deadline == heard + .seconds(8))
    }
}
