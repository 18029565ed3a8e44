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
