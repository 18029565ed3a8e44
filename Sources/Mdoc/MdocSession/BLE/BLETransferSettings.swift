/// Budgets and deadlines of a transfer over Bluetooth Low Energy.
package struct BLETransferSettings: Equatable, Sendable {
    /// The longest message in either direction, in bytes (Q194).
    package var maximumMessageSize = 1 << 20
    /// The longest time, as reader, from the request to the answer's first fragment, in which the person decides (Q88).
    package var consentDeadline: Duration = .seconds(300)
    /// The longest time, as holder, until the reader's message begins.
    package var requestDeadline: Duration = .seconds(30)
    /// The longest time between two fragments (Q62, Q88), and for sending beside what the slowest rate allows.
    package var progressDeadline: Duration = .seconds(10)
    /// The longest time for an incoming message, in addition to what its bytes may take at the slowest rate. So a
    /// peer that sends single bytes slowly is stopped too (Q194).
    package var transferDeadline: Duration = .seconds(60)
    /// The slowest rate, in bytes a second: one fragment of the smallest MTU in each interval of 75 ms.
    package var slowestRate = 256
    /// How long the link stays up after our last word, for the radio to send it (Q76).
    package var termination: Duration = .seconds(1)

    package init() {}
}
