package import NDEF

/// What an NFC engagement yields on the phone's side.
package struct NFCHolderHandover: Equatable, Sendable {
    package let handoverSelect: [UInt8]
    /// The Handover Request as written, or nil after static handover.
    package let handoverRequest: [UInt8]?
    /// The carriers named in the Handover Select.
    package let carriers: [HandoverCarrier]
}
