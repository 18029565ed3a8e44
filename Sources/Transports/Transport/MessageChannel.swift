/// A reliable and ordered connection to one peer, over which whole messages are sent and received. A channel
/// does not interpret the content of the messages.
package protocol MessageChannel: Sendable {
    /// Sends one message. Returns when the operating system has accepted all of it; the peer may not have
    /// received it yet.
    ///
    /// A send that fails or is cancelled after a part of the message was sent closes the channel.
    func send(_ message: ArraySlice<UInt8>) async throws(TransportError)

    /// Waits for the next whole message. One task at a time may wait. Messages that the peer sent before it
    /// closed are delivered.
    func receive() async throws(TransportError) -> [UInt8]

    /// Closes both directions. A pending `receive` or `send` ends with `closed(by: .own)`. Closing twice is
    /// allowed.
    func close() async
}

extension MessageChannel {
    package func send(_ message: [UInt8]) async throws(TransportError) {
        try await send(message[...])
    }
}
