internal import OpenSSLCrypto

/// The handshake and the secure channel of a peripheral.
///
/// | phase | next |
/// |---|---|
/// | `clear` | a challenge leads to `challenged` |
/// | `challenged` | the panel's cryptogram leads to `open`; some panels poll in the clear before it |
/// | `open` | a wrong MAC, a command in the clear or a new challenge ends the channel |
///
/// Handshakes that end without a channel are counted, because a panel with another key does not report it: it only
/// goes away after the peripheral's answer.
struct OSDPSecurity: ~Copyable, Sendable {
    /// The result of a command's check.
    enum Opened: Equatable, Sendable {
        /// A command in the clear, while no channel is open.
        case clear(data: [UInt8])
        /// A command whose MAC is valid.
        case secure(data: [UInt8])
        /// A step of the handshake, with its reply.
        case handshake(OSDPReply)
        /// The command is refused, and no channel is open afterwards.
        case refused(OSDPRefusal)
    }

    private enum Phase: ~Copyable {
        case clear
        case challenged(OSDPChallenge)
        case open(OSDPSecureChannel)
    }

    private var key: OSDPKey?
    private var phase = Phase.clear
    /// Whether the peripheral has a key. Without a key it says everything in the clear.
    let hasKey: Bool
    /// Whether the key is the default key.
    let usesDefaultKey: Bool
    /// The number of handshakes since the last channel that did not lead to a channel.
    private(set) var failedHandshakes = 0
    private let identity: OSDPIdentity

    init(key: consuming OSDPKey?, identity: OSDPIdentity) {
        switch consume key {
        case .some(let key):
            hasKey = true
            usesDefaultKey = key.isDefault
            self.key = consume key
        case .none:
            hasKey = false
            usesDefaultKey = false
            self.key = nil
        }
        self.identity = identity
    }

    var isOpen: Bool {
        switch phase {
        case .open: true
        case .challenged: false
        case .clear: false
        }
    }

    /// Whether cards may be sent now: inside a channel with a secret key, or always if there is no key.
    var allowsCards: Bool { hasKey ? isOpen && !usesDefaultKey : true }

    /// Ends the channel or the handshake.
    mutating func close() {
        var ended = Phase.clear
        swap(&ended, &phase)
        if case .challenged = ended { failedHandshakes += 1 }
    }

    /// Checks a command.
    ///
    /// - Parameter makeRandom: returns eight random bytes for the handshake.
    mutating func open(
        _ frame: OSDPFrame, makeRandom: () -> [UInt8]?
    ) throws(OpenSSLCryptoError) -> Opened {
        switch frame.block?.kind {
        case nil:
            guard !isOpen else { return refuse(.encryptionRequired) }
            return .clear(data: [UInt8](frame.data))
        case .challenge: return try challenge(frame, makeRandom)
        case .serverCryptogram: return try confirm(frame)
        case .authenticatedCommand, .encryptedCommand: return openSecure(frame)
        case .clientCryptogram, .initialMAC, .authenticatedReply, .encryptedReply:
            return refuse(.securityBlockUnsupported)
        }
    }

    /// Returns the whole message of a reply, encrypted if the channel is open.
    mutating func seal(
        _ reply: OSDPReply, address: UInt8, sequence: UInt8
    ) throws(OpenSSLCryptoError) -> [UInt8] {
        // The reply that opens the channel is itself in the clear.
        guard reply.block == nil else { return reply.framed(address: address, sequence: sequence) }
        switch takePhase() {
        case .open(var channel):
            let message = try channel.seal(reply, address: address, sequence: sequence)
            phase = .open(channel)
            return message
        case .challenged(let challenge): phase = .challenged(challenge)
        case .clear: break
        }
        return reply.framed(address: address, sequence: sequence)
    }

    private mutating func refuse(_ reason: OSDPRefusal) -> Opened {
        close()
        return .refused(reason)
    }

    /// Returns the phase and leaves `clear` in its place, so that an error ends the channel.
    private mutating func takePhase() -> Phase {
        var taken = Phase.clear
        swap(&taken, &phase)
        return taken
    }

    private mutating func challenge(
        _ frame: OSDPFrame, _ makeRandom: () -> [UInt8]?
    ) throws(OpenSSLCryptoError) -> Opened {
        close()
        guard frame.code == OSDPCommand.Code.challenge.rawValue, frame.data.count == OSDPChallenge.randomSize
        else { return .refused(.lengthWrong) }
        guard hasKey else { return .refused(.securityBlockUnsupported) }
        guard asksForOwnKey(frame) else {
            // A panel that asks for the default key has not been given this peripheral's key.
            failedHandshakes += 1
            return .refused(.securityBlockUnsupported)
        }
        guard let random = makeRandom(), random.count == OSDPChallenge.randomSize,
            let keys = try key?.sessionKeys(panelRandom: frame.data)
        else { throw .openSSLFailed }
        let challenge = try OSDPChallenge(keys: keys, panelRandom: frame.data, ownRandom: random)
        let reply = OSDPReply.clientCryptogram(
            challenge.clientCryptogram, ownRandom: random, identity: identity,
            usesDefaultKey: usesDefaultKey)
        phase = .challenged(challenge)
        return .handshake(reply)
    }

    private mutating func confirm(_ frame: OSDPFrame) throws(OpenSSLCryptoError) -> Opened {
        guard case .challenged(let challenge) = takePhase() else {
            return .refused(.encryptionRequired)
        }
        guard frame.code == OSDPCommand.Code.serverCryptogram.rawValue, asksForOwnKey(frame),
            challenge.isConfirmed(by: frame.data)
        else {
            failedHandshakes += 1
            return .refused(.encryptionRequired)
        }
        let channel = try challenge.confirmed()
        let reply = OSDPReply.initialMAC(channel.replyMAC)
        phase = .open(channel)
        failedHandshakes = 0
        return .handshake(reply)
    }

    private mutating func openSecure(_ frame: OSDPFrame) -> Opened {
        guard case .open(var channel) = takePhase(), let data = try? channel.open(frame) else {
            return .refused(.encryptionRequired)
        }
        phase = .open(channel)
        return .secure(data: data)
    }

    /// Whether the security block names the kind of key that this peripheral has: 0 is the default key.
    private func asksForOwnKey(_ frame: OSDPFrame) -> Bool {
        frame.block?.data == [usesDefaultKey ? 0 : 1]
    }
}
