/// A phase of NFC engagement or NFC data transfer. Each phase except `idle` has its own deadline.
package enum NFCPhase: String, Sendable, CaseIterable {
    case selectApplication
    case selectCapabilities
    case readCapabilities
    case selectFile
    /// The reader waits for the first NDEF message, and reads it.
    case initialMessage
    case serviceSelect
    case serviceStatus
    case handoverRequest
    case handoverSelect
    /// The reader selects the NFC v2 application.
    case selectVersion2
    /// The handover of NFC v2, in one ENVELOPE.
    case handoverVersion2
    case selectDataTransfer
    /// The data transfer application is selected, and no message is exchanged.
    case idle
    /// The reader sends the ENVELOPE commands of a message except the last.
    case sendMessage
    /// The last ENVELOPE was sent, and the person may be deciding.
    case awaitResponse
    /// The reader sends GET RESPONSE commands until the message is complete.
    case receiveMessage
}

extension NFCPhase {
    /// The phase as the end of a sentence for people, such as "while the request was sent".
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
