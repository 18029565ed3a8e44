internal import MdocModel
package import MdocSession
package import Transport

/// Does what a transfer over Bluetooth asks: carries its values over a link, and waits.
package actor LinkDriver {
    package enum End: Error {
        case machine(BLEEndReason)
        case radioUnavailable(RadioFault)
        /// Cancelled.
        case stopped
    }

    private let link: any BluetoothLELink
    private let framing: BLEFraming
    /// For the termination message.
    private let timeout: Duration
    private var machine: BLETransfer
    /// The instant at which the pending wait is ended, and the task that does so.
    private var armed: ContinuousClock.Instant?
    private var alarm: Task<Void, any Error>?
    private var isSending = false

    /// Drives a link that is up and started, from our `role`.
    package init(
        _ link: any BluetoothLELink, as role: BLETransfer.Role, settings: BLETransferSettings
    ) async {
        self.link = link
        framing =
            link.kind == .l2cap ? .l2CAP : .characteristics(valueLimit: await link.packetLimit)
        timeout = settings.termination
        machine = BLETransfer(as: role, over: framing, settings: settings, now: .now)
    }

    package func send(_ message: [UInt8]) async throws(End) {
        switch machine.send(message[...], now: .now) {
        case .transmit(let transmission): try await transmit(transmission, by: machine.deadline)
        case .end(let reason): throw .machine(reason)
        default: throw .machine(.failed(.idle, .outOfTurn))
        }
    }

    /// A link that takes nothing more is closed when the time for the message is over.
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

    private func send(_ head: PacketHead, _ part: ArraySlice<UInt8>) async throws(End) {
        do throws(BluetoothLEError) {
            try await link.send(head, part)
        } catch {
            throw end(error)
        }
    }

    /// The peer's next message, and when it began; `begun` is called at its first piece.
    package func receive(
        begun: @Sendable () -> Void = {}
    ) async throws(End) -> (message: [UInt8], began: ContinuousClock.Instant) {
        defer { disarm() }
        var action = machine.sent(now: .now)
        var isTold = false
        while true {
            if machine.hasBegun, !isTold {
                isTold = true
                begun()
            }
            switch action {
            case .deliver(let message, let began):
                if !isTold { begun() }
                return (message, began)
            case .end(let reason): throw .machine(reason)
            case .wait(let deadline):
                arm(deadline)
                action = try await next()
            case .transmit, .signalState: throw .machine(.failed(.idle, .outOfTurn))
            }
        }
    }

    private func next() async throws(End) -> BLEAction {
        do throws(BluetoothLEError) {
            switch try await link.receive() {
            case .data(let value): return machine.receive(.value(value[...]), now: .now)
            case .state(let value): return machine.receive(.state(value[...]), now: .now)
            }
        } catch .cancelled where !Task.isCancelled {
            return machine.expire(now: .now)
        } catch .linkLost {
            return machine.receive(.closed, now: .now)
        } catch {
            throw end(error)
        }
    }

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

    /// Ends the session, with a termination message if there is one. Closes the link when the phone has
    /// disconnected or the time for that is over (Q76, Q77).
    package func leave(sending message: [UInt8]?) async {
        if let message, let words = transmission(of: message) {
            try? await transmit(words, by: .now + timeout)
        }
        if case .signalState(let state) = machine.end(now: .now) {
            try? await link.signal(state.rawValue)
        }
        defer { disarm() }
        while let deadline = machine.deadline {
            arm(deadline)
            guard case .wait = (try? await next()) ?? .end(.finished) else { break }
        }
        await link.close()
    }

    /// The termination message is sent whoever's turn it is.
    private func transmission(of message: [UInt8]) -> BLETransmission? {
        switch framing {
        case .characteristics(let limit): BLEFragments(message[...], valueLimit: limit).map { .values($0) }
        case .l2CAP: L2CAPFrame(message[...]).map { .frame($0) }
        }
    }

    // MARK: - Waiting

    /// A new alarm is needed only for a deadline before the armed one.
    private func arm(_ deadline: ContinuousClock.Instant?) {
        guard let deadline, armed.map({ deadline < $0 }) ?? true else { return }
        disarm()
        armed = deadline
        alarm = Task {
            try await Task.sleep(until: deadline, tolerance: .zero, clock: .continuous)
            await self.alarmed()
        }
    }

    private func alarmed() async {
        armed = nil
        if isSending { await link.close() } else { await link.interrupt() }
    }

    private func disarm() {
        alarm?.cancel()
        alarm = nil
        armed = nil
    }
}
