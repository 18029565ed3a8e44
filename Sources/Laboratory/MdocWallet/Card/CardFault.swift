internal import ISO7816
internal import MdocModel
internal import MdocSession
internal import NDEF

/// What goes wrong with the phone as a card. The raw value is the fault's name on the command line.
package enum CardFault: String, CaseIterable, Sendable {
    /// The phone is taken away in the middle of this command: of the engagement, of sending the request, while the
    /// person decides, of the answer (Q3, Q132).
    case pulledInEngagement = "card.pulled_in_engagement"
    case pulledInRequest = "card.pulled_in_request"
    case pulledInConsent = "card.pulled_in_consent"
    case pulledInResponse = "card.pulled_in_response"
    /// No answer to the request within an hour.
    case silent = "card.silent"
    /// 6A82 to every SELECT (Q1).
    case locked = "card.locked"
    /// NLEN stays 0 (Q13).
    case neverReady = "card.endless_nlen_0"
    /// NLEN announces more than the file holds (Q24).
    case giantLength = "card.giant_nlen"
    case noData = "card.empty_reads"
    case tooMuchData = "card.oversized_reads"
    case garbledCapabilities = "card.garbled_cc"
    case otherMessage = "card.other_message"
    case truncatedMessage = "card.truncated_message"
    case noEngagement = "card.no_engagement"
    /// A TNEP status in place of the Handover Select (Q41).
    case handoverRefused = "card.te_error"
    case handoverNeverComes = "card.endless_te_success"
    /// The phone chooses Bluetooth, whatever the reader offers (Q38).
    case carrierNotOffered = "card.unoffered_carrier"
    /// 6A82 to the data transfer application (Q59).
    case noDataTransfer = "card.no_data_transfer"
    /// 6F00 to the last ENVELOPE.
    case transferFails = "card.transfer_6f00"
    /// 61XX without end (Q194).
    case endlessMore = "card.endless_61xx"
    case wrongDataObject = "card.wrong_data_object"
    case giantDataObject = "card.giant_data_object"
    case truncatedDataObject = "card.short_data_object"
    case surplusByte = "card.surplus_byte"
}

extension CardFault {
    /// How long the answer to a request takes, if not the time for consent.
    var delay: Duration? { self == .silent ? .seconds(3600) : nil }

    /// What of this is in what the phone offers.
    func edit(_ content: inout NFCHolderContent) {
        guard self == .carrierNotOffered else { return }
        content.carriers.removeAll { if case .nfc = $0 { true } else { false } }
    }

    /// What of this is the phone's behaviour over NFC.
    func apply(to behaviour: inout NFCHolderBehaviour) {
        if self == .locked { behaviour.isLocked = true }
        behaviour.fault = nfcFault
    }

    private var nfcFault: NFCHolderFault? {
        switch self {
        case .pulledInEngagement: .silent(.initialMessage)
        case .pulledInRequest: .silent(.sendMessage)
        case .pulledInConsent: .silent(.awaitResponse)
        case .pulledInResponse: .silent(.receiveMessage)
        case .locked, .silent: nil
        case .neverReady: .neverReady
        case .giantLength: .announcesLength(0xfffe)
        case .noData: .answersEmpty
        case .tooMuchData: .answersTooMuch
        case .garbledCapabilities: .garblesCapabilities
        case .otherMessage: .sendsOtherMessage
        case .truncatedMessage: .truncatesMessage
        case .noEngagement: .omitsDeviceEngagement
        case .handoverRefused: .reportsStatus(.protocolError, .handoverSelect)
        case .handoverNeverComes: .repeatsSuccess
        case .carrierNotOffered: .ignoresOffer
        case .noDataTransfer: .refuses(.selectDataTransfer, .notFound)
        case .transferFails: .refuses(.awaitResponse, .unknownError)
        case .endlessMore: .neverFinishes
        case .wrongDataObject: .wrongDataObjectTag
        case .giantDataObject: .announcesDataObject(0xff_ffff)
        case .truncatedDataObject: .endsDataEarly
        case .surplusByte: .addsSurplusByte
        }
    }
}

/// What goes wrong with the phone in NFC v2 (draft of the second edition). The raw value is the fault's name on the
/// command line.
package enum WalletVersion2Fault: String, CaseIterable, Sendable {
    /// 6A82 to SELECT, as of a phone without NFC v2.
    case absent = "nfc_v2.absent"
    /// No answer to SELECT, to the handover: the phone is taken away.
    case pulledInSelect = "nfc_v2.pulled_in_select"
    case pulledInHandover = "nfc_v2.pulled_in_handover"
    /// The answer to SELECT has no limit.
    case noLimit = "nfc_v2.no_limit"
    /// The phone takes commands of 255 bytes and no more.
    case smallLimit = "nfc_v2.small_limit"
    /// 6F00 to the handover: it misses an option of an older draft.
    case olderDraft = "nfc_v2.older_draft"
    case noMethod = "nfc_v2.no_method"
    case twoMethods = "nfc_v2.two_methods"
    case methodNotOffered = "nfc_v2.unoffered_method"
    /// An empty message in place of the handover.
    case ends = "nfc_v2.ends"
    case malformed = "nfc_v2.malformed"
    /// An empty message in place of the answer.
    case endsRequest = "nfc_v2.ends_request"
    /// The second copy of an answer, over the other bearer, has another byte in its middle.
    case copiesDiffer = "nfc_v2.copies_differ"
    /// The phone's messages have no numbers, or begin with 7.
    case noNumbers = "nfc_v2.no_numbers"
    case wrongNumbers = "nfc_v2.wrong_numbers"

    func apply(to behaviour: inout NFCHolderBehaviour, _ version2: inout NFCVersion2Behaviour) {
        switch self {
        case .absent: version2.selectStatus = .notFound
        case .pulledInSelect: behaviour.fault = .silent(.selectVersion2)
        case .pulledInHandover: behaviour.fault = .silent(.handoverVersion2)
        case .noLimit: version2.selectAnswerBytes = [0xa0]
        case .smallLimit: version2.commandLimit = 255
        case .olderDraft: version2.fault = .speaksOlderDraft
        case .noMethod: version2.fault = .noMethod
        case .twoMethods: version2.fault = .twoMethods
        case .methodNotOffered: version2.fault = .unofferedMethod
        case .ends: version2.fault = .endsHandover
        case .malformed: version2.fault = .sends([0x80])
        case .endsRequest, .copiesDiffer, .noNumbers, .wrongNumbers: break
        }
    }

    /// What becomes of a SessionData message of the phone.
    func edit(_ message: [UInt8]) -> [UInt8] {
        guard self == .noNumbers || self == .wrongNumbers,
            let read = try? SessionData(message[...], numbered: true)
        else { return message }
        return SessionData.encode(
            data: read.data.map { Array($0) }, status: read.status,
            sequence: read.sequence.flatMap { self == .noNumbers ? nil : $0 + 7 })
    }
}
