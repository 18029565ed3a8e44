internal import MdocModel
package import MdocSession
package import Transport

/// The driver of a Bluetooth transfer: carries the values of a `BLETransfer` over a link, and waits for its
/// deadlines.
///
/// The reader uses the driver through `LinkCarrier`, the software wallet directly. The calls follow one
/// another: `send(_:)`, `receive(begun:)`, and so on, until `leave(sending:)` closes the link.
///
/// The machine interprets each value and each deadline. The driver ends each wait at its deadline: an alarm
/// task interrupts a pending `receive` of the link, and the machine decides whether its deadline has passed.
/// No packet is lost by the interruption. While a message is being sent, the alarm closes the link, because
/// nothing else ends the `send` of a link that accepts no more data.
///
/// The driver never decrypts or decodes a message, and never reconnects.
package actor LinkDriver {
    /// The reason why a transfer ended.
    package enum End: Error {
        case machine(BLEEndReason)
        case radioUnavailable(RadioFault)
        /// The task was cancelled.
        case stopped
    }

    private let link: any BluetoothLELink
    private let framing: BLEFraming
    /// The maximum time for sending the termination message.
    private let timeout: Duration
    private var machine: BLETransfer
    /// The instant at which `alarm` ends the pending wait; `nil` without an alarm.
    private var armed: ContinuousClock.Instant?
    private var alarm: Task<Void, any Error>?
    private var isSending = false

    /// Creates the driver of a link that is established and started.
    ///
    /// - Parameter role: the role of this program: reader or holder.
    package init(
        _ link: any BluetoothLELink, as role: BLETransfer.Role, settings: BLETransferSettings
    ) async {
        self.link = link
        framing =
            link.kind == .l2cap ? .l2CAP : .characteristics(valueLimit: await link.packetLimit)
        timeout = settings.termination
        machine = BLETransfer(as: role, over: framing, settings: settings, now: .now)
    }

    /// Sends a message. Returns when the link has accepted all of it.
    package func send(_ message: [UInt8]) async throws(End) {
        switch machine.send(message[...], now: .now) {
        case .transmit(let transmission): try await transmit(transmission, by: machine.deadline)
        case .end(let reason): throw .machine(reason)
        // The machine returns no other action for a message.
        default: throw .machine(.failed(.idle, .outOfTurn))
        }
    }

    /// Sends the pieces of a message. A link that does not accept them by the deadline is closed.
    private func transmit(
        _ transmission: BLETransmission, by deadline: ContinuousClock.Instant?
    ) async throws(End) {
        isSending = true
        arm(deadline)
        defer {
            isSending = false
            disarm()
        }
        switch transmission {
        case .values(let fragments):
            for (prefix, part) in fragments { try await send(.byte(prefix.rawValue), part) }
        case .frame(let frame):
            // The first packet begins with four bytes of length and has at least one byte of the message.
            let limit = max(await link.packetLimit, 5)
            var rest = frame.message
            try await send(.length(UInt32(rest.count)), rest.prefix(limit - 4))
            rest = rest.dropFirst(limit - 4)
            while !rest.isEmpty {
                try await send(.none, rest.prefix(limit))
                rest = rest.dropFirst(limit)
            }
        }
    }

    /// Sends one packet.
    private func send(_ head: PacketHead, _ part: ArraySlice<UInt8>) async throws(End) {
        do throws(BluetoothLEError) {
            try await link.send(head, part)
        } catch {
            throw end(error)
        }
    }

    /// Waits for the peer's next message.
    ///
    /// - Parameter begun: called when the first piece of the message arrives.
    /// - Returns: the message, and the instant at which it began to arrive.
    package func receive(
        begun: @Sendable () -> Void = {}
    ) async throws(End) -> (message: [UInt8], began: ContinuousClock.Instant) {
        defer { disarm() }
        // The link has accepted the message; from now on the machine waits for the peer's message.
        var action = machine.sent(now: .now)
        var hasReported = false
        while true {
            if machine.hasBegun, !hasReported {
                hasReported = true
                begun()
            }
            switch action {
            case .deliver(let message, let began):
                // A message in one piece is complete as soon as it begins.
                if !hasReported { begun() }
                return (message, began)
            case .end(let reason): throw .machine(reason)
            case .wait(let deadline):
                arm(deadline)
                action = try await next()
            case .transmit, .signalState: throw .machine(.failed(.idle, .outOfTurn))
            }
        }
    }

    /// Waits for the next event of the link, and returns the machine's action.
    private func next() async throws(End) -> BLEAction {
        do throws(BluetoothLEError) {
            switch try await link.receive() {
            case .data(let value): return machine.receive(.value(value[...]), now: .now)
            case .state(let value): return machine.receive(.state(value[...]), now: .now)
            }
        } catch .cancelled where !Task.isCancelled {
            // The alarm has interrupted the wait.
            return machine.expire(now: .now)
        } catch .linkLost {
            return machine.receive(.closed, now: .now)
        } catch {
            throw end(error)
        }
    }

    /// The end of the transfer after an error of the link. For a link that no longer exists, the machine
    /// gives the reason, which depends on the phase.
    private func end(_ error: BluetoothLEError) -> End {
        switch error {
        case .radioUnavailable(let fault): return .radioUnavailable(fault)
        case .cancelled: return .stopped
        case .linkLost, .connectionFailed, .serviceIncomplete, .notSubscribed, .alreadyWaiting:
            guard case .end(let reason) = machine.receive(.closed, now: .now) else {
                return .machine(.failed(.idle, .linkLost))
            }
            return .machine(reason)
        }
    }

    /// Ends the session and closes the link. The termination message is sent if there is one. The link stays
    /// open until the phone has disconnected, or until the machine's last deadline (Q76, Q77).
    package func leave(sending message: [UInt8]?) async {
        if let message, let pieces = transmission(of: message) {
            // If the link is broken, the phone cannot be notified, and the link is closed all the same.
            try? await transmit(pieces, by: .now + timeout)
        }
        if case .signalState(let state) = machine.end(now: .now) {
            try? await link.signal(state.rawValue)
        }
        defer { disarm() }
        while let deadline = machine.deadline {
            arm(deadline)
            // An error of the link ends this loop, and so does the disconnection of the phone.
            guard case .wait = (try? await next()) ?? .end(.finished) else { break }
        }
        await link.close()
    }

    /// The pieces of a termination message. This function makes the pieces without the machine, because this
    /// message is sent even when it is the peer's turn.
    private func transmission(of message: [UInt8]) -> BLETransmission? {
        switch framing {
        case .characteristics(let limit): BLEFragments(message[...], valueLimit: limit).map { .values($0) }
        case .l2CAP: L2CAPFrame(message[...]).map { .frame($0) }
        }
    }

    // MARK: - Waiting

    /// Sets the alarm, unless an alarm for an earlier instant is set already. After the earlier alarm has
    /// ended the wait, the alarm is set for the machine's deadline again.
    private func arm(_ deadline: ContinuousClock.Instant?) {
        guard let deadline, armed.map({ deadline < $0 }) ?? true else { return }
        disarm()
        armed = deadline
        alarm = Task {
            try await Task.sleep(until: deadline, tolerance: .zero, clock: .continuous)
            await self.alarmed()
        }
    }

    /// Ends the pending wait, because its deadline has passed.
    private func alarmed() async {
        armed = nil
        // `interrupt` ends only a pending `receive`. Nothing but closing the link ends a pending `send`.
        if isSending { await link.close() } else { await link.interrupt() }
    }

    private func disarm() {
        alarm?.cancel()
        alarm = nil
        armed = nil
    }
}
