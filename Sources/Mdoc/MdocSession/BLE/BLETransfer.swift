/// The state machine of a transfer over Bluetooth Low Energy (ISO/IEC 18013-5, 8.3.3.1.1), for reader and
/// holder.
///
/// The machine cuts messages into pieces for the link, assembles the peer's messages, and keeps the
/// deadlines. It is a value that does no I/O and reads no clock. Its driver is `LinkDriver`, which passes in
/// events of the link and the time, and does each `BLEAction`. The link is up, and State 01 was written,
/// before the machine begins. The machine works over GATT and over L2CAP, which differ only in their framing
/// of messages.
///
/// Reader and holder take turns. The reader begins in `idle`, the holder in `awaitingMessage`:
///
/// | state | next |
/// |---|---|
/// | `idle` | `send` leads to `sending` |
/// | `sending` | `sent` leads to `awaitingMessage`, or delivers a message that came early (Q74) |
/// | `awaitingMessage` | a complete message is delivered, and the state is `idle` again |
/// | `leaving` | this side's termination message is on its way; then `ended` |
/// | `ended` | calls return the same reason; the first `end` may lead to `leaving`, to notify the peer |
///
/// Every phase except `idle` has a deadline (`BLETransferSettings`). A passed deadline or any fault ends the
/// machine. A message has a maximum size, and at most one message that came early is kept.
///
/// The machine never looks into a message: `ReaderSession` decrypts and interprets messages.
package struct BLETransfer: Sendable {
    /// The side of the transfer on which the machine runs. The reader sends first. The deadline for the
    /// peer's message depends on the side.
    package enum Role: Sendable {
        case reader, holder
    }

    private enum State {
        case idle
        case sending
        case awaitingMessage(since: ContinuousClock.Instant)
        /// Only this side's termination message is still on its way.
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
    /// The incomplete message, with the framing of characteristics. It is kept beside `state`, since data in
    /// an enum case would be copied for each value.
    private var values: BLEMessageAssembly
    /// The incomplete message, with the framing of L2CAP.
    private var frames: L2CAPMessageAssembly
    /// The instant at which the incomplete message began.
    private var began: ContinuousClock.Instant?
    /// A complete message that came early (Q74).
    private var early: Message?
    private var messagesSent = 0
    private var messagesDelivered = 0
    /// Whether this side may still announce the end: the link is up, and neither side has announced the end.
    private var mayAnnounceEnd = true
    /// The instant after which `expire` and `receive` end the machine; nil while no message is expected.
    package private(set) var deadline: ContinuousClock.Instant?

    /// Creates the machine of a transfer over a link that is up and was started at `now`.
    package init(
        as role: Role, over framing: BLEFraming, settings: BLETransferSettings = BLETransferSettings(),
        now: ContinuousClock.Instant
    ) {
        self.role = role
        self.framing = framing
        self.settings = settings
        // Over L2CAP `values` stays empty, so its limit does not matter.
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

    /// The number of the peer's values with an unexpected size (Q68). The last value of each message is not
    /// counted.
    package var oddValues: Int { values.oddValues }

    /// Begins to send a message. Allowed in the state `idle` only.
    package mutating func send(_ message: ArraySlice<UInt8>, now: ContinuousClock.Instant) -> BLEAction {
        step(now) { machine throws(BLEFault) in
            guard case .idle = machine.state else { throw .outOfTurn }
            machine.state = .sending
            machine.messagesSent += 1
            machine.deadline = now + machine.settings.progressDeadline + machine.allowance(message.count)
            return .transmit(try machine.transmission(of: message))
        }
    }

    /// Records that the last piece of the message was handed to the link.
    package mutating func sent(now: ContinuousClock.Instant) -> BLEAction {
        step(now) { machine throws(BLEFault) in
            // The peer may answer before the link reports that the last piece was sent. The answer has then
            // already moved the machine out of `sending` (Q74).
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

    /// Receives an event of the link.
    package mutating func receive(_ event: BLEEvent, now: ContinuousClock.Instant) -> BLEAction {
        if case .closed = event {
            mayAnnounceEnd = false
            // This side has announced the end, and the peer has closed the link, so there is nothing left to
            // send.
            if case .leaving(let reason) = state { return finish(reason) }
        }
        return step(now) { machine throws(BLEFault) in
            switch event {
            case .value(let value): try machine.accept(value, now)
            case .state(let value): try machine.acceptState(value)
            case .closed: try machine.close()
            }
        }
    }

    /// Ends the transfer if the deadline has passed. Otherwise returns the deadline to wait for.
    package mutating func expire(now: ContinuousClock.Instant) -> BLEAction {
        step(now) { machine throws(BLEFault) in .wait(until: machine.deadline) }
    }

    /// Ends the transfer from this side. If the transfer has already ended for another reason, only notifies
    /// the peer.
    ///
    /// The peer gets State 02 if the link has a State (Q77). Then the link stays up for the time that the
    /// radio needs to send it (Q76). Only the first call has an effect.
    package mutating func end(now: ContinuousClock.Instant) -> BLEAction {
        // The peer knows of the end already, or cannot be reached, so nothing is announced. `expire` returns
        // the current action, or ends the transfer if its deadline has passed.
        guard mayAnnounceEnd else { return expire(now: now) }
        let reason = if case .ended(let reason) = state { reason } else { BLEEndReason.finished }
        mayAnnounceEnd = false
        // `finish` deletes the messages. The machine has not ended yet, because the link stays up until the
        // deadline.
        _ = finish(reason)
        state = .leaving(reason)
        deadline = now + settings.termination
        // An L2CAP channel has no State to signal. The phone learns of the end when the channel is closed.
        return framing == .l2CAP ? .wait(until: deadline) : .signalState(.end)
    }

    // MARK: Steps

    /// Runs `body` unless the machine has ended, is leaving, or has passed its deadline. A fault of `body`
    /// ends the machine.
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

    /// Ends the machine, and deletes the messages that it holds.
    private mutating func finish(_ reason: BLEEndReason) -> BLEAction {
        // The bytes of an incomplete message may be personal and are not needed after the end, so their
        // memory is released immediately.
        values = BLEMessageAssembly(maximumLength: 0, fullValue: 0)
        frames = L2CAPMessageAssembly(maximumLength: 0)
        early = nil
        deadline = nil
        state = .ended(reason)
        return .end(reason)
    }

    /// The phase that is reported with a fault. A machine that is leaving or has ended expects no message, so
    /// its phase is `idle`.
    private var phase: BLEPhase {
        switch state {
        case .idle, .leaving, .ended: .idle
        case .sending: .sendMessage
        case .awaitingMessage:
            hasBegun ? .receiveMessage : role == .reader ? .awaitResponse : .awaitRequest
        }
    }

    /// Whether a part of the peer's message has come, but not the whole message.
    package var hasBegun: Bool { values.hasBegun || frames.hasBegun }

    /// Returns the message in pieces of the link's framing, or throws a fault if it is empty or too long.
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

    /// Accepts the peer's next bytes. A message that comes early is kept until it is expected. At most one
    /// message is kept in this way (Q74).
    private mutating func accept(
        _ value: ArraySlice<UInt8>, _ now: ContinuousClock.Instant
    ) throws(BLEFault) -> BLEAction {
        var rest = value
        var expected: Message?
        // An L2CAP chunk may hold the end of one message and the beginning of the next.
        repeat {
            let start = began ?? now
            let bytes = try append(&rest)
            began = hasBegun ? start : nil
            guard let bytes else { break }
            let message = Message(bytes: bytes, began: start)
            // A message that came early has to be delivered first, because it came before this message.
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
        // A fast peer answers the last fragment before the link reports that it was sent (Q74).
        case .sending, .awaitingMessage: true
        case .idle, .leaving, .ended: false
        }
    }

    /// Removes bytes from `rest` and adds them to the incomplete message. A characteristic value is removed
    /// whole. An L2CAP chunk may also have bytes of the next message, which stay in `rest`.
    ///
    /// - Returns: the message, if these bytes complete it.
    private mutating func append(_ rest: inout ArraySlice<UInt8>) throws(BLEFault) -> [UInt8]? {
        guard framing != .l2CAP else { return try frames.append(&rest) }
        defer { rest = [] }
        return try values.append(rest)
    }

    /// Delivers the peer's message. Then it is this side's turn, for which there is no deadline.
    private mutating func deliver(_ message: Message) -> BLEAction {
        state = .idle
        deadline = nil
        messagesDelivered += 1
        return .deliver(message.bytes, began: message.began)
    }

    /// Waits for the next fragment. Once the expected message has begun, the deadline for the next fragment
    /// is short (Q88). If the message began before it was expected, the time for the whole message begins at
    /// the instant from which the message was expected.
    private mutating func wait(_ now: ContinuousClock.Instant) -> BLEAction {
        if case .awaitingMessage(let since) = state, let began {
            let time = settings.transferDeadline + allowance(values.count + frames.count)
            deadline = min(now + settings.progressDeadline, max(since, began) + time)
        }
        return .wait(until: deadline)
    }

    /// The time that `count` bytes may take at the slowest rate.
    private func allowance(_ count: Int) -> Duration { .seconds(count) / settings.slowestRate }

    // MARK: Ends

    /// Accepts a value of State. A second start is ignored (Q84).
    private mutating func acceptState(_ value: ArraySlice<UInt8>) throws(BLEFault) -> BLEAction {
        // An L2CAP channel has no State, so this call is an error of the driver.
        guard framing != .l2CAP else { throw .outOfTurn }
        guard value.count == 1, let state = value.first.flatMap(BLEStateValue.init(rawValue:)) else {
            throw .stateUnknown(value.first)
        }
        guard state == .end else { return .wait(until: deadline) }
        mayAnnounceEnd = false
        guard !hasBegun else { throw .endedWithinMessage }
        return finish(.terminated(phase))
    }

    /// Ends the transfer after the link was closed. A peer that closes the link after every message had an
    /// answer did nothing wrong (Q78).
    private mutating func close() throws(BLEFault) -> BLEAction {
        // `send` counts a message before the link has sent it. While the holder is sending its answer,
        // `messagesSent` and `messagesDelivered` are therefore already equal, although the peer does not have
        // the whole answer.
        if case .sending = state { throw .linkLost }
        guard messagesSent > 0, messagesSent == messagesDelivered else { throw .linkLost }
        return finish(.disconnected)
    }
}

/// A phase of a transfer over Bluetooth Low Energy, after its link is up and started. Each phase except
/// `idle` has its own deadline.
package enum BLEPhase: String, Sendable, CaseIterable {
    /// No message is expected from either side.
    case idle
    /// This side's message is on its way.
    case sendMessage
    /// The holder waits for the reader's message.
    case awaitRequest
    /// The reader waits for the response, while the person may be deciding.
    case awaitResponse
    /// The peer's message has begun.
    case receiveMessage
}

extension BLEPhase {
    /// The phase as the end of a sentence for people, such as "while the request was sent".
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
