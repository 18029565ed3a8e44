internal import CPCSCLite

/// Turns lists of readers and their states into events; knows pcscd's numbers and makes no calls.
struct ReaderWatch {
    /// The readers and the state of each to compare with at the next wait; UNAWARE at first.
    private(set) var known: [(name: String, state: DWORD)] = []
    private var cards: [String: Presence] = [:]

    private enum Presence: Equatable {
        case card, mute
    }

    /// Takes the names pcscd lists now.
    mutating func list(_ names: [String]) -> [ReaderEvent] {
        let removed = known.map(\.name).filter { !names.contains($0) }
        let arrived = names.filter { name in !known.contains { $0.name == name } }
        known.removeAll { removed.contains($0.name) }
        known += arrived.map { ($0, DWORD(SCARD_STATE_UNAWARE)) }
        for name in removed { cards[name] = nil }
        return removed.map(ReaderEvent.readerRemoved) + arrived.map(ReaderEvent.readerArrived)
    }

    mutating func observe(_ name: String, state: DWORD) -> [ReaderEvent] {
        guard let index = known.firstIndex(where: { $0.name == name }) else { return [] }
        let before = known[index].state
        known[index].state = Self.comparable(state)
        guard state & DWORD(SCARD_STATE_CHANGED) != 0 else { return [] }
        let (was, now) = (cards[name], Self.presence(in: state))
        cards[name] = now
        let counter = Self.counter(in: state)
        // Removed and inserted between two looks: present before and after, and the counter changed.
        let wasSwapped = was != nil && now != nil && Self.counter(in: before) != counter
        guard was != now || wasSwapped else { return [] }
        let removal = was == nil ? [] : [ReaderEvent.cardRemoved(reader: name, counter: counter)]
        return switch now {
        case nil: removal
        case .card: removal + [.cardInserted(reader: name, counter: counter)]
        case .mute: removal + [.cardMute(reader: name, counter: counter)]
        }
    }

    /// The state to compare with at the next wait. pcscd lists a reader before it looks for a card there; the
    /// state is then the counter of the reader that had this place before, without EMPTY and PRESENT. To
    /// libpcsclite 1.9.9 a card found there is no change from that state, but is one from EMPTY.
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
