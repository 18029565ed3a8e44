internal import ErrorMapping
internal import OpenSSLCrypto

/// The keys of one session of the secure channel.
struct OSDPSessionKeys: ~Copyable, Sendable {
    /// S-ENC, for data and cryptograms.
    var encryption: AES128
    /// S-MAC1, for all blocks of a message but the last.
    var firstMAC: AES128
    /// S-MAC2, for the last block of a message.
    var lastMAC: AES128
}

/// A challenge of the panel that this peripheral has answered, and that the panel has yet to confirm.
///
/// Each side encrypts both random values, in its own order, and so proves that it has the key.
struct OSDPChallenge: ~Copyable, Sendable {
    /// The number of random bytes of each side.
    static let randomSize = 8

    private var keys: OSDPSessionKeys
    private let expected: [UInt8]
    /// The proof that this peripheral has the key.
    let clientCryptogram: [UInt8]

    init(
        keys: consuming OSDPSessionKeys, panelRandom: ArraySlice<UInt8>, ownRandom: [UInt8]
    ) throws(OpenSSLCryptoError) {
        // Nothing is stored before the last error, because a noncopyable value cannot be initialized by halves.
        let own = try keys.encryption.encryptBlock(panelRandom + ownRandom)
        let panels = try keys.encryption.encryptBlock(ownRandom[...] + panelRandom)
        clientCryptogram = own
        expected = panels
        self.keys = keys
    }

    /// Whether the panel's cryptogram proves that the panel has the key.
    func isConfirmed(by serverCryptogram: ArraySlice<UInt8>) -> Bool {
        constantTimeEquals(serverCryptogram, expected[...])
    }

    /// Returns the channel. Call `isConfirmed` before.
    consuming func confirmed() throws(OpenSSLCryptoError) -> OSDPSecureChannel {
        let inner = try keys.firstMAC.encryptBlock(expected[...])
        let initialMAC = try keys.lastMAC.encryptBlock(inner[...])
        return OSDPSecureChannel(keys: keys, initialMAC: initialMAC)
    }
}

/// The secure channel after the handshake: encryption and MACs of commands and replies.
///
/// The MAC of each message is computed from the MAC of the message before it, in the other direction. A command with a
/// valid MAC therefore proves that the panel has received the reply before it. The first error ends the channel: its
/// owner drops the value.
struct OSDPSecureChannel: ~Copyable, Sendable {
    private var keys: OSDPSessionKeys
    /// The whole MAC of the last command. Empty before the first.
    private var commandMAC: [UInt8] = []
    /// The whole MAC of the last reply.
    private(set) var replyMAC: [UInt8]

    init(keys: consuming OSDPSessionKeys, initialMAC: [UInt8]) {
        self.keys = keys
        replyMAC = initialMAC
    }

    /// Verifies a command and returns its data in the clear.
    mutating func open(_ frame: OSDPFrame) throws(OSDPChannelFault) -> [UInt8] {
        let mac = try mapping(authenticate(frame.authenticated, after: replyMAC), Self.fault)
        guard constantTimeEquals(mac.prefix(OSDPFrame.macSize), frame.mac) else { throw .macWrong }
        commandMAC = mac
        // Some panels announce encryption for commands without data.
        guard frame.block?.kind == .encryptedCommand, !frame.data.isEmpty else { return [UInt8](frame.data) }
        guard frame.data.count.isMultiple(of: AES128.blockSize) else { throw .paddingWrong }
        let padded = try mapping(
            keys.encryption.decryptCBC(frame.data, initialVector: Self.inverted(replyMAC)), Self.fault)
        guard let end = padded.lastIndex(where: { $0 != 0 }), padded[end] == 0x80 else {
            throw .paddingWrong
        }
        return [UInt8](padded[..<end])
    }

    /// Encrypts a reply and returns the whole message. A command must have been opened before.
    ///
    /// - Parameter sequence: the sequence number of the command.
    mutating func seal(
        _ reply: OSDPReply, address: UInt8, sequence: UInt8
    ) throws(OpenSSLCryptoError) -> [UInt8] {
        var data = reply.data
        if !data.isEmpty {
            // Encrypted data always has an end mark, so that a full last block is unambiguous.
            data = try keys.encryption.encryptCBC(
                Self.padded(data[...]), initialVector: Self.inverted(commandMAC))
        }
        let message = OSDPFrame.head(
            address: address, isReply: true, sequence: sequence,
            block: OSDPSecurityBlock(data.isEmpty ? .authenticatedReply : .encryptedReply),
            code: reply.code, data: data)
        replyMAC = try authenticate(message[...], after: commandMAC)
        return OSDPFrame.closed(message + replyMAC.prefix(OSDPFrame.macSize))
    }

    /// Returns the MAC of a message: CBC with one key, and with another key for the last block.
    ///
    /// - Parameter previous: the MAC of the message before it.
    private mutating func authenticate(
        _ message: ArraySlice<UInt8>, after previous: [UInt8]
    ) throws(OpenSSLCryptoError) -> [UInt8] {
        let isWhole = message.count.isMultiple(of: AES128.blockSize)
        let blocks = isWhole ? message : Self.padded(message)
        let first = try keys.firstMAC.encryptCBC(
            blocks.dropLast(AES128.blockSize), initialVector: previous[...])
        return try keys.lastMAC.encryptCBC(
            blocks.suffix(AES128.blockSize), initialVector: (previous + first).suffix(AES128.blockSize))
    }

    /// Adds 80 and zeros up to whole blocks.
    private static func padded(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let zeros = AES128.blockSize - 1 - bytes.count % AES128.blockSize
        return bytes + [0x80] + [UInt8](repeating: 0, count: zeros)
    }

    private static func inverted(_ bytes: [UInt8]) -> ArraySlice<UInt8> { bytes.map { ~$0 }[...] }

    private static func fault(_ cause: OpenSSLCryptoError) -> OSDPChannelFault { .cryptographyFailed }
}

/// The reason why a command cannot be read from the secure channel.
enum OSDPChannelFault: Error, Equatable, Sendable {
    case macWrong
    /// The decrypted data has no end mark, or the encrypted data does not consist of whole blocks.
    case paddingWrong
    case cryptographyFailed
}
