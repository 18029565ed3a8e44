internal import OpenSSLCrypto

/// An OSDP peripheral (IEC 60839-11-5): a reader at the line of a door controller, the panel. It reports a fixed
/// card for each output that is due. The panel decides what the card opens.
///
/// The machine is a value that does no I/O and reads no clock. Its driver passes in the bytes of the line, the
/// outputs that are due, the daemon's answers to claims, and the time; and does each `Action` in order. The machine
/// never sees anything about a person: the card is the same for everybody.
///
/// The panel speaks, and the machine answers each command with one message:
///
/// - A message with a wrong CRC, a checksum or another address is not answered. Neither is the address 127, which
///   all peripherals of a line would answer at once.
/// - The sequence number 0 starts again, without secure channel. A repeated number is answered with the same bytes.
///   Any other number out of order is refused with the sequence number 0, which asks the panel to start again.
/// - With a key, the machine answers in the clear only to the handshake, and before it to ID, CAP and POLL, without
///   an event. Inside the channel, a wrong MAC or a command in the clear ends the channel.
/// - The default key is refused. With `OSDPKey.installing()` the channel opens with it, but no card is sent.
/// - COMSET and KEYSET are refused, so that address, speed and key change in the configuration only.
///
/// The card of an output is sent at most once, as the reply to a POLL:
///
/// 1. `due` accepts the output. It waits for a panel in the secure channel, for at most `valid`.
/// 2. `claim`: the driver asks the daemon to mark the output as given, and calls `claimed` with the answer. The
///    driver must answer each claim, because the next output waits for it.
/// 3. The next POLL is answered with the card.
/// 4. The panel's next command shows that it has received the card: `delivered`. If the channel or the time ends
///    before, the end is `unknown`.
///
/// A panel that is silent for 8 s is absent: the channel ends, and waiting outputs are refused. A panel with another
/// key goes away after the peripheral's answer, so two handshakes without a channel make the state `misconfigured`,
/// until a channel opens. A panel that stays in the clear for 8 s has the same effect.
package struct OSDPPeripheral: ~Copyable, Sendable {
    /// An action that the driver has to do.
    package enum Action: Equatable, Sendable {
        /// Send this message within 200 ms. The panel repeats its command after that time.
        case transmit([UInt8])
        /// Ask the daemon to mark the output as given, and call `claimed` with the answer.
        case claim(DueOutput)
        /// The panel has received the card: the output's end is `done`.
        case delivered(DueOutput)
        /// The panel may or may not have received the card, or a claimed card was not sent: the end is `unknown`.
        case unknown(DueOutput)
        /// The output was not claimed, and no card was sent: the end is `refused`.
        case refused(DueOutput)
        /// The status has changed.
        case report(OSDPStatus)
        /// The panel has set the reader's light.
        case light(OSDPLight)
    }

    private let address: UInt8
    private let card: [UInt8]
    private let valid: Duration
    private let isTrial: Bool
    private let identity: OSDPIdentity
    private let makeRandom: @Sendable () -> [UInt8]?

    private var stream = OSDPFrameStream()
    private var sequence = OSDPSequence()
    private var security: OSDPSecurity
    private var presence = OSDPPresence()
    private var outputs = OSDPOutputs()
    private var reported = OSDPStatus(isOnline: false, isSecure: false, state: .notAnswering)

    /// Creates a peripheral whose panel is absent.
    ///
    /// - Parameters:
    ///   - output: the address and the card. The device, the speed and the key file are the driver's.
    ///   - valid: the time after `due` in which the card may be sent.
    ///   - isTrial: whether the card is also sent for test documents.
    ///   - key: the key of the secure channel; `nil` to say everything in the clear.
    ///   - makeRandom: returns eight random bytes for each handshake, or `nil` if there are none; tests pass their own.
    /// - Throws: `addressOutOfRange` or `cardOutOfRange`.
    package init(
        _ output: OSDPOutput, valid: Duration, isTrial: Bool, key: consuming OSDPKey?,
        makeRandom: (@Sendable () -> [UInt8]?)? = nil
    ) throws(OSDPFault) {
        guard (0...126).contains(output.address) else { throw .addressOutOfRange }
        guard let card = output.card.rawData else { throw .cardOutOfRange }
        address = UInt8(output.address)
        self.card = card
        self.valid = valid
        self.isTrial = isTrial
        // Two readers at one line have different addresses.
        identity = OSDPIdentity(serialNumber: UInt32(output.address))
        self.makeRandom = makeRandom ?? { try? randomBytes(OSDPChallenge.randomSize) }
        security = OSDPSecurity(key: key, identity: identity)
    }

    /// The present status.
    package var status: OSDPStatus {
        let state: AccessoryState
        if canSendCards {
            state = isTrial ? .trial : .ready
        } else if security.usesDefaultKey || security.failedHandshakes >= 2 || presence.staysInClear {
            state = .misconfigured
        } else {
            state = .notAnswering
        }
        return OSDPStatus(isOnline: presence.isOnline, isSecure: security.isOpen, state: state)
    }

    /// The time at which the driver has to call `expire`, or `nil` if nothing expires.
    package var deadline: ContinuousClock.Instant? {
        [presence.deadline, outputs.deadline].compactMap { $0 }.min()
    }

    /// Receives bytes of the line, in pieces of any size.
    package mutating func receive(
        _ bytes: ArraySlice<UInt8>, at now: ContinuousClock.Instant
    ) -> [Action] {
        var actions = expireAll(at: now)
        stream.append(bytes)
        var command: OSDPFrame?
        while let frame = stream.next() {
            guard frame.address == address, !frame.isReply else { continue }
            // Only the last command is answered. The panel has given up waiting for replies to the commands before it,
            // and late replies would disturb the line.
            command = frame
        }
        if let command { actions += answer(command, at: now) }
        return actions + advance(at: now)
    }

    /// Accepts an output that is due. The output is refused at once if its card could not be sent.
    package mutating func due(_ output: DueOutput, at now: ContinuousClock.Instant) -> [Action] {
        var actions = expireAll(at: now)
        if !outputs.contains(output.number) {
            // The daemon has the same rule. It is repeated here, because an error would open a door.
            let isAllowed = output.outcome == .allow && (isTrial || !output.isTest)
            let isAccepted =
                isAllowed && presence.isOnline && !security.usesDefaultKey
                && outputs.add(output, until: now + valid)
            if !isAccepted { actions.append(.refused(output)) }
        }
        return actions + advance(at: now)
    }

    /// Receives the daemon's answer to the claim of the output with this number.
    ///
    /// - Parameter isGranted: whether the daemon has marked the output as given. `false` too if the daemon did not
    ///   answer.
    package mutating func claimed(
        _ isGranted: Bool, for number: Int64, at now: ContinuousClock.Instant
    ) -> [Action] {
        var actions = expireAll(at: now)
        actions += outputs.resolveClaim(of: number, isGranted: isGranted, canSend: canSendCards, at: now)
        return actions + advance(at: now)
    }

    /// Ends what has passed its time at `now`.
    package mutating func expire(at now: ContinuousClock.Instant) -> [Action] {
        expireAll(at: now) + advance(at: now)
    }

    private var canSendCards: Bool { presence.isOnline && security.allowsCards }

    private mutating func expireAll(at now: ContinuousClock.Instant) -> [Action] {
        var actions: [Action] = []
        if presence.expire(at: now) {
            actions += startOver() + outputs.losePanel()
        }
        let expired = outputs.expire(at: now)
        actions += expired.actions
        // The reply with the card must not be repeated after its time, so the reply and its channel end with it.
        if expired.wasTransmitted { actions += startOver() }
        return actions
    }

    /// Claims the next output if its card could be sent, and reports a changed status.
    private mutating func advance(at now: ContinuousClock.Instant) -> [Action] {
        var actions: [Action] = []
        if canSendCards, let output = outputs.claimNext(at: now) { actions.append(.claim(output)) }
        let status = status
        if status != reported {
            reported = status
            actions.append(.report(status))
        }
        return actions
    }

    /// Ends the channel and forgets the last reply.
    private mutating func startOver() -> [Action] {
        security.close()
        sequence.forget()
        return outputs.loseChannel()
    }
}

extension OSDPPeripheral {
    /// Answers a command to this peripheral.
    private mutating func answer(_ frame: OSDPFrame, at now: ContinuousClock.Instant) -> [Action] {
        var actions: [Action] = []
        switch sequence.turn(of: frame) {
        case .next: break
        case .restart: actions = startOver()
        case .repeated(let reply, let isSame):
            if isSame { presence.hear(at: now) }
            return [.transmit(reply)]
        case .unexpected:
            // A panel that goes on from an earlier run of this program starts again at once when it reads the sequence
            // number 0. After another refusal, libosdp stays away for 300 s.
            let refusal = OSDPReply.refusal(.sequenceUnexpected).framed(address: address, sequence: 0)
            return [.transmit(refusal)] + startOver()
        }
        return execute(frame, at: now) + actions
    }

    /// Checks and executes a command. If OpenSSL fails, the panel hears nothing, and the channel ends.
    private mutating func execute(_ frame: OSDPFrame, at now: ContinuousClock.Instant) -> [Action] {
        guard let opened = try? security.open(frame, makeRandom: makeRandom) else { return startOver() }
        var actions: [Action] = []
        let reply: OSDPReply
        switch opened {
        case .refused(let reason):
            reply = .refusal(reason)
            actions = outputs.loseChannel()
        case .handshake(let step):
            reply = step
            actions = outputs.loseChannel()
            presence.hear(at: now)
            if security.isOpen { presence.recordChannel() }
        case .clear(let data) where security.hasKey:
            presence.hearInClear(at: now)
            reply = replyInClear(code: frame.code, data: data)
        case .clear(let data), .secure(let data):
            presence.hear(at: now)
            actions = outputs.acknowledge()
            let (executed, light) = execute(code: frame.code, data: data)
            reply = executed
            if let light { actions.append(.light(light)) }
        }
        guard let message = try? security.seal(reply, address: address, sequence: frame.sequence) else {
            return actions + startOver()
        }
        sequence.record(message, to: frame)
        return [.transmit(message)] + actions
    }

    /// Returns the reply to a command before the handshake. It says nothing that is not printed on a reader.
    private func replyInClear(code: UInt8, data: [UInt8]) -> OSDPReply {
        switch Result(catching: { () throws(OSDPRefusal) in try OSDPCommand(code: code, data: data[...]) }) {
        // A panel that waits for an acknowledgement of its poll before the handshake would never begin it otherwise.
        case .success(.poll): .acknowledgement
        case .success(.identify): .identification(identity)
        case .success(.capabilities): capabilities
        case .success(.handshakeWithoutBlock): .refusal(.securityBlockUnsupported)
        case .success: .refusal(.encryptionRequired)
        case .failure(let reason): .refusal(reason)
        }
    }

    /// Returns the reply to a command, and the light that it sets.
    private mutating func execute(code: UInt8, data: [UInt8]) -> (OSDPReply, OSDPLight?) {
        let command: OSDPCommand
        do throws(OSDPRefusal) {
            command = try OSDPCommand(code: code, data: data[...])
        } catch {
            return (.refusal(error), nil)
        }
        switch command {
        case .poll:
            let isCardDue = canSendCards && outputs.takeCard()
            return (isCardDue ? .card(card) : .acknowledgement, nil)
        case .identify: return (.identification(identity), nil)
        case .capabilities: return (capabilities, nil)
        case .localStatus: return (.localStatus, nil)
        case .inputStatus: return (.inputStatus, nil)
        case .outputStatus: return (.outputStatus, nil)
        case .readerStatus: return (.readerStatus, nil)
        case .light(let light): return (.acknowledgement, light)
        case .withoutEffect: return (.acknowledgement, nil)
        case .handshakeWithoutBlock: return (.refusal(.securityBlockUnsupported), nil)
        case .unsupported: return (.refusal(.commandUnknown), nil)
        }
    }

    private var capabilities: OSDPReply {
        .capabilities(hasKey: security.hasKey, usesDefaultKey: security.usesDefaultKey)
    }
}

/// The status of the line to the panel.
package struct OSDPStatus: Equatable, Sendable {
    /// Whether the panel was heard in the last 8 s.
    package let isOnline: Bool
    /// Whether the secure channel is open.
    package let isSecure: Bool
    /// `ready` or `trial` if a card could be sent now; `misconfigured` if the panel does not begin the handshake or
    /// does not get through it, or if the key is the default key; `notAnswering` otherwise.
    package let state: AccessoryState
}
