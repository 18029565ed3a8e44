internal import ISO7816

/// What the NFC machines of the reader's side have in common: how a step is taken, and how it fails.
protocol NFCReaderMachine {
    associatedtype State: Sendable
    associatedtype Output: Sendable

    var state: NFCMachineState<State> { get set }
    var phase: NFCPhase { get }
    var deadline: ContinuousClock.Instant? { get }

    mutating func advance(
        from state: State, _ answer: ResponseAPDU, _ now: ContinuousClock.Instant
    ) throws(NFCFault) -> NFCAction<Output>
}

/// The slot of an NFC machine's state.
enum NFCMachineState<State: Sendable>: Sendable {
    case ongoing(State)
    case ended(NFCEndReason)
}

extension NFCReaderMachine {
    /// Takes the response APDU to the last command.
    mutating func take(_ response: ArraySlice<UInt8>, _ now: ContinuousClock.Instant) -> NFCAction<Output> {
        step(at: now) { machine, state, _ throws(NFCFault) in
            guard let answer = try? ResponseAPDU.parse(response) else { throw .cardLost }
            return try machine.advance(from: state, answer, now)
        }
    }

    /// A step of a machine that was started and whose deadline has not passed.
    mutating func step(
        at now: ContinuousClock.Instant,
        _ body: (inout Self, State, ContinuousClock.Instant) throws(NFCFault) -> NFCAction<Output>
    ) -> NFCAction<Output> {
        step { machine, state throws(NFCFault) in
            guard let deadline = machine.deadline else { throw .outOfTurn }
            guard now <= deadline else { throw .deadlinePassed }
            return try body(&machine, state, deadline)
        }
    }

    /// Takes the state out, so that a fault leaves the machine ended.
    mutating func step(
        _ body: (inout Self, State) throws(NFCFault) -> NFCAction<Output>
    ) -> NFCAction<Output> {
        switch state {
        case .ended(let reason): return .end(reason)
        case .ongoing(let current):
            state = .ended(NFCEndReason(phase, .outOfTurn))
            do throws(NFCFault) {
                return try body(&self, current)
            } catch {
                let reason = NFCEndReason(phase, error)
                state = .ended(reason)
                return .end(reason)
            }
        }
    }
}
