/// The phases of NFC engagement and NFC data transfer; each has its own deadline.
package enum NFCPhase: String, Sendable, CaseIterable {
    case selectApplication
    case selectCapabilities
    case readCapabilities
    case selectFile
    /// Waiting for and reading the first NDEF message.
    case initialMessage
    case serviceSelect
    case serviceStatus
    case handoverRequest
    case handoverSelect
    /// SELECT of the NFC v2 application.
    case selectVersion2
    /// The handover of NFC v2, in one ENVELOPE.
    case handoverVersion2
    case selectDataTransfer
    /// Nothing under way on the selected data transfer application.
    case idle
    /// ENVELOPE commands before the last.
    case sendMessage
    /// The last ENVELOPE is sent; the person may be deciding.
    case awaitResponse
    /// GET RESPONSE until the message is complete.
    case receiveMessage
}

extension NFCPhase {
    /// When something happened, in the words of a text for people.
    var words: String {
        switch self {
        case .selectApplication: "while the wallet was selected"
        case .selectCapabilities: "while the capability container was selected"
        case .readCapabilities: "while the capability container was read"
        case .selectFile: "while the message file was selected"
        case .initialMessage: "while the first message was read"
        case .serviceSelect: "while the handover service was selected"
        case .serviceStatus: "while the handover service answered"
        case .handoverRequest: "while the handover request was sent"
        case .handoverSelect: "while the engagement was read"
        case .selectVersion2: "while NFC v2 was selected"
        case .handoverVersion2: "while the engagement of NFC v2 was read"
        case .selectDataTransfer: "while the data transfer was selected"
        case .idle: "between two messages"
        case .sendMessage: "while the request was sent"
        case .awaitResponse: "while the holder was asked"
        case .receiveMessage: "while the answer was received"
        }
    }
}
