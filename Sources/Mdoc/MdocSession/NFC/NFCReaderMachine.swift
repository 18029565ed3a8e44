internal import ISO7816

/// The common part of the reader's NFC state machines: making a step, and ending the machine after a fault.
protocol NFCReaderMachine {
    associatedtype State: Sendable
    associatedtype Output: Sendable

    /// The state of the machine. During a step it is already `ended`.
    var state: NFCMachineState<State> { get set }
    var phase: NFCPhase { get }
    var deadline: ContinuousClock.Instant? { get }

    /// Returns the action that follows from a response APDU. `state` is the machine's state before the
    /// response.
    mutating func advance(
        from state: State, _ answer: ResponseAPDU, _ now: ContinuousClock.Instant
    ) throws(NFCFault) -> NFCAction<Output>
}

/// The state of an NFC machine, or the reason that the machine has ended.
enum NFCMachineState<State: Sendable>: Sendable {
    case ongoing(State)
    case ended(NFCEndReason)
}

extension NFCReaderMachine {
    /// Receives the response APDU to the last command.
    mutating func accept(_ response: ArraySlice<UInt8>, _ now: ContinuousClock.Instant) -> NFCAction<Output> {
        step(at: now) { machine, state, _ throws(NFCFault) in
            // A response has no status word if the card has left the field (Q132).
            guard let answer = try? ResponseAPDU.parse(response) else { throw .cardLost }
            return try machine.advance(from: state, answer, now)
        }
    }

    /// Makes a step of a machine that was started. If the deadline has passed, ends the machine instead.
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

    /// Calls `body` with the machine's state. During the call, `self.state` is `ended`, so `body` has to set
    /// the next state. If `body` throws a fault, the machine has ended with this fault.
    mutating func step(
        _ body: (inout Self, State) throws(NFCFault) -> NFCAction<Output>
    ) -> NFCAction<Output> {
        switch state {
        case .ended(let reason): return .end(reason)
        case .ongoing(let current):
            // This state remains only if `body` delivers the machine's result and sets no other state. Every
            // later call then ends with this reason.
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
