package import CommandLineInterface
package import FieldTrace
internal import ISO7816
package import MdocModel
internal import MdocSession
package import MdocWallet
internal import NDEF

extension TracedPhone {
    /// The kind of handover of the traced phone. If the reader selected no application for engagement, the
    /// phone had engaged by a QR code.
    var handover: HandoverKind {
        let commands = taps.flatMap(\.exchanges).compactMap(\.command.word)
        if !commands.contains(.selectNDEF), !commands.contains(.selectVersion2) { return .qr }
        return service == nil ? .static : .negotiated
    }

    /// Makes the profile of the wallet from the facts of the trace.
    ///
    /// - Parameter overNFC: whether the answer comes over NFC. The profile then gets NFC data transfer,
    ///   unless the traced fault was that the phone had no retrieval method.
    fileprivate func profile(overNFC: Bool) -> WalletProfile {
        var profile = WalletProfile.generic
        profile.behaviours = [handover: behaviour]
        profile.version2 = version2.flatMap(NFCVersion2Behaviour.init)
        if let version = engagement?.version { profile.engagementVersion = version.text }
        profile.extraEngagementMembers = capabilityMembers
        // Bluetooth is assumed unless the trace excludes it. After a QR code, a trace has no Handover Select,
        // and an unreadable carrier may have been Bluetooth.
        let carriers = select?.carriers ?? []
        profile.hasBluetooth =
            select == nil || carriers.contains { $0.kind.word == .bluetoothLE || $0.kind.word == .unreadable }
        if let role = carriers.lazy.compactMap(\.role).first?.word { profile.bluetoothRole = role.bluetooth }
        let nfc = carriers.first { $0.kind.word == .nfc }
        profile.nfcCarrier = nfc.flatMap { carrier in
            guard let command = carrier.commandData, let response = carrier.responseData else { return nil }
            return NFCCarrier(maximumCommandData: command, maximumResponseData: response)
        }
        let lacksRetrieval = end?.error?.word == ErrorID(rawValue: "engagement.no_retrieval")
        return overNFC && !lacksRetrieval ? profile.addingNFCCarrier() : profile
    }

    /// The engagement's map of capabilities (key 6). It has the map keys that the trace contains. Their
    /// values are `true`, because a trace does not contain them.
    private var capabilityMembers: [CBORDraft.Member] {
        guard let engagement, engagement.keys.contains(6) else { return [] }
        let members = engagement.capabilities.map { key in
            CBORDraft.Member(key: .integer(key), value: .boolean(true))
        }
        return [CBORDraft.Member(key: 6, value: .map(members))]
    }

    /// The NFC behaviour of the traced phone: its limits, its waiting time, the order of its records, and its
    /// fault, if it had one.
    private var behaviour: NFCHolderBehaviour {
        var behaviour = NFCHolderBehaviour()
        if let service {
            behaviour.handover = .negotiated(
                ServiceParameter(
                    waitingTimeInteger: UInt8(clamping: service.waitingTimeInteger),
                    waitingTimeExtensions: UInt8(clamping: service.waitingTimeExtensions),
                    maximumMessageSize: service.maximumMessage))
        }
        if let capabilities {
            behaviour.maximumResponseData = Int(capabilities.maximumResponse)
            behaviour.maximumCommandData = Int(capabilities.maximumCommand)
            behaviour.maximumFileSize = Int(capabilities.fileSize)
            behaviour.writeAccess = UInt8(clamping: capabilities.writeAccess)
        }
        if let records = select?.records.map(\.word),
            let engagement = records.firstIndex(of: .deviceEngagement),
            let carrier = records.firstIndex(where: { $0 == .bluetoothLE || $0 == .nfcCarrier })
        {
            behaviour.recordOrder = engagement < carrier ? .engagementFirst : .carriersFirst
        }
        behaviour.fault = fault?.holderFault
        return behaviour
    }
}

extension PresentedWallet {
    /// Makes a wallet with a test licence that behaves like the phone of a trace. The portrait is made about
    /// as large as the traced answer, up to 1 MiB, so that the two answers have a similar length.
    package init(replaying phone: TracedPhone, overNFC: Bool, at now: Timestamp) throws(CommandFailure) {
        var presentation = PresentationCase("replay")
        presentation.profile = phone.profile(overNFC: overNFC)
        presentation.handover = phone.handover
        presentation.licence.portraitSize = min(
            max(phone.answerSize, presentation.licence.portraitSize), 1 << 20)
        if phone.end?.error?.word == ErrorID(rawValue: "declined") { presentation.decision = .declines }
        // The session statuses of ISO/IEC 18013-5 for errors of encryption (10) and decoding (11).
        switch phone.end?.sessionStatus {
        case 10?: presentation.sessionFault = .encryptionError
        case 11?: presentation.sessionFault = .decodingError
        default: break
        }
        do throws(WalletError) {
            try self.init(presentation, at: now)
            if let air = phone.air { wallet.consentTime = air.answers }
        } catch {
            throw .unavailable("the phone that the field trace recorded cannot be simulated: \(error)")
        }
    }
}

extension NFCVersion2Behaviour {
    /// Creates the behaviour from the facts of a trace. Nil if the phone has no NFC v2.
    fileprivate init?(_ facts: NFCVersion2Facts) {
        guard let limit = facts.limit else { return nil }
        self.init()
        commandLimit = UInt64(limit)
        // 2 is the type of Bluetooth LE among the retrieval methods (8.2.1.1).
        if facts.methods?.contains(2) == true { preference = .bluetoothLE(centralFirst: true) }
    }
}

extension CarrierFacts.Role {
    fileprivate var bluetooth: BluetoothLERole {
        switch self {
        case .peripheralOnly: .peripheralOnly
        case .centralOnly: .centralOnly
        case .bothPeripheralPreferred: .bothPeripheralPreferred
        case .bothCentralPreferred: .bothCentralPreferred
        }
    }
}

extension FaultFacts {
    /// The fault that the wallet makes in its bytes. The trace names the fault but does not contain the
    /// bytes.
    ///
    /// Nil for status words and removals, because the replay takes them from the trace. Also nil for faults
    /// that the phone's bytes did not cause.
    fileprivate var holderFault: NFCHolderFault? {
        switch nfc?.word {
        case .noProgress: .answersEmpty
        case .surplusBytes: .addsSurplusByte
        case .capabilityContainerInvalid: .garblesCapabilities
        // The announced lengths exceed the limits of every reader (Q194).
        case .messageTooLong:
            [.awaitResponse, .receiveMessage].contains(phase?.word)
                ? .announcesDataObject(0xff_ffff) : .announcesLength(0xfffe)
        case .messageMalformed: .truncatesMessage
        case .messageUnexpected: .sendsOtherMessage
        case .serviceStatus: .reportsStatus(.protocolError, phase?.word ?? .handoverSelect)
        case .noDeviceEngagement: .omitsDeviceEngagement
        case .unofferedCarrier: .ignoresOffer
        case .dataObjectMalformed: .wrongDataObjectTag
        case .dataObjectIncomplete: .endsDataEarly
        case .noWalletYet, .cardLost, .cardMute, .status, .deadlinePassed, .stepBudgetSpent, .notReady,
            .noHandoverService,
            .noUsableCarrier, .noCommandLimit, .olderVersion2, .version2Malformed, .version2Methods,
            .version2MethodNotOffered, .walletEnded, .outOfTurn, nil:
            nil
        }
    }
}
