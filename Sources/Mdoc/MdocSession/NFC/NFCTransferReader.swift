internal import ISO7816
package import NDEF

/// A result of an NFC data transfer.
package enum NFCTransferDelivery: Equatable, Sendable {
    /// The application is selected, and `send` may be called.
    case selected
    /// The phone's answer to the last message. `send` may be called again.
    case message([UInt8])
}

/// The state machine of NFC data transfer on the reader's side (ISO/IEC 18013-5, 8.3.3.1.2).
///
/// `start` selects the phone's application. Each `send` carries one message to the phone, in a chain of
/// ENVELOPE commands, and collects the answer with GET RESPONSE. The sizes of the commands and responses
/// follow from the limits of the reader, the phone and the settings.
///
/// The machine is a value that does no I/O and reads no clock: `CardDriver` of the service sends each
/// command, and passes each response to `receive`. The last ENVELOPE has the deadline of consent, since the
/// person decides during that command (Q54); every other command has a short deadline, and a whole message
/// has a longer deadline.
///
/// The answer is complete when the phone sends the status 9000 and the data object is whole. The number of
/// bytes that 61xx announces is not used for this decision (Q51, Q52). Any fault ends the machine. The
/// machine never interprets a message.
package struct NFCTransferReader: NFCReaderMachine, Sendable {
    package typealias Action = NFCAction<NFCTransferDelivery>

    /// The state of the machine. Each `awaiting…` case is named after the response that is expected.
    enum State: Sendable {
        case notStarted
        case awaitingApplication
        case idle
        case awaitingAcknowledgement(EnvelopeChain)
        case awaitingData
    }

    private let maximumCommandData: Int
    private let maximumResponseData: Int
    /// The maximum Le of a GET RESPONSE that asks for the number of bytes that 61xx announced.
    private let maximumRemainder: Int
    private let extendedLength: Bool
    private let settings: NFCTransferSettings
    var state: NFCMachineState<State> = .ongoing(.notStarted)
    private(set) var phase = NFCPhase.selectDataTransfer
    /// The answer so far. It is kept beside `state`, since data in an enum case would be copied at each step.
    private var collection = NFCMessageCollection(maximumLength: 0)
    // The initial budget of one command is for the SELECT. `send` sets the budget for a message and its
    // answer.
    private var stepsLeft = 1
    /// The instant after which `expire` and `receive` end the machine. Nil while no response is expected. The
    /// driver must not end a command before this instant (Q54).
    package private(set) var deadline: ContinuousClock.Instant?
    /// The instant by which the current message has to be complete: first the reader's message, then its
    /// answer.
    private var transferEnd: ContinuousClock.Instant?
    /// The longest time for the answer to the current message.
    private var answerTime: Duration
    /// The maximum number of bytes of the answer to the current message.
    private var answerSize = 0

    /// Creates a transfer within the limits of the reader, of the phone's carrier record, and of the
    /// settings.
    package init(
        limits: NFCReaderLimits, carrier: NFCCarrier, settings: NFCTransferSettings = NFCTransferSettings()
    ) {
        // If a phone announces at most 261 bytes, the size of the longest short command, its limits are sizes
        // of whole APDUs, and it accepts no extended APDUs (Q11).
        let isShort = max(carrier.maximumCommandData, carrier.maximumResponseData) <= 261
        extendedLength = limits.extendedLength && !isShort
        // Header, long Lc and long Le take nine bytes of a command, and the status word takes two of a
        // response. The limits are at least 1, because a limit that is announced or set too small would leave
        // no room for data.
        maximumCommandData = max(
            1,
            min(
                limits.maximumCommandData, carrier.maximumCommandData, settings.maximumAPDU - 9,
                isShort ? 255 : .max))
        maximumResponseData = max(
            1, min(limits.maximumResponseData, carrier.maximumResponseData, settings.maximumAPDU - 2))
        maximumRemainder = maximumResponseData
        answerTime = settings.consentDeadline
        self.settings = settings
    }

    /// Creates a transfer on the NFC v2 application, which is selected already (draft of the second edition).
    ///
    /// - Parameter commandLimit: the phone's ApduCommandMaxSize in bytes. The draft does not say whether it
    ///   is a limit of the whole APDU or of its data. Here it limits the whole APDU, which is the stricter
    ///   reading. The limit also holds for Le.
    init(selected commandLimit: Int, limits: NFCReaderLimits, settings: NFCTransferSettings) {
        // The longest short command has 261 bytes. A limit up to 261 leaves no room for an extended command.
        extendedLength = limits.extendedLength && commandLimit > 261
        // The header with Lc and Le takes nine bytes of an extended command, and six of a short one. The
        // status word takes two bytes of a response.
        let overhead = extendedLength ? 9 : 6
        maximumCommandData = max(
            1,
            min(
                limits.maximumCommandData, commandLimit - overhead, settings.maximumAPDU - overhead,
                extendedLength ? CommandAPDU.maximumData : 255))
        // Every ENVELOPE has the same Le, since a phone may keep the Le of the first ENVELOPE (Q52).
        maximumResponseData = max(
            1, min(limits.maximumResponseData, commandLimit, settings.maximumAPDU - 2))
        // One GET RESPONSE may ask for all bytes that SW2 announces, at most 255, even if the reader's limit
        // is lower.
        maximumRemainder = min(commandLimit, max(255, maximumResponseData))
        answerTime = settings.consentDeadline
        self.settings = settings
        state = .ongoing(.idle)
        phase = .idle
    }

    /// Begins the transfer, with a SELECT of the mdoc data transfer application.
    package mutating func start(now: ContinuousClock.Instant) -> Action {
        step { machine, state throws(NFCFault) in
            guard case .notStarted = state else { throw .outOfTurn }
            machine.deadline = now + machine.settings.progressDeadline
            let command = CommandAPDU.select(application: .mdocDataTransfer).encode()
            return try machine.transmit(command, then: .awaitingApplication)
        }
    }

    /// Begins to send a message. Allowed after each delivery.
    package mutating func send(_ message: ArraySlice<UInt8>, now: ContinuousClock.Instant) -> Action {
        send(
            message, answeredWithin: settings.consentDeadline, atMost: settings.maximumMessageSize, now: now)
    }

    /// Begins to send a message, with limits for the time and the bytes of its answer.
    mutating func send(
        _ message: ArraySlice<UInt8>, answeredWithin time: Duration, atMost size: Int,
        now: ContinuousClock.Instant
    ) -> Action {
        step { machine, state throws(NFCFault) in
            guard case .idle = state else { throw .outOfTurn }
            let limit = min(machine.settings.maximumMessageSize, DiscretionaryData.maximumLength)
            let expected = machine.expectedLength(machine.maximumResponseData)
            // The phase is set before the message's length is checked, because a fault is reported with the
            // current phase.
            machine.phase = .sendMessage
            machine.answerTime = time
            machine.answerSize = min(size, machine.settings.maximumMessageSize)
            guard message.count <= limit,
                let chain = EnvelopeChain(
                    message, maximumData: machine.maximumCommandData, expectedLength: expected)
            else { throw .messageTooLong(announced: message.count, limit: limit) }
            machine.stepsLeft = machine.settings.stepBudget
            machine.transferEnd = now + machine.settings.transferDeadline
            return try machine.envelope(chain, now)
        }
    }

    /// Receives the response APDU to the last command.
    package mutating func receive(_ response: ArraySlice<UInt8>, now: ContinuousClock.Instant) -> Action {
        accept(response, now)
    }

    /// Ends the machine if the deadline has passed. Otherwise returns the deadline to wait for.
    package mutating func expire(now: ContinuousClock.Instant) -> Action {
        step(at: now) { machine, state, deadline throws(NFCFault) in
            // `step` has set the state to `ended`. The deadline has not passed, so the earlier state is
            // restored.
            machine.state = .ongoing(state)
            return .wait(until: deadline)
        }
    }

    // MARK: Steps

    /// Sends a command within the budget of commands, and sets the state in which its response is expected.
    private mutating func transmit(_ command: [UInt8], then next: State) throws(NFCFault) -> Action {
        guard stepsLeft > 0 else { throw .stepBudgetSpent }
        stepsLeft -= 1
        state = .ongoing(next)
        return .transmit(command)
    }

    private func expectedLength(_ count: Int) -> ExpectedLength {
        ExpectedLength(upTo: min(count, maximumResponseData), extended: extendedLength)
    }

    /// Returns the Le of a GET RESPONSE: the announced number of bytes, or the maximum after 6100, which
    /// announces no number (Q51).
    private func remainderLength(_ available: Int) -> ExpectedLength {
        guard available <= 255 else { return expectedLength(maximumResponseData) }
        return ExpectedLength(upTo: min(available, maximumRemainder), extended: extendedLength)
    }

    /// Returns the action that follows from a response APDU. `state` is the machine's state before the
    /// response.
    mutating func advance(
        from state: State, _ answer: ResponseAPDU, _ now: ContinuousClock.Instant
    ) throws(NFCFault) -> Action {
        switch state {
        case .awaitingApplication:
            guard answer.status == .success else { throw .status(answer.status) }
            return settle(.selected)
        case .awaitingAcknowledgement(let chain):
            guard answer.status == .success else { throw .status(answer.status) }
            guard answer.data.isEmpty else { throw .surplusBytes }
            return try envelope(chain, now)
        case .awaitingData: return try collect(answer, now)
        case .notStarted, .idle: throw .outOfTurn
        }
    }

    /// Delivers a result and leaves the machine idle. There is no deadline until the next message.
    private mutating func settle(_ delivery: NFCTransferDelivery) -> Action {
        collection = NFCMessageCollection(maximumLength: 0)
        state = .ongoing(.idle)
        phase = .idle
        deadline = nil
        return .deliver(delivery)
    }

    /// Sends the next ENVELOPE of the chain. The deadline for the last ENVELOPE is the deadline for the
    /// answer, because the person decides during that command (Q54).
    private mutating func envelope(
        _ chain: EnvelopeChain, _ now: ContinuousClock.Instant
    ) throws(NFCFault) -> Action {
        var chain = chain
        guard let command = chain.next() else { throw .outOfTurn }
        guard chain.isFinished else {
            deadline = progressDeadline(now)
            return try transmit(command, then: .awaitingAcknowledgement(chain))
        }
        phase = .awaitResponse
        deadline = now + answerTime
        collection = NFCMessageCollection(maximumLength: answerSize)
        return try transmit(command, then: .awaitingData)
    }

    /// Returns the deadline of the next command: the end of the time for one command, or of the time for the
    /// whole message if that is earlier. Each received byte of the answer extends the time for the whole
    /// message.
    private func progressDeadline(_ now: ContinuousClock.Instant) -> ContinuousClock.Instant {
        let next = now + settings.progressDeadline
        guard let transferEnd else { return next }
        return min(next, transferEnd + .seconds(collection.message.count) / settings.slowestRate)
    }

    /// Appends the data of a response to the answer. The status 61xx means that more bytes follow (Q51, Q52).
    private mutating func collect(
        _ answer: ResponseAPDU, _ now: ContinuousClock.Instant
    ) throws(NFCFault) -> Action {
        let available = answer.status.bytesAvailable
        guard answer.status == .success || available != nil else { throw .status(answer.status) }
        try collection.receive(answer.data)
        guard let available else {
            guard collection.missing == 0 else { throw .dataObjectIncomplete(missing: collection.missing) }
            return settle(.message(collection.message))
        }
        // The time for the whole answer begins with its first response, after the person has decided.
        if phase == .awaitResponse { transferEnd = now + settings.transferDeadline }
        phase = .receiveMessage
        deadline = progressDeadline(now)
        let length = remainderLength(available)
        return try transmit(CommandAPDU.getResponse(upTo: length).encode(), then: .awaitingData)
    }
}
