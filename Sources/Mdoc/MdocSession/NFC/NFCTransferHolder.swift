internal import ISO7816
package import NDEF

/// The phone's reaction to a command.
package enum NFCHolderAnswer: Equatable, Sendable {
    /// Send this response APDU. It is empty if the configured fault is silence.
    case respond([UInt8])
    /// A message of the reader is complete. Answer the command with `reply`.
    case message([UInt8])
}

/// The phone's side of NFC data transfer (ISO/IEC 18013-5, 8.3.3.1.2), a value type for the software wallet.
/// `NFCHolderBehaviour` configures it, faults included.
package struct NFCTransferHolder: Sendable {
    private let behaviour: NFCHolderBehaviour
    private let carrier: NFCCarrier
    /// The behaviour of the NFC v2 application. Nil for the application of the first edition.
    private let version2: NFCVersion2Behaviour?
    private var isSelected = false
    /// The data of the ENVELOPE commands so far.
    private var received: [UInt8] = []
    /// The rest of the response that is still to be sent.
    private var rest: ArraySlice<UInt8> = []
    /// The maximum number of data bytes in a response: the Le of the last ENVELOPE of the current message,
    /// or, with `NFCVersion2Behaviour.keepsFirstLength`, of the first message.
    private var envelopeLength = 0
    /// The number of messages that were answered.
    private var messages = 0

    /// Creates a phone that announces `carrier` in its NFC carrier record.
    package init(_ behaviour: NFCHolderBehaviour, carrier: NFCCarrier) {
        self.behaviour = behaviour
        self.carrier = carrier
        version2 = nil
    }

    /// Creates a phone with the NFC v2 application.
    init(_ behaviour: NFCHolderBehaviour, _ version2: NFCVersion2Behaviour) {
        self.behaviour = behaviour
        // NFC v2 announces only a limit for commands.
        carrier = NFCCarrier(
            maximumCommandData: Int(clamping: version2.commandLimit), maximumResponseData: 65_536)
        self.version2 = version2
    }

    /// Returns the phone's reaction to a command APDU, with the configured fault.
    package mutating func answer(_ command: ArraySlice<UInt8>) -> NFCHolderAnswer {
        guard let command = try? CommandAPDU.parse(command) else { return respond(.wrongLength) }
        let phase = phase(of: command)
        if case .refuses(phase, let status) = behaviour.fault { return respond(status) }
        if case .silent(phase) = behaviour.fault { return .respond([]) }
        // An extended command has an extended Le, or more data than a short command can have.
        let isExtended = if case .extended = command.expectedLength { true } else { command.data.count > 255 }
        guard behaviour.acceptsExtendedLength || !isExtended else { return respond(.wrongLength) }
        switch command.ins {
        case CommandAPDU.Instruction.select: return select(command)
        case CommandAPDU.Instruction.envelope where isSelected: return envelope(command)
        case CommandAPDU.Instruction.getResponse where isSelected: return getResponse(command)
        default: return respond(.instructionNotSupported)
        }
    }

    /// Begins to send `message`, the answer to the message that was delivered last.
    ///
    /// - Returns: the first response APDU of the answer.
    package mutating func reply(_ message: ArraySlice<UInt8>) -> [UInt8] {
        rest = behaviour.dataObject(message)[...]
        messages += 1
        return next(upTo: envelopeLength)
    }

    /// Returns a response APDU with this status and no data.
    private func respond(_ status: StatusWord) -> NFCHolderAnswer {
        .respond(ResponseAPDU(status: status).encode())
    }

    /// Returns the phase to which a command belongs. Some faults of `NFCHolderBehaviour` apply to one phase
    /// only.
    private func phase(of command: CommandAPDU) -> NFCPhase {
        switch command.ins {
        case CommandAPDU.Instruction.select: version2 == nil ? .selectDataTransfer : .selectVersion2
        // The first message on the NFC v2 application is the handover.
        case _ where version2 != nil && messages == 0: .handoverVersion2
        case CommandAPDU.Instruction.envelope: command.isChained ? .sendMessage : .awaitResponse
        default: .receiveMessage
        }
    }

    /// Answers a SELECT. Every SELECT of the application begins the transfer again.
    private mutating func select(_ command: CommandAPDU) -> NFCHolderAnswer {
        let identifier: ApplicationIdentifier = version2 == nil ? .mdocDataTransfer : .mdocNFCVersion2
        guard !behaviour.isLocked, command.p1 == 0x04, command.data.elementsEqual(identifier.bytes) else {
            return respond(.notFound)
        }
        guard let version2 else {
            self = NFCTransferHolder(behaviour, carrier: carrier)
            isSelected = true
            return respond(.success)
        }
        if let refusal = version2.refusal(ofLength: command.expectedLength) { return respond(refusal) }
        self = NFCTransferHolder(behaviour, version2)
        isSelected = true
        return .respond(ResponseAPDU(data: version2.selectAnswer[...], status: .success).encode())
    }

    /// Collects the data of an ENVELOPE. The last command of a chain completes the message.
    private mutating func envelope(_ command: CommandAPDU) -> NFCHolderAnswer {
        // The header of the data object has at most five bytes.
        guard command.data.count <= carrier.maximumCommandData,
            received.count + command.data.count <= behaviour.maximumMessageSize + 5
        else { return respond(.wrongLength) }
        received += command.data
        guard !command.isChained else {
            // In NFC v2 the last command of a chain must have Le, and the other commands must not.
            return respond(version2 != nil && command.expectedLength != nil ? .wrongLength : .success)
        }
        defer { received = [] }
        guard let header = try? DiscretionaryData.parseHeader(received[...]),
            received.count == header.size + header.length
        else { return respond(.incorrectData) }
        if version2 != nil, command.expectedLength == nil { return respond(.unknownError) }
        // A phone may keep the Le of the first ENVELOPE (Q52).
        if version2?.keepsFirstLength != true || messages == 0 {
            envelopeLength = command.expectedLength?.maximum ?? 256
        }
        return .message(Array(received[header.size...]))
    }

    /// Answers a GET RESPONSE with the next part of the answer.
    private mutating func getResponse(_ command: CommandAPDU) -> NFCHolderAnswer {
        guard !rest.isEmpty || behaviour.fault == .neverFinishes else {
            return respond(.conditionsNotSatisfied)
        }
        // A command without Le asks for as many bytes as a short response can have.
        let asked = command.expectedLength?.maximum ?? 256
        return .respond(next(upTo: behaviour.ignoresLengthAfterMore ? envelopeLength : asked))
    }

    /// Returns the next part of the answer, with the status 9000 for the last part, otherwise 61xx with the
    /// number of remaining bytes (Q51).
    private mutating func next(upTo length: Int) -> [UInt8] {
        let count = min(length, carrier.maximumResponseData, behaviour.maximumAnswer ?? .max)
        let data = rest.prefix(count)
        rest = rest.dropFirst(count)
        let isLast = rest.isEmpty && behaviour.fault != .neverFinishes
        let status = isLast ? StatusWord.success : moreAvailable(after: length)
        return ResponseAPDU(data: data, status: status).encode()
    }
}

extension NFCTransferHolder {
    /// Returns 61xx with the number of remaining bytes. Some phones subtract the bytes of the next response
    /// from this number (Q52).
    private func moreAvailable(after length: Int) -> StatusWord {
        // Only the fault `neverFinishes` announces bytes that do not exist, by 6100.
        guard !rest.isEmpty else { return .moreAvailable(256) }
        guard version2?.countsRemainderTwice == true else { return .moreAvailable(rest.count) }
        return StatusWord(rawValue: 0x6100 | UInt16(truncatingIfNeeded: (rest.count - length) & 0xff))
    }
}

extension NFCHolderBehaviour {
    /// Encodes the data object '53' with `message`, and with this phone's fault.
    fileprivate func dataObject(_ message: ArraySlice<UInt8>) -> [UInt8] {
        var length = message.count
        if case .announcesDataObject(let announced) = fault { length = announced }
        var object = (DiscretionaryData.header(forLength: length) ?? []) + message
        switch fault {
        case .wrongDataObjectTag: object[0] = 0x54
        case .endsDataEarly: object.removeLast()
        case .addsSurplusByte: object.append(0)
        default: break
        }
        return object
    }
}
