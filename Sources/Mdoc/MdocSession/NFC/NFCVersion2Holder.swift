package import ISO7816
package import MdocModel

/// The behaviour of a phone in NFC v2 (draft of the second edition).
package struct NFCVersion2Behaviour: Sendable {
    /// The rule by which the phone chooses among the offered methods.
    package enum Preference: Sendable {
        /// The phone chooses NFC, whatever else is offered.
        case nfc
        /// The phone chooses Bluetooth if it is offered. If both modes are offered, the phone chooses mdoc
        /// central client mode if `centralFirst` is true, and otherwise mdoc peripheral server mode.
        case bluetoothLE(centralFirst: Bool)
    }

    /// A fault in the handover select.
    package enum Fault: Equatable, Sendable {
        /// The engagement names no method.
        case noMethod
        /// The engagement names the chosen method and Bluetooth.
        case twoMethods
        /// The engagement names a method that was not offered.
        case unofferedMethod
        /// The message is empty. The wallet ends the exchange in this way.
        case endsHandover
        /// The message consists of these bytes.
        case sends([UInt8])
        /// The wallet requires an option of an older draft in the offer, and answers with 6F00 if the option
        /// is missing.
        case speaksOlderDraft
    }

    /// The ApduCommandMaxSize that the phone announces, in bytes.
    package var commandLimit: UInt64 = 65_536
    /// The whole data of the response to SELECT. Nil for a response with only `commandLimit`.
    package var selectAnswerBytes: [UInt8]?
    package var preference = Preference.nfc
    /// The status with which a phone without NFC v2 answers each SELECT. Nil for a phone with NFC v2.
    package var selectStatus: StatusWord?
    /// Whether the phone refuses a SELECT with Le.
    package var refusesSelectLength = false
    /// Whether the phone refuses a SELECT without Le.
    package var requiresSelectLength = false
    /// Whether the Le of the first ENVELOPE stays in effect for all answers (Q52).
    package var keepsFirstLength = false
    /// Whether SW2 of 61xx is the number of remaining bytes minus the Le of the command (Q52).
    package var countsRemainderTwice = false
    /// Whether the phone omits the reader's UUID if it chooses Bluetooth.
    package var omitsServiceUUID = false
    package var fault: Fault?

    package init() {}

    var selectAnswer: [UInt8] {
        selectAnswerBytes ?? NFCVersion2Handover.selectAnswer(limit: commandLimit)
    }

    /// Returns the status with which the phone refuses a SELECT with this Le. Nil if the phone accepts it.
    func refusal(ofLength length: ExpectedLength?) -> StatusWord? {
        if let selectStatus { return selectStatus }
        return (length == nil ? requiresSelectLength : refusesSelectLength) ? .wrongLength : nil
    }

    /// Returns the method that this phone chooses. Nil if it accepts no offered method, for example if the
    /// offer lacks NFC v2.
    func choice(of offered: [NFCVersion2Method]) -> NFCVersion2Method? {
        guard offered.contains(.nfcVersion2), fault != .speaksOlderDraft else { return nil }
        guard case .bluetoothLE(let centralFirst) = preference else { return .nfcVersion2 }
        for case .bluetoothLE(let offer) in offered {
            var chosen = NFCVersion2Bluetooth()
            // The phone chooses exactly one mode.
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

    /// The methods that the engagement names: the chosen method, or the methods that the fault prescribes.
    func named(_ chosen: NFCVersion2Method) -> [NFCVersion2Method] {
        switch fault {
        case .noMethod: []
        case .twoMethods: [chosen, .bluetoothLE(NFCVersion2Bluetooth())]
        // Type 3 is Wi-Fi Aware, which this reader never offers.
        case .unofferedMethod: [.other(type: 3)]
        default: [chosen]
        }
    }
}

/// The reaction of an NFC v2 phone to a command.
package enum NFCVersion2HolderAnswer: Equatable, Sendable {
    /// Send this response APDU. It is empty if the configured fault is silence.
    case respond([UInt8])
    /// Send this response APDU, with which the handover is complete.
    case engaged([UInt8], NFCVersion2HolderHandover)
    /// A message of the session is complete. Answer the command with `reply`.
    case message([UInt8])
}

/// The result of an NFC v2 handover on the phone's side.
package struct NFCVersion2HolderHandover: Equatable, Sendable {
    package let deviceEngagement: [UInt8]
    package let select: [UInt8]
    package let request: [UInt8]
    package let chosen: NFCVersion2Method
}

/// The phone's side of NFC v2 (draft of the second edition), a value type for the software wallet. It is the
/// counterpart of `NFCVersion2EngagementReader` and of the transfer that follows.
package struct NFCVersion2Holder: Sendable {
    private let version2: NFCVersion2Behaviour
    private var transfer: NFCTransferHolder
    /// Returns the encoded DeviceEngagement that names these methods.
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

    /// Returns the phone's reaction to a command APDU. The first complete message is the handover request.
    package mutating func answer(_ command: ArraySlice<UInt8>) -> NFCVersion2HolderAnswer {
        switch transfer.answer(command) {
        case .respond(let answer): return .respond(answer)
        case .message(let message) where handover == nil: return engage(message)
        case .message(let message): return .message(message)
        }
    }

    /// Begins to send `message`, the answer to the message that was delivered last.
    ///
    /// - Returns: the first response APDU of the answer.
    package mutating func reply(_ message: ArraySlice<UInt8>) -> [UInt8] {
        transfer.reply(message)
    }

    /// Answers a handover request. A request that the phone cannot use is answered with 6F00, as wallets of
    /// an older draft do.
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
