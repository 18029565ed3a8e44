/// ISO/IEC 18013-5, 8.3.3.1.1: messages over Bluetooth Low Energy, for reader and holder, as a value. It begins once
/// the link is up and State 01 was written. Messages are opaque.
///
/// Reader and holder take turns: after each delivery, and for the reader at the beginning, `send` may be called.
package struct BLETransfer: Sendable {
    /// Which side this is: it settles who speaks first and how long the other may take.
    package enum Role: Sendable {
        case reader, holder
    }

    /// Named for what comes next.
    private enum State {
        case idle
        case sending
        case awaitingMessage(since: ContinuousClock.Instant)
        /// Only our termination message is still on its way.
        case leaving(BLEEndReason)
        case ended(BLEEndReason)
    }

    private struct Message {
        let bytes: [UInt8]
        let began: ContinuousClock.Instant
    }

    private let role: Role
    private let framing: BLEFraming
    private let settings: BLETransferSettings
    private var state: State
    /// The message so far is in one of these two, depending on the framing. They are beside the state, so that it grows in place.
    private var values: BLEMessageAssembly
    private var frames: L2CAPMessageAssembly
    /// When the message so far began.
    private var began: ContinuousClock.Instant?
    /// A complete message that came early (Q74).
    private var early: Message?
    private var messagesSent = 0
    private var messagesDelivered = 0
    /// Whether the link is up and neither side has announced the end.
    private var mayAnnounceEnd = true
    /// The instant after which `expire` and `receive` end the machine; nil while no message is expected.
    package private(set) var deadline: ContinuousClock.Instant?

    /// A transfer over a link that is up and started at `now`.
    package init(
        as role: Role, over framing: BLEFraming, settings: BLETransferSettings = BLETransferSettings(),
        now: ContinuousClock.Instant
    ) {
        self.role = role
        self.framing = framing
        self.settings = settings
        let valueLimit = if case .characteristics(let limit) = framing { limit } else { 0 }
        values = BLEMessageAssembly(
            maximumLength: settings.maximumMessageSize, fullValue: BLEFragments.fullValue(within: valueLimit))
        frames = L2CAPMessageAssembly(maximumLength: settings.maximumMessageSize)
        switch role {
        case .reader: state = .idle
        case .holder:
            state = .awaitingMessage(since: now)
            deadline = now + settings.requestDeadline
        }
    }

    /// How many incoming values were smaller or larger than a value should be that is not the last (Q68).
    package var oddValues: Int { values.oddValues }

    /// Sends one message; allowed while no message is expected from either side.
    package mutating func send(_ message: ArraySlice<UInt8>, now: ContinuousClock.Instant) -> BLEAction {
        step(now) { machine throws(BLEFault) in
            guard case .idle = machine.state else { throw .outOfTurn }
            machine.state = .sending
            machine.messagesSent += 1
            machine.deadline = now + machine.settings.progressDeadline + machine.allowance(message.count)
            return .transmit(try machine.transmission(of: message))
        }
    }

    /// The last piece of what was to be sent has been handed to the link.
    package mutating func sent(now: ContinuousClock.Instant) -> BLEAction {
        step(now) { machine throws(BLEFault) in
            guard case .sending = machine.state else { return .wait(until: machine.deadline) }
            if let message = machine.early {
                machine.early = nil
                return machine.deliver(message)
            }
            machine.state = .awaitingMessage(since: now)
            let settings = machine.settings
            machine.deadline =
                now + (machine.role == .reader ? settings.consentDeadline : settings.requestDeadline)
            return machine.wait(now)
        }
    }

    /// Takes what the link gives.
    package mutating func receive(_ event: BLEEvent, now: ContinuousClock.Instant) -> BLEAction {
        if case .closed = event {
            mayAnnounceEnd = false
            if case .leaving(let reason) = state { return finish(reason) }
        }
        return step(now) { machine throws(BLEFault) in
            switch event {
            case .value(let value): try machine.take(value, now)
            case .state(let value): try machine.takeState(value)
            case .closed: try machine.close()
            }
        }
    }

    /// Ends when the deadline has passed, and otherwise says when it will.
    package mutating func expire(now: ContinuousClock.Instant) -> BLEAction {
        step(now) { machine throws(BLEFault) in .wait(until: machine.deadline) }
    }

    /// Ends the transfer from our side, or notifies the peer after another end: State 02 if there is a State (Q77),
    /// then the time that the radio needs for the termination message (Q76). Only the first call does anything.
    package mutating func end(now: ContinuousClock.Instant) -> BLEAction {
        guard mayAnnounceEnd else { return expire(now: now) }
        let reason = if case .ended(let reason) = state { reason } else { BLEEndReason.finished }
        mayAnnounceEnd = false
        _ = finish(reason)
        state = .leaving(reason)
        deadline = now + settings.termination
        return framing == .l2CAP ? .wait(until: deadline) : .signalState(.end)
    }

    // MARK: Steps

    /// A fault leaves the machine ended.
    private mutating func step(
        _ now: ContinuousClock.Instant, _ body: (inout Self) throws(BLEFault) -> BLEAction
    ) -> BLEAction {
        let isOverdue = deadline.map { now > $0 } ?? false
        switch state {
        case .ended(let reason): return .end(reason)
        case .leaving(let reason): return isOverdue ? finish(reason) : .wait(until: deadline)
        case .idle, .sending, .awaitingMessage: break
        }
        do throws(BLEFault) {
            guard !isOverdue else { throw .deadlinePassed }
            return try body(&self)
        } catch {
            return finish(.failed(phase, error))
        }
    }

    private mutating func finish(_ reason: BLEEndReason) -> BLEAction {
        values = BLEMessageAssembly(maximumLength: 0, fullValue: 0)
        frames = L2CAPMessageAssembly(maximumLength: 0)
        early = nil
        deadline = nil
        state = .ended(reason)
        return .end(reason)
    }

    private var phase: BLEPhase {
        switch state {
        case .idle, .leaving, .ended: .idle
        case .sending: .sendMessage
        case .awaitingMessage:
            hasBegun ? .receiveMessage : role == .reader ? .awaitResponse : .awaitRequest
        }
    }

    /// Whether a part of a message is there, and not yet all of it.
    package var hasBegun: Bool { values.hasBegun || frames.hasBegun }

    private func transmission(of message: ArraySlice<UInt8>) throws(BLEFault) -> BLETransmission {
        guard message.count <= settings.maximumMessageSize else {
            throw .messageTooLong(announced: message.count, limit: settings.maximumMessageSize)
        }
        let transmission =
            switch framing {
            case .characteristics(let valueLimit):
                BLEFragments(message, valueLimit: valueLimit).map(BLETransmission.values)
            case .l2CAP: L2CAPFrame(message).map(BLETransmission.frame)
            }
        guard let transmission else { throw .messageEmpty }
        return transmission
    }

    // MARK: Values

    /// A message that comes early is kept until it is expected, one at a time (Q74). The answer to a message is
    /// expected as soon as its last fragment is on its way.
    private mutating func take(
        _ value: ArraySlice<UInt8>, _ now: ContinuousClock.Instant
    ) throws(BLEFault) -> BLEAction {
        var rest = value
        var expected: Message?
        repeat {
            let start = began ?? now
            let bytes = try append(&rest)
            began = hasBegun ? start : nil
            guard let bytes else { break }
            let message = Message(bytes: bytes, began: start)
            if expected == nil, early == nil, isMessageExpected {
                expected = message
            } else if early == nil {
                early = message
            } else {
                throw .messageUnexpected
            }
        } while !rest.isEmpty
        return expected.map { deliver($0) } ?? wait(now)
    }

    private var isMessageExpected: Bool {
        switch state {
        case .sending, .awaitingMessage: true
        case .idle, .leaving, .ended: false
        }
    }

    private mutating func append(_ rest: inout ArraySlice<UInt8>) throws(BLEFault) -> [UInt8]? {
        guard framing != .l2CAP else { return try frames.append(&rest) }
        defer { rest = [] }
        return try values.append(rest)
    }

    private mutating func deliver(_ message: Message) -> BLEAction {
        state = .idle
        deadline = nil
        messagesDelivered += 1
        return .deliver(message.bytes, began: message.began)
    }

    /// Once an expected message has begun, the time between two fragments is short (Q88). One that began early has
    /// its time from when it was expected.
    private mutating func wait(_ now: ContinuousClock.Instant) -> BLEAction {
        if case .awaitingMessage(let since) = state, let began {
            let time = settings.transferDeadline + allowance(values.count + frames.count)
            deadline = min(now + settings.progressDeadline, max(since, began) + time)
        }
        return .wait(until: deadline)
    }

    private func allowance(_ count: Int) -> Duration { .seconds(count) / settings.slowestRate }

    // MARK: Ends

    /// The start may be signalled twice (Q84).
    private mutating func takeState(_ value: ArraySlice<UInt8>) throws(BLEFault) -> BLEAction {
        guard framing != .l2CAP else { throw .outOfTurn }
        guard value.count == 1, let state = value.first.flatMap(BLEStateValue.init(rawValue:)) else {
            throw .stateUnknown(value.first)
        }
        guard state == .end else { return .wait(until: deadline) }
        mayAnnounceEnd = false
        guard !hasBegun else { throw .endedWithinMessage }
        return finish(.terminated(phase))
    }

    /// A peer that leaves once every message has its answer has done nothing wrong (Q78).
    private mutating func close() throws(BLEFault) -> BLEAction {
        if case .sending = state { throw .linkLost }
        guard messagesSent > 0, messagesSent == messagesDelivered else { throw .linkLost }
        return finish(.disconnected)
    }
}

/// The phases of a transfer over Bluetooth Low Energy, once its link is up and started; each has its own deadline.
package enum BLEPhase: String, Sendable, CaseIterable {
    /// No message is expected from either side.
    case idle
    /// Our message is on its way.
    case sendMessage
    /// As holder: the reader's message is expected.
    case awaitRequest
    /// As reader: the request is out; the person may be deciding.
    case awaitResponse
    /// The peer's message has begun.
    case receiveMessage
}

extension BLEPhase {
    /// When something happened, in the words of a text for people.
    var words: String {
        switch self {
        case .idle: "between two messages"
        case .sendMessage: "while the request was sent"
        case .awaitRequest: "before the request came"
        case .awaitResponse: "while the holder was asked"
        case .receiveMessage: "while the answer was received"
        }
    }
}
