/// The phases of NFC engagement and NFC data transfer; each has its own deadline.
package enum NFCPhase: String, Sendable, CaseIterable {
    /// SELECT of the NDEF Tag application.
    case selectApplication
    /// SELECT of the capability container file.
    case selectCapabilities
    /// READ BINARY of the capability container.
    case readCapabilities
    /// SELECT of the NDEF file.
    case selectFile
    /// Waiting for and reading the first NDEF message.
    case initialMessage
    /// Writing the service select message.
    case serviceSelect
    /// Waiting for and reading the status of the service select.
    case serviceStatus
    /// Writing the Handover Request.
    case handoverRequest
    /// Waiting for and reading the Handover Select.
    case handoverSelect
    /// SELECT of the mdoc data transfer application.
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
