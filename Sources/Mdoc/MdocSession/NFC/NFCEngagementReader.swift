internal import ErrorMapping
internal import ISO7816
internal import NDEF

/// The state machine of NFC engagement on the reader's side (ISO/IEC 18013-5, 8.2.2.1), with static or
/// negotiated handover.
///
/// The machine reads the phone as an NFC Forum Type 4 Tag: it selects the NDEF application, and reads the
/// capability container and the first NDEF message. The type of that message shows which kind of handover
/// follows (Q18). A Handover Select ends a static handover. A service record (`Tp`) begins a negotiated
/// handover: the machine selects the service (TNEP), writes the Handover Request, and reads the Handover
/// Select.
///
/// The machine is a value that does no I/O and reads no clock. `CardDriver` of the service calls `start`,
/// does each action, and passes each response to `receive`; between polls it calls `expire`. Make a new
/// machine for every tap (Q2).
///
/// - **Limits:** the whole engagement and each phase (`NFCPhase`) have a deadline. The numbers of commands
///   and polls are limited.
/// - **Result:** `deliver` with an `NFCHandover`. It has the bytes that were exchanged, for the session
///   transcript.
/// - **Failure:** `end` with phase and fault (`NFCEndReason`). The machine never retries a tap. `TapSeries`
///   decides about a retry.
package struct NFCEngagementReader: NFCReaderMachine, Sendable {
    package typealias Action = NFCAction<NFCHandover>

    /// The state of the machine. Each `awaiting…` case is named after the response that is expected.
    enum State: Sendable {
        case notStarted
        case awaitingApplication
        case awaitingCapabilitiesFile
        case awaitingCapabilities
        case awaitingFile(NFCCapabilityContainer)
        case awaitingLength(Dialogue)
        case awaitingMessage(Dialogue)
        case awaitingWrite(Dialogue, NFCMessageWrite)
        case pausing(Dialogue, until: ContinuousClock.Instant)
    }

    /// The phone's tag while it is read, with the message that is expected next.
    struct Dialogue {
        let container: NFCCapabilityContainer
        var expected: Expected = .initialMessage
        /// The number of polls for the expected message so far: reads of NLEN that gave 0, and TNEP statuses
        /// in place of the Handover Select.
        var polls = 0

        /// Returns the dialogue on this tag with another expected message, for which no poll was made yet.
        func expecting(_ expected: Expected) -> Dialogue {
            Dialogue(container: container, expected: expected)
        }
    }

    enum Expected {
        case initialMessage
        case serviceStatus(ServiceParameter)
        case handoverSelect(ServiceParameter, request: [UInt8])

        var service: ServiceParameter? {
            switch self {
            case .initialMessage: nil
            case .serviceStatus(let service), .handoverSelect(let service, _): service
            }
        }
    }

    private let limits: NFCReaderLimits
    private let offer: NFCOffer
    private let settings: NFCEngagementSettings
    var state: NFCMachineState<State> = .ongoing(.notStarted)
    private(set) var phase = NFCPhase.selectApplication
    /// The current read. It is kept beside `state`, since data in an enum case would be copied at each step.
    private var read = NFCFileRead.messageLength
    private var phaseEnd: ContinuousClock.Instant?
    private var engagementEnd: ContinuousClock.Instant?
    private var stepsLeft: Int
    private var mergesWrites: Bool

    package init(
        limits: NFCReaderLimits, offer: NFCOffer, settings: NFCEngagementSettings = NFCEngagementSettings()
    ) {
        self.limits = limits
        self.offer = offer
        self.settings = settings
        stepsLeft = settings.stepBudget
        mergesWrites = settings.mergesWrites
    }

    /// The instant after which `expire` and `receive` end the machine. Nil before `start`.
    package var deadline: ContinuousClock.Instant? {
        guard let phaseEnd, let engagementEnd else { return nil }
        return min(phaseEnd, engagementEnd)
    }

    /// Begins the engagement, with a SELECT of the NDEF Tag application.
    package mutating func start(now: ContinuousClock.Instant) -> Action {
        step { machine, state throws(NFCFault) in
            guard case .notStarted = state else { throw .outOfTurn }
            machine.engagementEnd = now + machine.settings.engagementDeadline
            machine.enter(.selectApplication, now)
            return try machine.transmit(.select(application: .ndefTag), then: .awaitingApplication)
        }
    }

    /// Receives the response APDU to the last command.
    package mutating func receive(_ response: ArraySlice<UInt8>, now: ContinuousClock.Instant) -> Action {
        accept(response, now)
    }

    /// Continues after a wait, or ends the machine if its deadline has passed.
    package mutating func expire(now: ContinuousClock.Instant) -> Action {
        step(at: now) { machine, state, deadline throws(NFCFault) in
            guard case .pausing(let dialogue, let until) = state else {
                // `step` has set the state to `ended`. There is no pause that has to end, so the earlier
                // state is restored.
                machine.state = .ongoing(state)
                return .wait(until: deadline)
            }
            guard now >= until else {
                machine.state = .ongoing(state)
                return .wait(until: until)
            }
            return try machine.readLength(dialogue)
        }
    }

    // MARK: Steps

    /// Begins a phase, whose deadline is counted from `now`.
    private mutating func enter(_ phase: NFCPhase, _ now: ContinuousClock.Instant) {
        self.phase = phase
        phaseEnd = now + settings.phaseDeadline
    }

    /// Sends a command within the budget of commands, and sets the state in which its response is expected.
    private mutating func transmit(_ command: CommandAPDU, then next: State) throws(NFCFault) -> Action {
        guard stepsLeft > 0 else { throw .stepBudgetSpent }
        stepsLeft -= 1
        state = .ongoing(next)
        return .transmit(command.encode())
    }

    /// Returns the action that follows from a response APDU. `state` is the machine's state before the
    /// response.
    mutating func advance(
        from state: State, _ answer: ResponseAPDU, _ now: ContinuousClock.Instant
    ) throws(NFCFault) -> Action {
        // `NFCMessageWrite` handles the status of a write. A refusal of NLEN and message in one write is no
        // failure (Q23).
        if case .awaitingWrite(let dialogue, let write) = state {
            return try continueAfterWrite(dialogue, write, answer.status, now)
        }
        // A locked phone answers the first SELECT with 6A82 (Q1).
        if case .awaitingApplication = state, answer.status == .notFound { throw .noWalletYet }
        guard answer.status == .success else { throw .status(answer.status) }
        switch state {
        case .awaitingApplication:
            enter(.selectCapabilities, now)
            return try transmit(
                .select(file: NFCCapabilityContainer.fileIdentifier), then: .awaitingCapabilitiesFile)
        case .awaitingCapabilitiesFile:
            enter(.readCapabilities, now)
            let size = NFCCapabilityContainer.size
            // The container is read with a single short READ BINARY, because some phones fail on any other
            // command for it (Q19).
            read = NFCFileRead(offset: 0, count: size, chunk: size)
            return try continueReading(.awaitingCapabilities)
        case .awaitingCapabilities:
            try read.receive(answer.data)
            guard read.isComplete else { return try continueReading(state) }
            let container = try NFCCapabilityContainer.parse(read.bytes)
            enter(.selectFile, now)
            return try transmit(.select(file: container.fileIdentifier), then: .awaitingFile(container))
        case .awaitingFile(let container):
            enter(.initialMessage, now)
            return try readLength(Dialogue(container: container))
        case .awaitingLength(let dialogue):
            try read.receive(answer.data)
            return read.isComplete ? try continueAfterLength(dialogue, now) : try continueReading(state)
        case .awaitingMessage(let dialogue):
            try read.receive(answer.data)
            return read.isComplete ? try continueAfterMessage(dialogue, now) : try continueReading(state)
        case .notStarted, .awaitingWrite, .pausing: throw .outOfTurn
        }
    }

    // MARK: Reading

    /// Sends the next READ BINARY of the current read. Its response is expected in `state`.
    private mutating func continueReading(_ state: State) throws(NFCFault) -> Action {
        try transmit(try read.command(), then: state)
    }

    /// Reads NLEN, the length of the message in the NDEF file.
    private mutating func readLength(_ dialogue: Dialogue) throws(NFCFault) -> Action {
        read = .messageLength
        return try continueReading(.awaitingLength(dialogue))
    }

    /// Continues after NLEN was read. If NLEN is 0, the message is not ready; otherwise the message is read.
    private mutating func continueAfterLength(
        _ dialogue: Dialogue, _ now: ContinuousClock.Instant
    ) throws(NFCFault) -> Action {
        let length = read.bytes.reduce(0) { $0 << 8 | Int($1) }
        guard length > 0 else { return try poll(dialogue, now) }
        // The size of the file includes the two bytes of NLEN.
        let limit = min(dialogue.container.maximumFileSize - 2, settings.maximumMessageSize)
        guard length <= limit else { throw .messageTooLong(announced: length, limit: limit) }
        read = NFCFileRead(
            offset: 2, count: length, chunk: readChunk(dialogue.container), extended: readsExtended)
        return try continueReading(.awaitingMessage(dialogue))
    }

    /// Parses the complete message, and continues with the step that follows from it.
    private mutating func continueAfterMessage(
        _ dialogue: Dialogue, _ now: ContinuousClock.Instant
    ) throws(NFCFault) -> Action {
        let bytes = read.bytes
        let message = try mapping(NDEFMessage.parse(bytes[...]), NFCFault.messageMalformed)
        return try judge(message, bytes, dialogue, now)
    }

    /// Waits before NLEN is read again, because NLEN is 0, or because the phone's TNEP status says that the
    /// Handover Select is not ready (Q13, Q14, Q41). The number of polls is limited.
    private mutating func poll(
        _ dialogue: Dialogue, _ now: ContinuousClock.Instant
    ) throws(NFCFault) -> Action {
        var dialogue = dialogue
        dialogue.polls += 1
        guard dialogue.polls < settings.maximumPolls else {
            throw .notReady(polls: dialogue.polls, promised: dialogue.expected.service?.waitingTimeExtensions)
        }
        return pause(dialogue, now)
    }

    /// Waits for the time that the phone announced, before NLEN is read (Q16).
    private mutating func pause(_ dialogue: Dialogue, _ now: ContinuousClock.Instant) -> Action {
        let until = now + (dialogue.expected.service?.waitingTime ?? settings.initialPollInterval)
        state = .ongoing(.pausing(dialogue, until: until))
        return .wait(until: until)
    }

    private var readsExtended: Bool {
        settings.readsExtended && limits.extendedLength
    }

    /// Returns the number of bytes to ask for in one READ BINARY: the least of MLe, the reader's limit and,
    /// for short APDUs, 255. It is at least 15 (Q20, Q22).
    private func readChunk(_ container: NFCCapabilityContainer) -> Int {
        let ceiling = readsExtended ? limits.maximumResponseData : min(255, limits.maximumResponseData)
        return max(15, min(container.maximumResponseData, ceiling))
    }

    // MARK: Writing

    /// Begins to write a message. The message must fit into the phone's file, and must not be longer than the
    /// phone's handover service accepts (Q24).
    private mutating func write(_ message: [UInt8], _ dialogue: Dialogue) throws(NFCFault) -> Action {
        let container = dialogue.container
        // Every message that is written belongs to a service, so the default is not used.
        let announced = dialogue.expected.service.map { Int($0.maximumMessageSize) } ?? .max
        // NLEN takes two bytes of the file.
        let limit = min(container.maximumFileSize - 2, announced)
        guard message.count <= limit else { throw .messageTooLong(announced: message.count, limit: limit) }
        // A short command has at most 255 bytes of data.
        let chunk = min(255, container.maximumCommandData, limits.maximumCommandData)
        let write = try NFCMessageWrite(message, chunk: chunk, merges: mergesWrites)
        return try continueWriting(dialogue, write)
    }

    /// Continues after an UPDATE BINARY. When the whole message is written, waits for the phone's answer.
    private mutating func continueAfterWrite(
        _ dialogue: Dialogue, _ write: NFCMessageWrite, _ status: StatusWord, _ now: ContinuousClock.Instant
    ) throws(NFCFault) -> Action {
        var write = write
        try write.receive(status)
        // A phone that refused NLEN and message in one write would refuse this for the next message as well.
        if write.mergedRefused { mergesWrites = false }
        guard write.isDone else { return try continueWriting(dialogue, write) }
        if case .handoverSelect = dialogue.expected {
            enter(.handoverSelect, now)
        } else {
            enter(.serviceStatus, now)
        }
        return pause(dialogue, now)
    }

    /// Sends the next UPDATE BINARY of the current write.
    private mutating func continueWriting(
        _ dialogue: Dialogue, _ write: NFCMessageWrite
    ) throws(NFCFault) -> Action {
        guard let command = try write.command() else { throw .outOfTurn }
        return try transmit(command, then: .awaitingWrite(dialogue, write))
    }

    // MARK: Judging messages

    /// Continues with the step that follows from the complete message. The first message shows whether the
    /// handover is static or negotiated; the byte for write access does not show it (Q18).
    private mutating func judge(
        _ message: NDEFMessage, _ bytes: [UInt8], _ dialogue: Dialogue, _ now: ContinuousClock.Instant
    ) throws(NFCFault) -> Action {
        let isSelect = message.records.contains { $0.isOf(.handoverSelect) }
        switch dialogue.expected {
        case .initialMessage where isSelect: return try complete(message, bytes, request: nil)
        case .handoverSelect(_, let request) where isSelect:
            return try complete(message, bytes, request: request)
        case .initialMessage: return try selectService(in: message, dialogue, now)
        case .serviceStatus(let service):
            try requireSuccess(try status(in: message))
            return try requestHandover(service, dialogue, now)
        // Status 00 in place of the Handover Select means that the phone is not ready (Q41).
        case .handoverSelect:
            try requireSuccess(try status(in: message))
            return try poll(dialogue, now)
        }
    }

    /// Writes a service select, if the phone's first message names the handover service (TNEP).
    private mutating func selectService(
        in message: NDEFMessage, _ dialogue: Dialogue, _ now: ContinuousClock.Instant
    ) throws(NFCFault) -> Action {
        guard message.records.contains(where: { $0.isOf(.serviceParameter) }) else {
            throw .messageUnexpected
        }
        let offered = try mapping(ServiceParameter.handover(in: message), NFCFault.messageMalformed)
        guard let service = offered else { throw .noHandoverService }
        enter(.serviceSelect, now)
        return try write(ServiceSelect.encode(), dialogue.expecting(.serviceStatus(service)))
    }

    /// Writes the Handover Request, whose bytes the session transcript needs.
    private mutating func requestHandover(
        _ service: ServiceParameter, _ dialogue: Dialogue, _ now: ContinuousClock.Instant
    ) throws(NFCFault) -> Action {
        let request = HandoverRequest.encode(
            readerEngagement: settings.readerEngagement[...], carriers: offer.carriers)
        enter(.handoverRequest, now)
        return try write(request, dialogue.expecting(.handoverSelect(service, request: request)))
    }

    private func status(in message: NDEFMessage) throws(NFCFault) -> StatusRecord {
        let status = try mapping(StatusRecord.parse(message), NFCFault.messageMalformed)
        guard let status else { throw .messageUnexpected }
        return status
    }

    private func requireSuccess(_ status: StatusRecord) throws(NFCFault) {
        guard status == .success else { throw .serviceStatus(status) }
    }

    /// Delivers the handover, if the Handover Select contains an engagement and a usable carrier.
    private mutating func complete(
        _ message: NDEFMessage, _ bytes: [UInt8], request: [UInt8]?
    ) throws(NFCFault) -> Action {
        let select = try mapping(HandoverSelect.parse(message), NFCFault.messageMalformed)
        guard let engagement = select.deviceEngagement, !engagement.isEmpty else { throw .noDeviceEngagement }
        let choice = NFCCarrierChoice(
            select.carriers, offer: offer, isNegotiated: request != nil,
            acceptsAll: settings.acceptsUnofferedCarriers)
        guard choice.hasUsable else {
            throw request == nil ? .noUsableCarrier(choice.named) : .unofferedCarrier(choice.named)
        }
        // The machine has done its work, so any further call is an error of the driver.
        state = .ended(NFCEndReason(phase, .outOfTurn))
        // `mergesWrites` differs from its setting only if the phone refused a merged write.
        return .deliver(
            NFCHandover(
                handoverSelect: bytes, handoverRequest: request, deviceEngagement: engagement,
                carriers: choice.carriers, mergedWriteRefused: settings.mergesWrites && !mergesWrites))
    }
}
