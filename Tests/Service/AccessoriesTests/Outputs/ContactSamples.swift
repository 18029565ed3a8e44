import Accessories

extension ContactMachine {
    /// A machine of a lock with a pulse of 500 ms.
    static func lock(
        canReadBack: Bool = true, isTrial: Bool = false, pulse: Duration = .milliseconds(500),
        outcomes: Set<AccessoryOutcome> = [.allow]
    ) -> ContactMachine {
        var rule = OutputRule()
        rule.outcomes = outcomes
        return ContactMachine(canReadBack: canReadBack, pulse: pulse, rule: rule, isTrial: isTrial)
    }

    /// A machine whose contact was found open at the time 0.
    static func readyLock(isTrial: Bool = false, pulse: Duration = .milliseconds(500)) -> ContactMachine {
        var machine = lock(isTrial: isTrial, pulse: pulse)
        _ = machine.connected(at: .zero)
        _ = machine.answered(.accepted, at: .zero)
        _ = machine.answered(.state(isOn: false), at: .zero)
        return machine
    }

    /// A machine whose contact was closed for `output` at the time 1 s, and confirmed it.
    static func closedLock(_ output: DueOutput) -> ContactMachine {
        var machine = readyLock()
        _ = machine.due(output, at: .seconds(1))
        _ = machine.claimed(.given, output: output.number, at: .seconds(1))
        _ = machine.answered(.accepted, at: .seconds(1))
        return machine
    }
}

extension [ContactAction] {
    /// The actions without the time to wait for.
    var withoutWait: [ContactAction] { filter { if case .wait = $0 { false } else { true } } }
}
