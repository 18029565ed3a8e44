internal import ISO7816
internal import MdocModel
internal import MdocSession

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
