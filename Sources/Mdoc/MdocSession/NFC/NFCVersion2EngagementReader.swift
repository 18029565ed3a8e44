internal import ErrorMapping
internal import ISO7816
package import MdocModel
internal import NDEF

/// The result of an NFC v2 engagement.
package enum NFCVersion2Delivery: Sendable {
    /// The phone has no NFC v2, as its response to SELECT shows. A handover of the first edition may follow
    /// without a new activation of the phone's NFC.
    case absent(NFCEndReason)
    case engaged(NFCVersion2Engaged)
}

/// A completed NFC v2 engagement with a phone.
package struct NFCVersion2Engaged: Sendable {
    package let engagement: DeviceEngagement
    /// The two handover messages, exactly as exchanged.
    package let handover: Handover
    package let choice: NFCVersion2Choice
    /// The data transfer on the selected application. It is ready to send the session's first message.
    package let transfer: NFCTransferReader
}

/// The state machine of NFC v2 engagement on the reader's side (ISO/IEC 18013-5, draft of the second
/// edition).
///
/// The machine sends a SELECT and one handover request. It is a value that does no I/O and reads no clock.
/// Make a new machine for every tap.
///
/// A phone with NFC v2 answers the SELECT with an ApduCommandMaxSize. After that answer, a handover of the
/// first edition needs a new activation of the phone's NFC.
package struct NFCVersion2EngagementReader: NFCReaderMachine, Sendable {
    package typealias Action = NFCAction<NFCVersion2Delivery>

    /// The state of the machine. Each `awaiting…` case is named after the response that is expected.
    enum State: Sendable {
        case notStarted
        case awaitingApplication(isRepeated: Bool)
        /// The phone announced its response to SELECT by 61xx, and GET RESPONSE was sent for it.
        case awaitingLimit
        case awaitingHandover(request: [UInt8])
    }

    private let limits: NFCReaderLimits
    private let offer: NFCVersion2Offer
    private let settings: NFCVersion2Settings
    private let transferSettings: NFCTransferSettings
    var state: NFCMachineState<State> = .ongoing(.notStarted)
    private(set) var phase = NFCPhase.selectVersion2
    /// The transfer of the handover. It is kept beside `state`, since data in an enum case would be copied at
    /// each step.
    private var transfer: NFCTransferReader?
    /// The instant after which `expire` and `receive` end the machine. Nil before `start`.
    package private(set) var deadline: ContinuousClock.Instant?

    package init(
        limits: NFCReaderLimits, offer: NFCVersion2Offer,
        settings: NFCVersion2Settings = NFCVersion2Settings(),
        transferSettings: NFCTransferSettings = NFCTransferSettings()
    ) {
        self.limits = limits
        self.offer = offer
        self.settings = settings
        self.transferSettings = transferSettings
    }

    /// Begins the engagement, with a SELECT of the NFC v2 application. The SELECT has no Le, since some
    /// wallets refuse a SELECT with Le.
    package mutating func start(now: ContinuousClock.Instant) -> Action {
        step { machine, state throws(NFCFault) in
            guard case .notStarted = state else { throw .outOfTurn }
            machine.deadline = now + machine.settings.selectDeadline
            return machine.select(expectedLength: nil, isRepeated: false)
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

    /// Selects the NFC v2 application. Without `expectedLength` the command has no Le.
    private mutating func select(expectedLength: ExpectedLength?, isRepeated: Bool) -> Action {
        let command = CommandAPDU(
            ins: CommandAPDU.Instruction.select, p1: 0x04, p2: 0x00,
            data: ApplicationIdentifier.mdocNFCVersion2.bytes[...], expectedLength: expectedLength)
        state = .ongoing(.awaitingApplication(isRepeated: isRepeated))
        return .transmit(command.encode())
    }

    /// Returns the action that follows from a response APDU. `state` is the machine's state before the
    /// response.
    mutating func advance(
        from state: State, _ answer: ResponseAPDU, _ now: ContinuousClock.Instant
    ) throws(NFCFault) -> Action {
        switch state {
        case .awaitingApplication(let isRepeated): return selected(answer, isRepeated: isRepeated, now)
        case .awaitingLimit: return readLimit(answer, now)
        case .awaitingHandover(let request):
            // `transfer` is a machine that parses responses itself, so it gets the bytes of this response.
            guard let action = transfer?.receive(answer.encode()[...], now: now) else { throw .outOfTurn }
            return try advanceHandover(action, request)
        case .notStarted: throw .outOfTurn
        }
    }

    // MARK: SELECT

    /// Handles the response to SELECT. A response without the form that NFC v2 requires means that the phone
    /// has no NFC v2. If the status is 6700 or 6Cxx, the SELECT is repeated once with an Le.
    private mutating func selected(
        _ answer: ResponseAPDU, isRepeated: Bool, _ now: ContinuousClock.Instant
    ) -> Action {
        if !isRepeated, answer.status == .wrongLength {
            // Le 00 asks for as many bytes as a short response can have.
            return select(expectedLength: .short(0), isRepeated: true)
        }
        if !isRepeated, let length = answer.status.acceptedLength {
            return select(expectedLength: ExpectedLength(upTo: length, extended: false), isRepeated: true)
        }
        if answer.data.isEmpty, let available = answer.status.bytesAvailable {
            state = .ongoing(.awaitingLimit)
            let length = ExpectedLength(upTo: available, extended: false)
            return .transmit(CommandAPDU.getResponse(upTo: length).encode())
        }
        return readLimit(answer, now)
    }

    /// Reads ApduCommandMaxSize from the complete response to SELECT, and sends the handover request. A phone
    /// without this limit has no NFC v2.
    private mutating func readLimit(_ answer: ResponseAPDU, _ now: ContinuousClock.Instant) -> Action {
        guard answer.status == .success else { return absent(.status(answer.status)) }
        guard let limit = NFCVersion2Handover.commandLimit(answer.data) else {
            return absent(.noCommandLimit)
        }
        phase = .handoverVersion2
        deadline = now + settings.handoverDeadline
        var transfer = NFCTransferReader(selected: limit, limits: limits, settings: transferSettings)
        let request = NFCVersion2Handover.request(offering: offer.methods)
        let action = transfer.send(
            request[...], answeredWithin: settings.handoverDeadline, atMost: settings.maximumHandover,
            now: now)
        // A failure is not expected here, because `send` on a new transfer returns a command unless the
        // message is too long, and the request is short.
        guard case .transmit(let command) = action else { return absent(.outOfTurn) }
        self.transfer = transfer
        state = .ongoing(.awaitingHandover(request: request))
        return .transmit(command)
    }

    /// Reports that the phone has no NFC v2. The report ends the machine, because `step` has set the state to
    /// `ended`, and no new state is set.
    private func absent(_ fault: NFCFault) -> Action {
        .deliver(.absent(NFCEndReason(phase, fault)))
    }

    // MARK: Handover

    /// Turns an action of the transfer into an action of this machine.
    private mutating func advanceHandover(
        _ action: NFCTransferReader.Action, _ request: [UInt8]
    ) throws(NFCFault) -> Action {
        switch action {
        case .transmit(let command):
            state = .ongoing(.awaitingHandover(request: request))
            return .transmit(command)
        case .deliver(.message(let select)): return try engaged(select, request)
        // A wallet of an older draft answers 6F00 if the request lacks an option that the older draft
        // requires.
        case .end(let reason) where reason.fault == .status(.unknownError): throw .olderVersion2
        case .end(let reason): throw reason.fault
        case .deliver(.selected), .wait: throw .outOfTurn
        }
    }

    /// Delivers the engagement of a complete handover select. Its method must be one that the reader offered.
    private func engaged(
        _ select: [UInt8], _ request: [UInt8]
    ) throws(NFCFault) -> Action {
        guard let transfer else { throw .outOfTurn }
        guard !select.isEmpty else { throw .walletEnded }
        let (engagement, methods) = try mapping(
            NFCVersion2Handover.engagement(inSelect: select[...]), NFCFault.version2Malformed)
        let choice = try NFCVersion2Choice.settled(methods, offered: offer.methods)
        return .deliver(
            .engaged(
                NFCVersion2Engaged(
                    engagement: engagement, handover: .nfcVersion2(select: select, request: request),
                    choice: choice, transfer: transfer)))
    }
}
