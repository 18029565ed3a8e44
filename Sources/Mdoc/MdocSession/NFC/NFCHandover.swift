/// What an NFC engagement yields.
package struct NFCHandover: Equatable, Sendable {
    /// The complete Handover Select message as read, for the session transcript.
    package let handoverSelect: [UInt8]
    /// The complete Handover Request message as written, or nil after static handover.
    package let handoverRequest: [UInt8]?
    /// The DeviceEngagement, a slice of `handoverSelect`.
    package let deviceEngagement: ArraySlice<UInt8>
    /// The usable carriers in the phone's order, and those that could not be read; at least one is usable.
    package let carriers: [NFCHandoverCarrier]
    /// Whether the phone refused NLEN and message in one write; worth remembering for it (Q23).
    package let mergedWriteRefused: Bool
}
