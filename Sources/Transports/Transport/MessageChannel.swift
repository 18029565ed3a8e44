/// A reliable, ordered way to and from one peer that moves whole messages and knows nothing of what is in them.
package protocol MessageChannel: Sendable {
    /// Hands one message to the peer; returns when the operating system, not the peer, has all of it.
    ///
    /// A send that fails or is cancelled when part of the message is out closes the channel.
    func send(_ message: ArraySlice<UInt8>) async throws(TransportError)

    /// The next whole message. One task at a time may wait. Messages the peer sent before it closed are delivered.
    func receive() async throws(TransportError) -> [UInt8]

    /// Closes both directions; a pending `receive` or `send` ends with `closed(by: .own)`. Closing twice is allowed.
    func close() async
}

extension MessageChannel {
    package func send(_ message: [UInt8]) async throws(TransportError) {
        try await send(message[...])
    }
}
