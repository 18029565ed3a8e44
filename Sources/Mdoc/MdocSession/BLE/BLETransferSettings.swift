/// Budgets and deadlines of a transfer over Bluetooth Low Energy.
package struct BLETransferSettings: Equatable, Sendable {
    /// The longest message in either direction, in bytes (Q194).
    package var maximumMessageSize = 1 << 20
    /// The longest time that a reader waits, from the request to the response's first fragment. The person
    /// decides in this time (Q88).
    package var consentDeadline: Duration = .seconds(300)
    /// The longest time that a holder waits until the reader's message begins.
    package var requestDeadline: Duration = .seconds(30)
    /// The longest time between two received fragments (Q62, Q88). Sending a message may take this time plus
    /// the time that its bytes need at the slowest rate.
    package var progressDeadline: Duration = .seconds(10)
    /// The longest time for an incoming message, in addition to the time that its bytes need at the slowest
    /// rate. This limit stops a peer that sends single bytes slowly (Q194).
    package var transferDeadline: Duration = .seconds(60)
    /// The slowest accepted rate, in bytes per second: one fragment of the smallest MTU in each interval of
    /// 75 ms.
    package var slowestRate = 256
    /// The time for which the link stays up after the termination message, so that the radio can send it
    /// (Q76).
    package var termination: Duration = .seconds(1)

    package init() {}
}
