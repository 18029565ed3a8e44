internal import Synchronization
package import Transport

/// The wallet's side of a virtual reader (vsmartcard's vpcd): a card that can be put on the reader and pulled.
///
/// vpcd takes one TCP connection per slot as the card: connected is present. Messages both ways are a 2-byte
/// big-endian length and that many bytes; a single byte from the reader is a control code, all else a command.
package final class VirtualCard: Sendable {
    /// What pcscd makes of an ISO 14443-4 card without historical bytes; says nothing about the phone (Q128).
    package static let answerToReset: [UInt8] = [0x3B, 0x80, 0x80, 0x01, 0x01]
    /// vpcd's first slot, as its package configures it.
    package static let defaultPort: UInt16 = 35963

    /// pcscd looks for the card every 400 ms; one that is back sooner than it looks leaves the slot dead, and one that
    /// pcscd saw away for less than a second is not the next customer's (Q208).
    private static let absence = Duration.milliseconds(1500)
    private static let insertion = Duration.seconds(5)

    private struct State {
        var link: VirtualCardLink?
        var removed: ContinuousClock.Instant?
    }

    private let address: SocketAddress
    private let power: @Sendable (CardPower) -> Void
    private let reset: @Sendable () -> [UInt8]
    private let answering: @Sendable (ArraySlice<UInt8>) -> CardAnswer
    private let state = Mutex(State())

    /// - Parameters:
    ///   - power: called at each change of power, on the card's thread.
    ///   - reset: gives the answer to reset, on the card's thread; pcscd takes no more than 33 bytes.
    ///   - answering: gives the answer to a command, on the card's thread.
    package init(
        address: SocketAddress, power: @escaping @Sendable (CardPower) -> Void = { _ in },
        reset: @escaping @Sendable () -> [UInt8] = { VirtualCard.answerToReset },
        answering: @escaping @Sendable (ArraySlice<UInt8>) -> CardAnswer
    ) {
        self.address = address
        self.power = power
        self.reset = reset
        self.answering = answering
    }

    deinit {
        state.withLock { $0.link }?.close()
    }

    /// Why the last stay on the reader ended, if by a fault of the card.
    package var fault: VirtualCardError? {
        state.withLock { $0.link?.fault }
    }

    /// Puts the card on the reader, not sooner than 1.5 s after it was pulled; nothing happens when it is there.
    ///
    /// pcscd takes up to 0.4 s to notice. Tries for 5 s, so a reader that is just starting is found.
    package func insert() async throws(VirtualCardError) {
        if state.withLock({ $0.link?.isOpen ?? false }) { return }
        let removed = state.withLock { $0.link?.ended ?? $0.removed }
        if let removed { try await Self.pause(until: removed + Self.absence) }
        let link = try await connect(until: .now + Self.insertion)
        state.withLock { $0.link = link }
        link.start()
    }

    private func connect(
        until deadline: ContinuousClock.Instant
    ) async throws(VirtualCardError) -> VirtualCardLink {
        while true {
            do throws(TransportError) {
                return try await VirtualCardLink(
                    address: address, within: ContinuousClock.now.duration(to: deadline), power: power,
                    reset: reset, answering: answering)
            } catch .cancelled {
                throw .cancelled
            } catch {
                guard ContinuousClock.now < deadline else { throw .readerUnreachable }
                try await Self.pause(until: .now + .milliseconds(50))
            }
        }
    }

    /// Pulls the card; a command it is working on gets no answer.
    package func remove() {
        let link = state.withLock { state in
            defer { state.removed = .now }
            return state.link
        }
        link?.close()
    }

    private static func pause(until instant: ContinuousClock.Instant) async throws(VirtualCardError) {
        do {
            try await Task.sleep(until: instant, clock: .continuous)
        } catch {
            throw .cancelled
        }
    }
}

package enum VirtualCardError: Error, Equatable, Sendable {
    /// Nothing took the connection in time: no virtual reader listens there.
    case readerUnreachable
    /// An answer of `length` bytes; the reader's length field counts to 65,535.
    case answerTooLong(length: Int)
    case cancelled
}

package enum CardAnswer: Equatable, Sendable {
    /// Answers; data and status word.
    case respond([UInt8])
    /// Answers later, like a phone whose holder must consent first.
    case respondLater([UInt8], after: Duration)
    /// Is pulled out of the field instead of answering.
    case removeCard
    /// Is pulled out of the field in the middle of the command.
    case removeCardLater(after: Duration)
}

/// What the reader does to the card's power.
package enum CardPower: UInt8, Sendable {
    case off = 0
    case on = 1
    case reset = 2
}
