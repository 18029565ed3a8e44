internal import ISO7816
package import NDEF

/// What a phone does with a command.
package enum NFCHolderAnswer: Equatable, Sendable {
    /// Send this response APDU; empty where the fault is silence.
    case respond([UInt8])
    /// A message is complete: answer the command with `reply`.
    case message([UInt8])
}

/// ISO/IEC 18013-5, 8.3.3.1.2: the phone's side of NFC data transfer, as a value. Its behaviour is configurable.
package struct NFCTransferHolder: Sendable {
    private let behaviour: NFCHolderBehaviour
    private let carrier: NFCCarrier
    private var isSelected = false
    /// The data objects of ENVELOPE commands so far.
    private var received: [UInt8] = []
    /// What of the answer is still to be sent.
    private var rest: ArraySlice<UInt8> = []
    private var envelopeLength = 0

    /// A phone that announces `carrier` in its NFC carrier record.
    package init(_ behaviour: NFCHolderBehaviour, carrier: NFCCarrier) {
        self.behaviour = behaviour
        self.carrier = carrier
    }

    package mutating func answer(_ command: ArraySlice<UInt8>) -> NFCHolderAnswer {
        guard let command = try? CommandAPDU.parse(command) else { return refuse(.wrongLength) }
        let phase = phase(of: command)
        if case .refuses(phase, let status) = behaviour.fault { return refuse(status) }
        if case .silent(phase) = behaviour.fault { return .respond([]) }
        let isExtended = if case .extended = command.expectedLength { true } else { command.data.count > 255 }
        guard behaviour.acceptsExtendedLength || !isExtended else { return refuse(.wrongLength) }
        switch command.ins {
        case CommandAPDU.Instruction.select: return select(command)
        case CommandAPDU.Instruction.envelope where isSelected: return envelope(command)
        case CommandAPDU.Instruction.getResponse where isSelected: return getResponse(command)
        default: return refuse(.instructionNotSupported)
        }
    }

    /// The first response APDU that carries `message`, the answer to the message delivered last.
    package mutating func reply(_ message: ArraySlice<UInt8>) -> [UInt8] {
        rest = behaviour.dataObject(message)[...]
        return next(upTo: envelopeLength)
    }

    private func refuse(_ status: StatusWord) -> NFCHolderAnswer {
        .respond(ResponseAPDU(status: status).encode())
    }

    private func phase(of command: CommandAPDU) -> NFCPhase {
        switch command.ins {
        case CommandAPDU.Instruction.select: .selectDataTransfer
        case CommandAPDU.Instruction.envelope: command.isChained ? .sendMessage : .awaitResponse
        default: .receiveMessage
        }
    }

    private mutating func select(_ command: CommandAPDU) -> NFCHolderAnswer {
        let identifier = ApplicationIdentifier.mdocDataTransfer.bytes
        guard !behaviour.isLocked, command.p1 == 0x04, command.data.elementsEqual(identifier) else {
            return refuse(.notFound)
        }
        self = NFCTransferHolder(behaviour, carrier: carrier)
        isSelected = true
        return refuse(.success)
    }

    private mutating func envelope(_ command: CommandAPDU) -> NFCHolderAnswer {
        guard command.data.count <= carrier.maximumCommandData,
            received.count + command.data.count <= behaviour.maximumMessageSize + 5
        else { return refuse(.wrongLength) }
        received += command.data
        guard !command.isChained else { return refuse(.success) }
        defer { received = [] }
        guard let header = try? DiscretionaryData.parseHeader(received[...]),
            received.count == header.size + header.length
        else { return refuse(.incorrectData) }
        envelopeLength = command.expectedLength?.maximum ?? 256
        return .message(Array(received[header.size...]))
    }

    private mutating func getResponse(_ command: CommandAPDU) -> NFCHolderAnswer {
        guard !rest.isEmpty || behaviour.fault == .neverFinishes else {
            return refuse(.conditionsNotSatisfied)
        }
        let asked = command.expectedLength?.maximum ?? 256
        return .respond(next(upTo: behaviour.ignoresLengthAfterMore ? envelopeLength : asked))
    }

    /// The next part of the answer: 9000 with the last, otherwise 61xx with what remains (Q51).
    private mutating func next(upTo length: Int) -> [UInt8] {
        let count = min(length, carrier.maximumResponseData, behaviour.maximumAnswer ?? .max)
        let data = rest.prefix(count)
        rest = rest.dropFirst(count)
        let isLast = rest.isEmpty && behaviour.fault != .neverFinishes
        let status = isLast ? StatusWord.success : .moreAvailable(rest.isEmpty ? 256 : rest.count)
        return ResponseAPDU(data: data, status: status).encode()
    }
}

extension NFCHolderBehaviour {
    /// The data object '53' that carries `message`, with this phone's fault.
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
