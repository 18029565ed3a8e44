import Accessories
import Testing
import VectorFiles

/// A random walk of a `ContactMachine`: the events that are fed to it, a device that does its commands, and
/// the facts against which each action is checked.
struct ContactWalk {
    private struct Claim {
        let number: Int64
        /// Whether a try is claimed. Otherwise it is an output.
        let isTry: Bool
        let began: Duration
    }

    private var random: SplitMix64
    private var machine: ContactMachine
    private let canReadBack: Bool
    private let pulse: Duration
    private var now = Duration.zero

    private var isOpen = false
    /// The commands that the device has not answered.
    private var commands: [ContactAction] = []
    /// Whether the contact is closed, as nobody but the device knows.
    private var isClosed = true
    /// Whether an answer of the device said that the contact is open, since "on" or since the device was
    /// opened.
    private var isKnownOpen = false
    /// The time at which the pulse has to end; `nil` after "off" was sent, and while no device is open.
    private var end: Duration?

    private var number: Int64 = 0
    private var claims: [Claim] = []
    private var answers: [Int64: ClaimAnswer] = [:]
    private var switchedOn: Set<Int64> = []
    private var ends: [Int64: [OutputEnd]] = [:]

    var pulses: Int { switchedOn.count }

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        canReadBack = seed.isMultiple(of: 2)
        pulse = .milliseconds([100, 500, 3000][Int(seed % 3)])
        machine = .lock(canReadBack: canReadBack, pulse: pulse)
    }

    // MARK: Events

    mutating func step() {
        now += .milliseconds(chance(150))
        switch chance(20) {
        case 0..<7: answer()
        case 7: fail()
        case 8..<12: announce()
        case 12..<16: claim()
        case 16: take(machine.expire(at: now))
        case 17: if isOpen, chance(4) == 0 { lose() }
        case 18: if !isOpen, chance(2) == 0 { lose() }
        default: if !isOpen { open() }
        }
        if let deadline = machine.deadline, deadline <= now { take(machine.expire(at: now)) }
        #expect(end.map { now < $0 } ?? true, "closed for longer than the pulse")
    }

    /// Stops the machine, and does everything that it asks for.
    mutating func stop() {
        let actions = machine.stop(at: now)
        if isOpen { #expect(actions.first == .switchOff) }
        take(actions)
        for _ in 0..<60 {
            now += .milliseconds(100)
            if !isOpen { open() }
            answer()
            if let deadline = machine.deadline, deadline <= now { take(machine.expire(at: now)) }
        }
        while !claims.isEmpty { claim() }
        #expect(machine.isStopped && !machine.mayBeClosed && !isClosed)
        for number in 1...max(number, 1) where answers[number] != .notDue {
            let isLate = ends[number] == [.refused, .unknown] && !switchedOn.contains(number)
            #expect(ends[number]?.count == 1 || isLate, "\(number) has \(ends[number] ?? [])")
        }
    }

    private mutating func open() {
        isOpen = true
        isKnownOpen = false
        commands = []
        let actions = machine.connected(at: now)
        #expect(actions.first == .switchOff, "a device that was opened is switched off before all else")
        take(actions)
    }

    private mutating func lose() {
        isOpen = false
        commands = []
        end = nil
        take(machine.lost(at: now))
    }

    private mutating func answer() {
        guard !commands.isEmpty else { return }
        let command = commands.removeFirst()
        obey(command)
        if command == .readBack {
            if !isClosed { isKnownOpen = true }
            take(machine.answered(.state(isOn: isClosed), at: now))
        } else {
            if command == .switchOff, !canReadBack { isKnownOpen = true }
            take(machine.answered(.accepted, at: now))
        }
    }

    private mutating func fail() {
        guard !commands.isEmpty else { return }
        let command = commands.removeFirst()
        // A command whose answer is lost may have been carried out.
        if chance(2) == 0 { obey(command) }
        take(machine.failed(.noReply, at: now))
    }

    private mutating func obey(_ command: ContactAction) {
        if command == .switchOn { isClosed = true }
        // A contact that sticks stays closed, and only a board that is read back says so.
        if command == .switchOff, !canReadBack || chance(8) > 0 { isClosed = false }
    }

    private mutating func announce() {
        number += 1
        guard chance(4) > 0 else {
            let attempt = AccessoryTry(number: number, accessory: "lock", lane: "gate", action: .pulse)
            return take(machine.tryPulse(attempt, at: now))
        }
        let outcome: AccessoryOutcome = chance(6) == 0 ? .deny : .allow
        let isTest = chance(6) == 0
        let output = OutputSamples.output(number, outcome: outcome, isTest: isTest)
        let actions = machine.due(output, at: now)
        if outcome != .allow || isTest { #expect(!actions.contains(.claim(output))) }
        take(actions)
    }

    private mutating func claim() {
        guard !claims.isEmpty else { return }
        let claim = claims.remove(at: chance(claims.count))
        let number = claim.number
        let answer: ClaimAnswer = [.given, .given, .given, .notDue, .failed][chance(5)]
        answers[number] = answer
        let actions =
            claim.isTry
            ? machine.claimed(answer, try: number, at: now)
            : machine.claimed(answer, output: number, at: now)
        if actions.contains(.switchOn) {
            #expect(answer == .given, "closed without the daemon's word")
            #expect(now - claim.began < .seconds(2), "closed too late")
            let isFirst = switchedOn.insert(number).inserted
            #expect(isFirst, "closed twice")
        }
        take(actions)
    }

    private mutating func chance(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    // MARK: Checks

    private mutating func take(_ actions: [ContactAction]) {
        for action in actions {
            switch action {
            case .switchOff:
                #expect(isOpen)
                commands.append(action)
                end = nil
            case .switchOn:
                #expect(isOpen && isKnownOpen, "closed before the contact was known to be open")
                isKnownOpen = false
                commands.append(action)
                end = now + pulse
            case .readBack:
                #expect(isOpen && canReadBack)
                commands.append(action)
            case .claim(let output):
                claims.append(Claim(number: output.number, isTry: false, began: now))
            case .claimTry(let attempt):
                claims.append(Claim(number: attempt.number, isTry: true, began: now))
            case .finish(let output, let end): finish(output.number, end)
            case .finishTry(let attempt, let end): finish(attempt.number, end)
            case .report(let state): #expect(!state.isUsable || isKnownOpen, "ready while it may be closed")
            case .wait: break
            case .reconnect:
                isOpen = false
                commands = []
                end = nil
            }
        }
        let wait = machine.deadline.map(ContactAction.wait(until:))
        #expect(wait == nil || actions.last == wait)
    }

    private mutating func finish(_ number: Int64, _ end: OutputEnd) {
        ends[number, default: []].append(end)
        switch end {
        case .done: #expect(switchedOn.contains(number))
        case .refused: #expect(!switchedOn.contains(number))
        // The contact was closed, or the daemon may have marked the output as given.
        case .unknown:
            let answer = answers[number]
            #expect(switchedOn.contains(number) || answer == .given || answer == .failed)
        }
    }
}
