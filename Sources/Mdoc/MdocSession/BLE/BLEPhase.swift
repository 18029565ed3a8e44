/// The phases of a transfer over Bluetooth Low Energy, once its link is up and started; each has its own deadline.
package enum BLEPhase: String, Sendable, CaseIterable {
    /// No message is expected from either side.
    case idle
    /// Our message is on its way.
    case sendMessage
    /// As holder: the reader's message is expected.
    case awaitRequest
    /// As reader: the request is out; the person may be deciding.
    case awaitResponse
    /// The peer's message has begun.
    case receiveMessage
}
