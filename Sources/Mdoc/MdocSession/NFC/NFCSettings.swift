/// Budgets, deadlines and choices of the NFC engagement.
package struct NFCEngagementSettings: Equatable, Sendable {
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

/// Deadlines of an NFC v2 engagement (draft of the second edition, which names none).
package struct NFCVersion2Settings: Equatable, Sendable {
    /// For the answer to SELECT, which comes before the wallet runs.
    package var selectDeadline: Duration = .seconds(2)
    /// For the answer to the handover, in which the wallet prepares what it chose.
    package var handoverDeadline: Duration = .seconds(10)
    /// The longest handover accepted, in bytes, as of an NDEF message: an engagement has a few hundred.
    package var maximumHandover = 0x7ffd

    package init() {}
}

/// Budgets and deadlines of the NFC data transfer.
package struct NFCTransferSettings: Equatable, Sendable {
    /// The longest APDU in bytes, header and length fields included; some readers fail on long ones (Q137).
    package var maximumAPDU = 4096
    /// The longest message in either direction, in bytes (Q194).
    package var maximumMessageSize = 1 << 20
    /// The largest number of commands for one message sent and its answer.
    package var stepBudget = 16_384
    /// The longest time for one command, save the one in which the person decides (Q53).
    package var progressDeadline: Duration = .seconds(10)
    /// The longest time for a message in either direction, in addition to what its bytes may take at the slowest
    /// rate. So a peer that sends single bytes slowly is stopped too (Q194).
    package var transferDeadline: Duration = .seconds(60)
    /// The slowest rate, in bytes a second, at which a message may come; NFC carries more than ten times that (Q53).
    package var slowestRate = 512
    /// The longest time for the last ENVELOPE, in which the person decides (Q54).
    package var consentDeadline: Duration = .seconds(300)

    package init() {}
}
