internal import ISO7816
package import NDEF

/// What an NFC data transfer yields.
package enum NFCTransferDelivery: Equatable, Sendable {
    /// The application is selected; `send` may be called.
    case selected
    /// The phone's answer to the message sent; `send` may be called again.
    case message([UInt8])
}

/// ISO/IEC 18013-5, 8.3.3.1.2: NFC data transfer on the reader's side, as a value.
///
/// `start` selects the application, each `send` carries one message there and one back. Messages are opaque.
package struct NFCTransferReader: NFCReaderMachine, Sendable {
    package typealias Action = NFCAction<NFCTransferDelivery>

    /// Named for what comes next.
    enum State: Sendable {
        case notStarted
        case awaitingApplication
        case idle
        case awaitingAcknowledgement(EnvelopeChain)
        case awaitingData
    }

    private let maximumCommandData: Int
    private let maximumResponseData: Int
    /// The most bytes asked for in one GET RESPONSE that says how many remain.
    private let maximumRemainder: Int
    private let extendedLength: Bool
    private let settings: NFCTransferSettings
    var state: NFCMachineState<State> = .ongoing(.notStarted)
    private(set) var phase = NFCPhase.selectDataTransfer
    /// The answer so far; beside the state, so that it grows in place.
    private var collection = NFCMessageCollection(maximumLength: 0)
    private var stepsLeft = 1
    /// The instant after which `expire` and `receive` end the machine; nil while nothing is under way. The
    /// driver must not cut a command short before it (Q54).
    package private(set) var deadline: ContinuousClock.Instant?
    /// When the message under way, in its direction, has to be complete.
    private var transferEnd: ContinuousClock.Instant?
    /// For the answer to the message that is being sent.
    private var answerTime: Duration
    /// The most bytes of that answer.
    private var answerSize = 0

    /// A transfer within what the reader, the phone (by its carrier record) and the settings allow.
    package init(
        limits: NFCReaderLimits, carrier: NFCCarrier, settings: NFCTransferSettings = NFCTransferSettings()
    ) {
        // A phone that announces no more than the longest short command, 261 bytes, counts whole APDUs and knows no
        // extended ones (Q11).
        let isShort = max(carrier.maximumCommandData, carrier.maximumResponseData) <= 261
        extendedLength = limits.extendedLength && !isShort
        // Header, long Lc and long Le take nine bytes of a command, the status word two of a response.
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

    /// A transfer on the NFC v2 application, which is selected (draft of the second edition).
    ///
    /// - Parameter commandLimit: the phone's ApduCommandMaxSize in bytes. It is taken as that of the whole APDU, which
    ///   is the stricter of its two readings, and as the ceiling of Le.
    init(selected commandLimit: Int, limits: NFCReaderLimits, settings: NFCTransferSettings) {
        extendedLength = limits.extendedLength && commandLimit > 261
        let overhead = extendedLength ? 9 : 6
        maximumCommandData = max(
            1,
            min(
                limits.maximumCommandData, commandLimit - overhead, settings.maximumAPDU - overhead,
                extendedLength ? CommandAPDU.maximumData : 255))
        // One Le for the whole selection: a phone may keep that of the first ENVELOPE (Q52).
        maximumResponseData = max(
            1, min(limits.maximumResponseData, commandLimit, settings.maximumAPDU - 2))
        maximumRemainder = min(commandLimit, max(255, maximumResponseData))
        answerTime = settings.consentDeadline
        self.settings = settings
        state = .ongoing(.idle)
        phase = .idle
    }

    /// Begins with SELECT of the mdoc data transfer application.
    package mutating func start(now: ContinuousClock.Instant) -> Action {
        step { machine, state throws(NFCFault) in
            guard case .notStarted = state else { throw .outOfTurn }
            machine.deadline = now + machine.settings.progressDeadline
            let command = CommandAPDU.select(application: .mdocDataTransfer).encode()
            return try machine.transmit(command, then: .awaitingApplication)
        }
    }

    /// Sends one message; allowed after each delivery.
    package mutating func send(_ message: ArraySlice<UInt8>, now: ContinuousClock.Instant) -> Action {
        send(
            message, answeredWithin: settings.consentDeadline, atMost: settings.maximumMessageSize, now: now)
    }

    /// Sends one message whose answer may take so long, and have so many bytes.
    mutating func send(
        _ message: ArraySlice<UInt8>, answeredWithin time: Duration, atMost size: Int,
        now: ContinuousClock.Instant
    ) -> Action {
        step { machine, state throws(NFCFault) in
            guard case .idle = state else { throw .outOfTurn }
            let limit = min(machine.settings.maximumMessageSize, DiscretionaryData.maximumLength)
            let expected = machine.expectedLength(machine.maximumResponseData)
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

    /// Takes the response APDU to the last command.
    package mutating func receive(_ response: ArraySlice<UInt8>, now: ContinuousClock.Instant) -> Action {
        take(response, now)
    }

    /// Ends when the deadline has passed, and otherwise says when it will.
    package mutating func expire(now: ContinuousClock.Instant) -> Action {
        step(at: now) { machine, state, deadline throws(NFCFault) in
            machine.state = .ongoing(state)
            return .wait(until: deadline)
        }
    }

    // MARK: Steps

    private mutating func transmit(_ command: [UInt8], then next: State) throws(NFCFault) -> Action {
        guard stepsLeft > 0 else { throw .stepBudgetSpent }
        stepsLeft -= 1
        state = .ongoing(next)
        return .transmit(command)
    }

    private func expectedLength(_ count: Int) -> ExpectedLength {
        ExpectedLength(upTo: min(count, maximumResponseData), extended: extendedLength)
    }

    /// The Le of GET RESPONSE: as many bytes as were announced, where SW2 can say it.
    private func remainderLength(_ available: Int) -> ExpectedLength {
        guard available <= 255 else { return expectedLength(maximumResponseData) }
        return ExpectedLength(upTo: min(available, maximumRemainder), extended: extendedLength)
    }

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

    private mutating func settle(_ delivery: NFCTransferDelivery) -> Action {
        collection = NFCMessageCollection(maximumLength: 0)
        state = .ongoing(.idle)
        phase = .idle
        deadline = nil
        return .deliver(delivery)
    }

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

    private func progressDeadline(_ now: ContinuousClock.Instant) -> ContinuousClock.Instant {
        let next = now + settings.progressDeadline
        guard let transferEnd else { return next }
        return min(next, transferEnd + .seconds(collection.message.count) / settings.slowestRate)
    }

    /// Collects by the bytes that come and the status, not by what was asked for: 61xx means more (Q51, Q52).
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
        if phase == .awaitResponse { transferEnd = now + settings.transferDeadline }
        phase = .receiveMessage
        deadline = progressDeadline(now)
        let length = remainderLength(available)
        return try transmit(CommandAPDU.getResponse(upTo: length).encode(), then: .awaitingData)
    }
}
