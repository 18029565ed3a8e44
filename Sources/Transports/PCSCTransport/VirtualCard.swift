internal import Synchronization
package import Transport

/// The card side of a virtual PC/SC reader (vpcd of vsmartcard): a card that can be inserted and removed. The
/// software wallet uses the card as its NFC interface.
///
/// vpcd accepts one TCP connection for each slot: the card is present while the connection exists. A message
/// in either direction is a 2-byte big-endian length, followed by that many bytes. A message of a single byte
/// from the reader is a control code; all others are commands.
package final class VirtualCard: Sendable {
    /// The answer to reset that pcscd forms for an ISO/IEC 14443-4 card without historical bytes. This answer
    /// contains no information about the phone (Q128).
    package static let answerToReset: [UInt8] = [0x3B, 0x80, 0x80, 0x01, 0x01]
    /// The TCP port of vpcd's first slot in the configuration of its package.
    package static let defaultPort: UInt16 = 35963

    /// The shortest time between removal and insertion. pcscd looks for the card every 400 ms. A card that
    /// returns sooner makes the slot unusable, and a card that was away for less than a second would not be
    /// accepted in the next presentation (Q208).
    private static let absence = Duration.milliseconds(1500)
    /// The maximum time of all attempts to reach the virtual reader.
    private static let insertion = Duration.seconds(5)

    private struct State {
        /// The card's current or last stay on the reader; `nil` before the first stay.
        var link: VirtualCardLink?
        /// The time of the last call of `remove`.
        var removed: ContinuousClock.Instant?
    }

    private let address: SocketAddress
    private let power: @Sendable (CardPower) -> Void
    private let reset: @Sendable () -> [UInt8]
    private let answering: @Sendable (ArraySlice<UInt8>) -> CardAnswer
    private let state = Mutex(State())

    /// Creates a card that is not on the reader yet.
    ///
    /// - Parameters:
    ///   - power: called on the card's thread at each change of power.
    ///   - reset: returns the answer to reset; called on the card's thread. pcscd accepts at most 33 bytes.
    ///   - answering: returns the answer to a command; called on the card's thread.
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

    /// The card's fault that ended its last stay on the reader; `nil` if the stay ended without a fault.
    package var fault: VirtualCardError? {
        state.withLock { $0.link?.fault }
    }

    /// Inserts the card, at least 1.5 s after its removal. Does nothing if the card is present.
    ///
    /// pcscd needs up to 0.4 s to notice the card. The connection is attempted for 5 s, so that a reader that
    /// is just starting is found.
    package func insert() async throws(VirtualCardError) {
        if state.withLock({ $0.link?.isOpen ?? false }) { return }
        // The last stay ended by `remove`, or because the reader closed the connection.
        let removed = state.withLock { $0.link?.ended ?? $0.removed }
        if let removed { try await Self.pause(until: removed + Self.absence) }
        let link = try await connect(until: .now + Self.insertion)
        state.withLock { $0.link = link }
        link.start()
    }

    /// Connects to the virtual reader, with attempts every 50 ms until the deadline.
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
                // A reader that is just starting does not listen yet.
                guard ContinuousClock.now < deadline else { throw .readerUnreachable }
                try await Self.pause(until: .now + .milliseconds(50))
            }
        }
    }

    /// Removes the card. A command in progress gets no answer.
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

/// An error of a virtual card or its reader.
package enum VirtualCardError: Error, Equatable, Sendable {
    /// No virtual reader accepted the connection in time.
    case readerUnreachable
    /// The card's answer has more than 65,535 bytes, the maximum of the reader's length field. The value is
    /// the answer's length.
    case answerTooLong(length: Int)
    case cancelled
}

/// The reaction of a virtual card to a command.
package enum CardAnswer: Equatable, Sendable {
    /// Answers with data and status word.
    case respond([UInt8])
    /// Answers after a delay, like a phone whose holder must consent first.
    case respondLater([UInt8], after: Duration)
    /// Leaves the field instead of answering.
    case removeCard
    /// Leaves the field during the command, after a delay.
    case removeCardLater(after: Duration)
}

/// A change of the card's power by the reader. The raw value is vpcd's control code.
package enum CardPower: UInt8, Sendable {
    case off = 0
    case on = 1
    case reset = 2
}
