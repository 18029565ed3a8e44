/// Budgets, deadlines and choices of the NFC engagement.
package struct NFCEngagementSettings: Equatable, Sendable {
    package var phaseDeadline: Duration = .seconds(5)
    /// The longest time for the whole engagement. It is below 15 s, the time for which an iOS wallet may
    /// emulate a card before it must pause (Q5).
    package var engagementDeadline: Duration = .seconds(12)
    /// The number of polls for one message after which the engagement fails. A poll is a read in which NLEN
    /// is 0, or a TNEP status in place of the Handover Select (Q13, Q41).
    package var maximumPolls = 100
    /// The pause between polls while the phone's waiting time is not known.
    package var initialPollInterval: Duration = .milliseconds(10)
    /// The maximum number of commands in the whole engagement.
    package var stepBudget = 4096
    /// The longest accepted NDEF message, in bytes. The limit keeps the offset of the last byte below 0x7fff
    /// (Q24).
    package var maximumMessageSize = 0x7ffd
    /// Whether the NDEF file may be read with extended APDUs, on which some phones fail (Q20).
    package var readsExtended = false
    /// Whether NLEN and message are written in one UPDATE BINARY if they fit. False for a phone that refused
    /// such a write before (Q23).
    package var mergesWrites = true
    /// Whether the phone may choose a carrier that the reader did not offer (Q38).
    package var acceptsUnofferedCarriers = false
    /// The ReaderEngagement of the Handover Request: the CBOR map `{0: "1.0"}`.
    package var readerEngagement: [UInt8] = [0xa1, 0x00, 0x63, 0x31, 0x2e, 0x30]

    package init() {}
}

/// Deadlines of an NFC v2 engagement. The draft of the second edition sets no deadlines.
package struct NFCVersion2Settings: Equatable, Sendable {
    /// The longest time for the response to SELECT, which the phone sends before it starts the wallet.
    package var selectDeadline: Duration = .seconds(2)
    /// The longest time for the response to the handover request. In this time the wallet prepares the method
    /// that it chose.
    package var handoverDeadline: Duration = .seconds(10)
    /// The longest accepted handover, in bytes: the limit of an NDEF message. A usual engagement has a few
    /// hundred bytes.
    package var maximumHandover = 0x7ffd

    package init() {}
}

/// Budgets and deadlines of the NFC data transfer.
package struct NFCTransferSettings: Equatable, Sendable {
    /// The longest APDU in bytes, with header and length fields. Some readers fail on longer APDUs (Q137).
    package var maximumAPDU = 4096
    /// The longest message in either direction, in bytes (Q194).
    package var maximumMessageSize = 1 << 20
    /// The maximum number of commands for one message and its response.
    package var stepBudget = 16_384
    /// The longest time for one command, except for the command during which the person decides (Q53).
    package var progressDeadline: Duration = .seconds(10)
    /// The longest time for a message in either direction, in addition to the time that its bytes need at the
    /// slowest rate. This limit stops a peer that sends single bytes slowly (Q194).
    package var transferDeadline: Duration = .seconds(60)
    /// The slowest accepted rate of a message, in bytes per second. NFC is more than ten times as fast (Q53).
    package var slowestRate = 512
    /// The longest time for the last ENVELOPE, during which the person decides (Q54).
    package var consentDeadline: Duration = .seconds(300)

    package init() {}
}
