internal import CPCSCLite

/// A value that turns lists of readers and states from pcscd into events. Makes no calls to pcscd.
struct ReaderWatch {
    /// The readers, each with the state to compare with at the next wait. A new reader has the state
    /// `SCARD_STATE_UNAWARE`, for which pcscd reports the current state immediately.
    private(set) var known: [(name: String, state: DWORD)] = []
    private var cards: [String: Presence] = [:]

    /// The state of a card on a reader: `mute` if it does not answer to power-up, otherwise `card`.
    private enum Presence: Equatable {
        case card, mute
    }

    /// Compares a new list of names with the known readers, and returns the arrivals and removals.
    mutating func list(_ names: [String]) -> [ReaderEvent] {
        let removed = known.map(\.name).filter { !names.contains($0) }
        let arrived = names.filter { name in !known.contains { $0.name == name } }
        known.removeAll { removed.contains($0.name) }
        known += arrived.map { ($0, DWORD(SCARD_STATE_UNAWARE)) }
        for name in removed { cards[name] = nil }
        return removed.map(ReaderEvent.readerRemoved) + arrived.map(ReaderEvent.readerArrived)
    }

    /// Records the current state of a reader, and returns the changes of its card.
    mutating func observe(_ name: String, state: DWORD) -> [ReaderEvent] {
        guard let index = known.firstIndex(where: { $0.name == name }) else { return [] }
        let before = known[index].state
        known[index].state = Self.comparable(state)
        guard state & DWORD(SCARD_STATE_CHANGED) != 0 else { return [] }
        let (was, now) = (cards[name], Self.presence(in: state))
        cards[name] = now
        let counter = Self.counter(in: state)
        // The card was removed and inserted between two waits. It is then present before and after, and the
        // counter differs.
        let wasSwapped = was != nil && now != nil && Self.counter(in: before) != counter
        guard was != now || wasSwapped else { return [] }
        let removal = was == nil ? [] : [ReaderEvent.cardRemoved(reader: name, counter: counter)]
        return switch now {
        case nil: removal
        case .card: removal + [.cardInserted(reader: name, counter: counter)]
        case .mute: removal + [.cardMute(reader: name, counter: counter)]
        }
    }

    /// Returns the state to compare with at the next wait.
    ///
    /// pcscd lists a reader before it has looked for a card there. Until then the state has neither EMPTY nor
    /// PRESENT, only the event counter of the reader that had the same position in pcscd's list before.
    /// libpcsclite 1.9.9 does not report a card as a change from such a state. It does report a card as a
    /// change from EMPTY, so this function adds EMPTY to a state without PRESENT.
    private static func comparable(_ state: DWORD) -> DWORD {
        let state = state & ~DWORD(SCARD_STATE_CHANGED)
        return state & DWORD(SCARD_STATE_PRESENT) == 0 ? state | DWORD(SCARD_STATE_EMPTY) : state
    }

    private static func presence(in state: DWORD) -> Presence? {
        guard state & DWORD(SCARD_STATE_PRESENT) != 0 else { return nil }
        return state & DWORD(SCARD_STATE_MUTE) != 0 ? .mute : .card
    }

    private static func counter(in state: DWORD) -> UInt16 {
        UInt16(truncatingIfNeeded: state >> 16)
    }
}
