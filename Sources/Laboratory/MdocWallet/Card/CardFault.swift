internal import ISO7816
internal import MdocModel
internal import MdocSession
internal import NDEF

/// A fault of a phone that acts as a card at a PC/SC reader. The raw value is the fault's name on the command
/// line.
package enum CardFault: String, CaseIterable, Sendable {
    /// The phone leaves the reader's field during a command of the engagement (Q3, Q132).
    case pulledInEngagement = "card.pulled_in_engagement"
    /// The phone leaves the reader's field during a command that sends the request (Q3, Q132).
    case pulledInRequest = "card.pulled_in_request"
    /// The phone leaves the reader's field while the person decides (Q3, Q132).
    case pulledInConsent = "card.pulled_in_consent"
    /// The phone leaves the reader's field during a command that fetches the response (Q3, Q132).
    case pulledInResponse = "card.pulled_in_response"
    /// The phone does not answer the request within an hour.
    case silent = "card.silent"
    /// The phone answers every SELECT with 6A82 (Q1).
    case locked = "card.locked"
    /// NLEN, the length at the start of the NDEF file, stays 0 (Q13).
    case neverReady = "card.endless_nlen_0"
    /// NLEN announces more bytes than the file has (Q24).
    case giantLength = "card.giant_nlen"
    /// The READ BINARY commands for a message return no data.
    case noData = "card.empty_reads"
    /// The READ BINARY commands for a message return one byte more than the reader asked for.
    case tooMuchData = "card.oversized_reads"
    /// The first bytes of the capability container are wrong.
    case garbledCapabilities = "card.garbled_cc"
    /// The first message is neither a Handover Select nor a TNEP service parameter (Q18).
    case otherMessage = "card.other_message"
    /// The last byte of each message is missing, and NLEN is 1 less.
    case truncatedMessage = "card.truncated_message"
    /// The Handover Select has no device engagement.
    case noEngagement = "card.no_engagement"
    /// The phone sends a TNEP status in place of the Handover Select (Q41).
    case handoverRefused = "card.te_error"
    /// The phone sends TNEP status 00 in place of the Handover Select, again and again (Q41).
    case handoverNeverComes = "card.endless_te_success"
    /// The phone chooses Bluetooth although the reader does not offer it (Q38).
    case carrierNotOffered = "card.unoffered_carrier"
    /// The phone answers SELECT of the data transfer application with 6A82 (Q59).
    case noDataTransfer = "card.no_data_transfer"
    /// The phone answers the last ENVELOPE with 6F00.
    case transferFails = "card.transfer_6f00"
    /// The phone answers with 61XX again and again (Q194).
    case endlessMore = "card.endless_61xx"
    /// The data object of the response has another tag than 53.
    case wrongDataObject = "card.wrong_data_object"
    /// The data object of the response announces 16 777 215 bytes (Q194).
    case giantDataObject = "card.giant_data_object"
    /// The status 9000 comes one byte before the data object is complete (Q52).
    case truncatedDataObject = "card.short_data_object"
    /// One byte follows the data object of the response (Q52).
    case surplusByte = "card.surplus_byte"
}

extension CardFault {
    /// The delay of the answer to a request. Nil if the answer is delayed only by the wallet's time for
    /// consent.
    var delay: Duration? { self == .silent ? .seconds(3600) : nil }

    /// Applies the fault to the content of an engagement over NFC.
    func edit(_ content: inout NFCHolderContent) {
        guard self == .carrierNotOffered else { return }
        // Bluetooth remains as the only carrier, although a reader without Bluetooth has not offered it.
        content.carriers.removeAll { if case .nfc = $0 { true } else { false } }
    }

    /// Applies the fault to the phone's behaviour over NFC.
    func apply(to behaviour: inout NFCHolderBehaviour) {
        if self == .locked { behaviour.isLocked = true }
        behaviour.fault = nfcFault
    }

    /// The fault of the phone's NFC engagement and data transfer. Nil for `locked`, which `apply(to:)` sets
    /// separately, and for `silent`, which is the `delay` of the answer.
    private var nfcFault: NFCHolderFault? {
        switch self {
        case .pulledInEngagement: .silent(.initialMessage)
        case .pulledInRequest: .silent(.sendMessage)
        case .pulledInConsent: .silent(.awaitResponse)
        case .pulledInResponse: .silent(.receiveMessage)
        case .locked, .silent: nil
        case .neverReady: .neverReady
        // FFFE is the largest valid NLEN.
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

/// A fault of the phone in NFC v2 (draft of the second edition). The raw value is the fault's name on the
/// command line.
package enum WalletVersion2Fault: String, CaseIterable, Sendable {
    /// The phone answers SELECT with 6A82, as a phone without NFC v2 does.
    case absent = "nfc_v2.absent"
    /// The phone leaves the reader's field during SELECT.
    case pulledInSelect = "nfc_v2.pulled_in_select"
    /// The phone leaves the reader's field during the handover.
    case pulledInHandover = "nfc_v2.pulled_in_handover"
    /// The answer to SELECT does not state the limit for commands.
    case noLimit = "nfc_v2.no_limit"
    /// The phone accepts commands of at most 255 bytes.
    case smallLimit = "nfc_v2.small_limit"
    /// The phone answers the handover with 6F00, because it expects an option of an older draft.
    case olderDraft = "nfc_v2.older_draft"
    /// The phone's handover contains no retrieval method.
    case noMethod = "nfc_v2.no_method"
    /// The phone's handover contains two retrieval methods, although the phone has to choose one.
    case twoMethods = "nfc_v2.two_methods"
    /// The phone chooses a retrieval method that the reader does not offer.
    case methodNotOffered = "nfc_v2.unoffered_method"
    /// The phone sends an empty message in place of the handover.
    case ends = "nfc_v2.ends"
    /// The phone sends an empty CBOR array in place of the handover.
    case malformed = "nfc_v2.malformed"
    /// The phone sends an empty message in place of the response.
    case endsRequest = "nfc_v2.ends_request"
    /// The phone sends a response over NFC and again over Bluetooth, and one byte of the second copy differs.
    case copiesDiffer = "nfc_v2.copies_differ"
    /// The phone's messages have no numbers.
    case noNumbers = "nfc_v2.no_numbers"
    /// The numbers of the phone's messages are too high by 7.
    case wrongNumbers = "nfc_v2.wrong_numbers"

    /// Applies the fault to the phone's behaviour over NFC and in NFC v2.
    func apply(to behaviour: inout NFCHolderBehaviour, _ version2: inout NFCVersion2Behaviour) {
        switch self {
        case .absent: version2.selectStatus = .notFound
        case .pulledInSelect: behaviour.fault = .silent(.selectVersion2)
        case .pulledInHandover: behaviour.fault = .silent(.handoverVersion2)
        // A0 is an empty CBOR map, and 80 an empty array.
        case .noLimit: version2.selectAnswerBytes = [0xa0]
        case .smallLimit: version2.commandLimit = 255
        case .olderDraft: version2.fault = .speaksOlderDraft
        case .noMethod: version2.fault = .noMethod
        case .twoMethods: version2.fault = .twoMethods
        case .methodNotOffered: version2.fault = .unofferedMethod
        case .ends: version2.fault = .endsHandover
        case .malformed: version2.fault = .sends([0x80])
        // These faults change messages of the session, not the behaviour over NFC. `WalletCard`,
        // `WalletSession` and `edit(_:)` apply them.
        case .endsRequest, .copiesDiffer, .noNumbers, .wrongNumbers: break
        }
    }

    /// Returns a SessionData message of the phone with the fault in its number.
    func edit(_ message: [UInt8]) -> [UInt8] {
        guard self == .noNumbers || self == .wrongNumbers,
            let read = try? SessionData(message[...], numbered: true)
        else { return message }
        // `noNumbers` leaves the number out, and `wrongNumbers` adds 7 to it.
        return SessionData.encode(
            data: read.data.map { Array($0) }, status: read.status,
            sequence: read.sequence.flatMap { self == .noNumbers ? nil : $0 + 7 })
    }
}
