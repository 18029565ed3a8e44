internal import ISO7816
package import NDEF

/// The phone's side of NFC engagement (ISO/IEC 18013-5, 8.2.2.1): a value type that simulates a Type 4 Tag,
/// for the software wallet. `NFCHolderBehaviour` configures it, faults included.
package struct NFCEngagementHolder: Sendable {
    private enum Selected {
        case nothing, application, capabilities, message
    }

    /// The message that the NDEF file holds for the reader.
    private enum Stage {
        case initialMessage, serviceStatus, handoverSelect
    }

    private static let messageFile: UInt16 = 0xe104

    private let behaviour: NFCHolderBehaviour
    private let content: NFCHolderContent
    private var selected = Selected.nothing
    private var stage = Stage.initialMessage
    /// The content of the NDEF file: NLEN, then the message.
    private var file: [UInt8] = []
    /// The bytes that the reader has written of its next message, beginning with NLEN.
    private var written: [UInt8] = []
    /// The number of reads of NLEN that will still return 0.
    private var unreadyPolls = 0
    /// The instant before which a read is refused, if the phone enforces its waiting time (Q16).
    private var earliestRead: ContinuousClock.Instant?
    /// The handover that is complete when the reader reads the last byte of the file. It then becomes
    /// `handover`.
    private var pending: NFCHolderHandover?
    /// The completed handover. Nil until the reader has read the last byte of the Handover Select.
    package private(set) var handover: NFCHolderHandover?

    package init(_ behaviour: NFCHolderBehaviour, content: NFCHolderContent) {
        self.behaviour = behaviour
        self.content = content
    }

    /// Returns the response APDU to a command APDU, or no bytes if the configured fault is silence.
    package mutating func answer(_ command: ArraySlice<UInt8>, now: ContinuousClock.Instant) -> [UInt8] {
        guard let command = try? CommandAPDU.parse(command) else { return respond(.wrongLength) }
        let phase = phase(of: command)
        if case .refuses(phase, let status) = behaviour.fault { return respond(status) }
        if case .silent(phase) = behaviour.fault { return [] }
        guard command.cla == 0 else { return respond(.classNotSupported) }
        switch command.ins {
        case CommandAPDU.Instruction.select: return select(command)
        case CommandAPDU.Instruction.readBinary: return read(command, now)
        case CommandAPDU.Instruction.updateBinary: return update(command, now)
        default: return respond(.instructionNotSupported)
        }
    }

    /// Returns a response APDU with this status and no data.
    private func respond(_ status: StatusWord) -> [UInt8] {
        ResponseAPDU(status: status).encode()
    }

    /// Returns the phase to which a command belongs. Some faults of `NFCHolderBehaviour` apply to one phase
    /// only.
    private func phase(of command: CommandAPDU) -> NFCPhase {
        if command.ins == CommandAPDU.Instruction.select {
            // P1 is 04 for an application identifier, and 00 for a file identifier.
            if command.p1 == 0x04 { return .selectApplication }
            // A reader selects the capability container right after the application, and the message file
            // later.
            return selected == .application ? .selectCapabilities : .selectFile
        }
        if selected == .capabilities { return .readCapabilities }
        let writes = command.ins == CommandAPDU.Instruction.updateBinary
        return switch stage {
        case .initialMessage: writes ? .serviceSelect : .initialMessage
        case .serviceStatus: writes ? .handoverRequest : .serviceStatus
        case .handoverSelect: .handoverSelect
        }
    }

    // MARK: Selecting

    /// Answers a SELECT, with or without Le (Q25). A new SELECT of the application starts the engagement
    /// again (Q2).
    private mutating func select(_ command: CommandAPDU) -> [UInt8] {
        if command.p1 == 0x04 {
            guard !behaviour.isLocked, command.data.elementsEqual(ApplicationIdentifier.ndefTag.bytes) else {
                return respond(.notFound)
            }
            self = NFCEngagementHolder(behaviour, content: content)
            selected = .application
            showInitialMessage()
            return respond(.success)
        }
        guard selected != .nothing, command.p1 == 0x00, command.data.count == 2 else {
            return respond(.notFound)
        }
        switch command.data.reduce(UInt16(0), { $0 << 8 | UInt16($1) }) {
        case NFCCapabilityContainer.fileIdentifier: selected = .capabilities
        case Self.messageFile: selected = .message
        default: return respond(.notFound)
        }
        return respond(.success)
    }

    // MARK: Showing messages

    /// Shows the first message: a Handover Select, or the services of a negotiated handover.
    private mutating func showInitialMessage() {
        let unready = behaviour.unready.initialMessage
        if behaviour.fault == .sendsOtherMessage {
            return show(StatusRecord.success.encode(), unready: unready)
        }
        switch behaviour.handover {
        case .static: showHandoverSelect(content.carriers, request: nil, unready: unready)
        case .negotiated(let service, let others):
            show(NDEFMessage((others + [service]).map { $0.record() }).encode(), unready: unready)
        }
    }

    /// Puts a message into the NDEF file. NLEN reads as 0 for the next `unready` reads (Q13, Q14).
    private mutating func show(_ message: [UInt8], unready: Int) {
        var message = message
        if behaviour.fault == .truncatesMessage { message.removeLast() }
        var length = UInt16(message.count)
        if case .announcesLength(let announced) = behaviour.fault { length = announced }
        file = [UInt8(length >> 8), UInt8(length & 0xff)] + message
        unreadyPolls = unready
    }

    /// Shows a Handover Select with these carriers. The handover is complete when the reader has read it.
    private mutating func showHandoverSelect(_ carriers: [HandoverCarrier], request: [UInt8]?, unready: Int) {
        let message = HandoverSelect.encode(
            deviceEngagement: content.deviceEngagement[...], carriers: carriers, order: behaviour.recordOrder)
        let dressed = behaviour.dress(message)
        pending = NFCHolderHandover(handoverSelect: dressed, handoverRequest: request, carriers: carriers)
        show(dressed, unready: unready)
    }

    private var waitingTime: Duration {
        guard case .negotiated(let service, _) = behaviour.handover else { return .zero }
        return service.waitingTime
    }

    // MARK: Reading

    /// Answers a READ BINARY. NLEN reads as 0 until the message is ready.
    private mutating func read(_ command: CommandAPDU, _ now: ContinuousClock.Instant) -> [UInt8] {
        guard selected == .capabilities || selected == .message else { return respond(.commandNotAllowed) }
        guard let offset = FileOffset(of: command), let length = command.expectedLength else {
            return respond(.incorrectParameters)
        }
        // The capability container says whether the phone accepts extended APDUs, so a reader has to read the
        // container with a short APDU (Q19).
        if case .extended = length, selected == .capabilities || !behaviour.acceptsExtendedLength {
            return respond(.wrongLength)
        }
        if selected == .message {
            if behaviour.enforcesWaitingTime, let earliestRead, now < earliestRead {
                return respond(.conditionsNotSatisfied)
            }
            // A read at offset 0 asks for NLEN. With the fault `neverReady`, NLEN is 0 whatever
            // `unreadyPolls` is.
            if offset.value == 0, unreadyPolls > 0 || behaviour.fault == .neverReady {
                unreadyPolls -= 1
                earliestRead = now + waitingTime
                return ResponseAPDU(data: [0, 0], status: .success).encode()
            }
        }
        return read(Int(offset.value), upTo: length.maximum)
    }

    /// Returns bytes of the selected file, at most as many as the phone sends in one response.
    private mutating func read(_ offset: Int, upTo length: Int) -> [UInt8] {
        let bytes = selected == .capabilities ? capabilities : file
        guard offset < bytes.count else {
            let zeros = ResponseAPDU(data: [UInt8](repeating: 0, count: 8)[...], status: .success)
            return behaviour.readsZerosPastEnd ? zeros.encode() : respond(.wrongParameters)
        }
        // The two bytes before the message are NLEN.
        let isBody = selected == .message && offset >= 2
        if isBody, behaviour.fault == .answersEmpty { return respond(.success) }
        let count = min(length, behaviour.maximumResponseData, behaviour.maximumAnswer ?? .max)
        var data = bytes[offset...].prefix(count)
        // The reader has now read the last byte of the message, so the handover is complete.
        if isBody, data.endIndex == bytes.endIndex { handover = pending }
        if isBody, behaviour.fault == .answersTooMuch { data.append(0) }
        return ResponseAPDU(data: data, status: .success).encode()
    }

    private var capabilities: [UInt8] {
        let container = NFCCapabilityContainer(
            maximumResponseData: behaviour.maximumResponseData,
            maximumCommandData: behaviour.maximumCommandData, fileIdentifier: Self.messageFile,
            maximumFileSize: behaviour.maximumFileSize, writeAccess: behaviour.writeAccess)
        return behaviour.fault == .garblesCapabilities ? container.encode().reversed() : container.encode()
    }

    // MARK: Writing

    /// Answers an UPDATE BINARY. A message is complete when the reader writes the message's length to NLEN,
    /// together with the message or after it.
    private mutating func update(_ command: CommandAPDU, _ now: ContinuousClock.Instant) -> [UInt8] {
        guard selected == .message, case .negotiated = behaviour.handover else {
            return respond(.securityStatusNotSatisfied)
        }
        guard let offset = (FileOffset(of: command)?.value).map(Int.init) else {
            return respond(.wrongParameters)
        }
        guard command.data.count <= behaviour.maximumCommandData else { return respond(.wrongLength) }
        if offset == 0, command.data.count > 2, behaviour.refusesMergedWrite {
            return respond(.incorrectData)
        }
        let end = offset + command.data.count
        guard end <= behaviour.maximumFileSize else { return respond(.notEnoughRoom) }
        // A write that starts after the bytes written so far leaves zeros in between.
        written += repeatElement(0, count: max(0, end - written.count))
        written.replaceSubrange(offset..<end, with: command.data)
        let length = written.prefix(2).reduce(0) { $0 << 8 | Int($1) }
        // Only a write of a length other than 0 at the start of the file completes a message.
        guard offset == 0, command.data.count >= 2, length > 0 else { return respond(.success) }
        guard written.count >= length + 2 else { return respond(.incorrectData) }
        let message = Array(written[2..<length + 2])
        written = []
        earliestRead = now + waitingTime
        answerMessage(message)
        return respond(.success)
    }

    /// Answers a complete message of the reader. The first message is the service select, and every later
    /// message is a Handover Request.
    private mutating func answerMessage(_ message: [UInt8]) {
        let parsed = try? NDEFMessage.parse(message[...])
        switch stage {
        case .initialMessage:
            let name = parsed.flatMap { try? ServiceSelect.parse($0) }
            let isHandover = name?.elementsEqual(ServiceParameter.handoverService) ?? false
            stage = .serviceStatus
            showStatus(
                isHandover ? .success : .protocolError, .serviceStatus,
                unready: behaviour.unready.serviceStatus)
        case .serviceStatus, .handoverSelect:
            stage = .handoverSelect
            answerRequest(message, parsed.flatMap { try? HandoverRequest.parse($0) })
        }
    }

    /// Shows a TNEP status, or the status that the configured fault prescribes for this phase.
    private mutating func showStatus(_ status: StatusRecord, _ phase: NFCPhase, unready: Int) {
        if case .reportsStatus(let status, phase) = behaviour.fault {
            return show(status.encode(), unready: unready)
        }
        show(status.encode(), unready: unready)
    }

    /// Answers the Handover Request with one carrier: the carrier that the phone prefers among the offered
    /// carriers.
    private mutating func answerRequest(_ bytes: [UInt8], _ request: HandoverRequest?) {
        let unready = behaviour.unready.handoverSelect
        if behaviour.fault == .repeatsSuccess { return show(StatusRecord.success.encode(), unready: unready) }
        if case .reportsStatus(_, .handoverSelect) = behaviour.fault {
            // The configured fault prescribes a status, which `showStatus` shows instead of `success`.
            return showStatus(.success, .handoverSelect, unready: unready)
        }
        let offered = request?.carriers ?? []
        let answers = content.carriers.compactMap { choose($0, among: offered) }.prefix(1)
        let chosen = behaviour.fault == .ignoresOffer ? content.carriers : Array(answers)
        guard !chosen.isEmpty else { return show(StatusRecord.protocolError.encode(), unready: unready) }
        showHandoverSelect(chosen, request: bytes, unready: unready)
    }

    /// Returns the phone's carrier as the Handover Select has to state it, with the mode that the phone
    /// chose. Nil if the reader did not offer the carrier.
    private func choose(_ carrier: HandoverCarrier, among offered: [HandoverCarrier]) -> HandoverCarrier? {
        for offer in offered {
            switch (carrier, offer) {
            case (.nfc, .nfc): return carrier
            case (.bluetoothLE(let own), .bluetoothLE(let reader)):
                let modes = own.role.modesInHandoverSelect.intersection(reader.role.modesInHandoverRequest)
                // If both modes are offered, the well-known wallets choose mdoc central client mode (Q34).
                if modes.contains(.centralClient) {
                    let uuid = behaviour.repeatsServiceUUID ? reader.serviceUUID : nil
                    return .bluetoothLE(BluetoothLEOutOfBand(role: .centralOnly, serviceUUID: uuid))
                }
                guard modes.contains(.peripheralServer) else { continue }
                return .bluetoothLE(
                    BluetoothLEOutOfBand(
                        role: .peripheralOnly, serviceUUID: own.serviceUUID, address: own.address))
            default: continue
            }
        }
        return nil
    }
}

/// The phone's data for an NFC engagement.
package struct NFCHolderContent: Sendable {
    /// The encoded DeviceEngagement. The holder does not parse it.
    package var deviceEngagement: [UInt8]
    /// The carriers that the phone can use, the preferred carrier first.
    package var carriers: [HandoverCarrier]

    package init(deviceEngagement: [UInt8], carriers: [HandoverCarrier]) {
        self.deviceEngagement = deviceEngagement
        self.carriers = carriers
    }
}

/// The result of an NFC engagement on the phone's side.
package struct NFCHolderHandover: Equatable, Sendable {
    package let handoverSelect: [UInt8]
    /// The Handover Request that the reader wrote. Nil after a static handover.
    package let handoverRequest: [UInt8]?
    package let carriers: [HandoverCarrier]
}
