package import ISO7816
package import MdocModel

/// How a phone behaves in NFC v2 (draft of the second edition), as data.
package struct NFCVersion2Behaviour: Sendable {
    /// Which of the offered methods the phone chooses.
    package enum Preference: Sendable {
        /// NFC, whatever else is offered.
        case nfc
        /// Bluetooth where it is offered, in the first of these modes that is.
        case bluetoothLE(centralFirst: Bool)
    }

    /// A fault in the handover select.
    package enum Fault: Equatable, Sendable {
        /// The engagement names no method.
        case noMethod
        /// It names the method chosen, and Bluetooth besides.
        case twoMethods
        /// It names one that was not offered.
        case unofferedMethod
        /// The message is empty: the wallet ends the exchange.
        case endsHandover
        /// The message is this.
        case sends([UInt8])
        /// The option that an older draft had is required in the offer, as is this answer without it: 6F00.
        case speaksOlderDraft
    }

    /// ApduCommandMaxSize in bytes.
    package var commandLimit: UInt64 = 65_536
    /// The whole answer to SELECT, in place of the limit alone.
    package var selectAnswerBytes: [UInt8]?
    package var preference = Preference.nfc
    /// The status that answers each SELECT, as that of a phone without NFC v2.
    package var selectStatus: StatusWord?
    /// Whether a SELECT with Le is refused, or one without.
    package var refusesSelectLength = false
    package var requiresSelectLength = false
    /// Whether the Le of the first ENVELOPE stays in effect for all answers (Q52).
    package var keepsFirstLength = false
    /// Whether SW2 of 61xx says Le bytes less than remain (Q52).
    package var countsRemainderTwice = false
    /// Whether an answer with Bluetooth leaves the reader's UUID out.
    package var omitsServiceUUID = false
    package var fault: Fault?

    package init() {}

    var selectAnswer: [UInt8] {
        selectAnswerBytes ?? NFCVersion2Handover.selectAnswer(limit: commandLimit)
    }

    func refusal(ofLength length: ExpectedLength?) -> StatusWord? {
        if let selectStatus { return selectStatus }
        return (length == nil ? requiresSelectLength : refusesSelectLength) ? .wrongLength : nil
    }

    /// What this phone chooses of an offer; nil if it finds nothing, as without NFC v2 in the offer.
    func choice(of offered: [NFCVersion2Method]) -> NFCVersion2Method? {
        guard offered.contains(.nfcVersion2), fault != .speaksOlderDraft else { return nil }
        guard case .bluetoothLE(let centralFirst) = preference else { return .nfcVersion2 }
        for case .bluetoothLE(let offer) in offered {
            var chosen = NFCVersion2Bluetooth()
            chosen.isCentralClient = offer.isCentralClient && (centralFirst || !offer.isPeripheralServer)
            chosen.isPeripheralServer = offer.isPeripheralServer && !chosen.isCentralClient
            if !omitsServiceUUID {
                chosen.centralClientUUID = chosen.isCentralClient ? offer.centralClientUUID : nil
                chosen.peripheralServerUUID = chosen.isPeripheralServer ? offer.peripheralServerUUID : nil
            }
            return .bluetoothLE(chosen)
        }
        return .nfcVersion2
    }

    /// The methods that the engagement names.
    func named(_ chosen: NFCVersion2Method) -> [NFCVersion2Method] {
        switch fault {
        case .noMethod: []
        case .twoMethods: [chosen, .bluetoothLE(NFCVersion2Bluetooth())]
        case .unofferedMethod: [.other(type: 3)]
        default: [chosen]
        }
    }
}

/// What an NFC v2 phone does with a command.
package enum NFCVersion2HolderAnswer: Equatable, Sendable {
    /// Send this response APDU; empty if the fault is silence.
    case respond([UInt8])
    /// Send it likewise: the handover is complete.
    case engaged([UInt8], NFCVersion2HolderHandover)
    /// A message of the session is complete: answer the command with `reply`.
    case message([UInt8])
}

/// What an NFC v2 handover yields on the phone's side.
package struct NFCVersion2HolderHandover: Equatable, Sendable {
    package let deviceEngagement: [UInt8]
    package let select: [UInt8]
    package let request: [UInt8]
    package let chosen: NFCVersion2Method
}

/// NFC v2 on the phone's side (draft of the second edition), as a value: the twin of `NFCVersion2EngagementReader` and of
/// the transfer that it yields.
package struct NFCVersion2Holder: Sendable {
    private let version2: NFCVersion2Behaviour
    private var transfer: NFCTransferHolder
    /// The DeviceEngagement that names these methods, encoded.
    private let engagement: @Sendable ([NFCVersion2Method]) -> [UInt8]
    package private(set) var handover: NFCVersion2HolderHandover?

    package init(
        _ behaviour: NFCHolderBehaviour, _ version2: NFCVersion2Behaviour,
        engagement: @escaping @Sendable ([NFCVersion2Method]) -> [UInt8]
    ) {
        self.version2 = version2
        transfer = NFCTransferHolder(behaviour, version2)
        self.engagement = engagement
    }

    package mutating func answer(_ command: ArraySlice<UInt8>) -> NFCVersion2HolderAnswer {
        switch transfer.answer(command) {
        case .respond(let answer): return .respond(answer)
        case .message(let message) where handover == nil: return engage(message)
        case .message(let message): return .message(message)
        }
    }

    /// The first response APDU that carries `message`, the answer to the message delivered last.
    package mutating func reply(_ message: ArraySlice<UInt8>) -> [UInt8] {
        transfer.reply(message)
    }

    private mutating func engage(_ request: [UInt8]) -> NFCVersion2HolderAnswer {
        guard let offered = try? NFCVersion2Handover.methods(inRequest: request[...]),
            let chosen = version2.choice(of: offered)
        else { return .respond(ResponseAPDU(status: .unknownError).encode()) }
        let deviceEngagement = engagement(version2.named(chosen))
        var select = NFCVersion2Handover.select(deviceEngagement)
        if case .sends(let bytes) = version2.fault { select = bytes }
        if version2.fault == .endsHandover { select = [] }
        let handover = NFCVersion2HolderHandover(
            deviceEngagement: deviceEngagement, select: select, request: request, chosen: chosen)
        self.handover = handover
        return .engaged(reply(select[...]), handover)
    }
}
