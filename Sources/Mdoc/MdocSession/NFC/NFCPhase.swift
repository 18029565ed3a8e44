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
