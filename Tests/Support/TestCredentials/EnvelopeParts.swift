package import WalletPresentation

/// An envelope taken apart, to be put together otherwise.
package struct EnvelopeParts {
    package var algorithm = Encoded.text("APPLE-HPKE-v1")
    package var mode: UInt64 = 0
    package var encapsulatedKey: [UInt8]
    package var recipientKeyHash: [UInt8]
    package var infoHash: [UInt8]
    package var ciphertext: [UInt8]
    package var moreMembers: [(String, [UInt8])] = []
    /// Of what `encoded` would be, how many bytes are left.
    package var cut: Int?

    package init(_ envelope: WalletEnvelope) {
        encapsulatedKey = Array(envelope.encapsulatedKey)
        recipientKeyHash = Array(envelope.recipientKeyHash)
        infoHash = Array(envelope.infoHash)
        ciphertext = Array(envelope.ciphertext)
    }

    package var encoded: [UInt8] {
        let parameters = Encoded.map([
            ("mode", Encoded.unsigned(mode)), ("pkEm", Encoded.bytes(encapsulatedKey)),
            ("pkRHash", Encoded.bytes(recipientKeyHash)), ("infoHash", Encoded.bytes(infoHash)),
        ])
        let bytes = Encoded.map(
            [("algorithm", algorithm), ("params", parameters), ("data", Encoded.bytes(ciphertext))]
                + moreMembers)
        return cut.map { Array(bytes.prefix($0)) } ?? bytes
    }
}
