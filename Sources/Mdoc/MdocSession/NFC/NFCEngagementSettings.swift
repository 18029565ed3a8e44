/// Budgets, deadlines and choices of the NFC engagement.
package struct NFCEngagementSettings: Equatable, Sendable {
    /// The longest time in one phase.
    package var phaseDeadline: Duration = .seconds(5)
    /// The longest time for the whole engagement, well under the 15 s an iOS wallet gets (Q5).
    package var engagementDeadline: Duration = .seconds(12)
    /// How often NLEN may be 0 in one phase (Q13).
    package var maximumPolls = 100
    /// The pause between polls before the phone has said its waiting time.
    package var initialPollInterval: Duration = .milliseconds(10)
    /// The largest number of commands.
    package var stepBudget = 4096
    /// The longest NDEF message accepted, in bytes; its last byte then has an offset below 7fff (Q24).
    package var maximumMessageSize = 0x7ffd
    /// Whether the NDEF file may be read with extended APDUs; some phones fail on them (Q20).
    package var readsExtended = false
    /// Whether NLEN and message go in one UPDATE BINARY when they fit; off for a phone known to refuse (Q23).
    package var mergesWrites = true
    /// Whether a carrier that we did not offer may be chosen (Q38).
    package var acceptsUnofferedCarriers = false
    /// The ReaderEngagement of the Handover Request: the CBOR map `{0: "1.0"}`.
    package var readerEngagement: [UInt8] = [0xa1, 0x00, 0x63, 0x31, 0x2e, 0x30]

    package init() {}
}
