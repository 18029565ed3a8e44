/// The state of one reader's field: whether a card lies there, and whether it may be used in the current
/// presentation (Q9, Q208). A presentation lasts from the order to read a phone until the result. A stay is
/// the time for which a card lies in the field; an absence shorter than `flicker` does not end it.
///
/// This type performs no I/O. `PCSCContactlessReader` has a `CardPlace` for each reader, and changes it by
/// pcscd's events.
struct CardPlace {
    /// The shortest absence that ends a stay. Readers that poll by themselves announce a card again 250 ms
    /// after the card was powered off, and a card at the edge of the field comes and goes (Q208).
    static let flicker = Duration.milliseconds(500)
    /// The shortest absence after which the phone of one presentation may be used in the next presentation
    /// (Q208).
    static let absence = Duration.seconds(1)

    /// The number of the card's current or last stay in the field.
    private(set) var stay = 0
    private(set) var isOccupied = false
    /// Whether the card of this stay was given to a caller, or did not answer to power-up.
    private(set) var wasTried = false
    /// Whether the card was tried in an earlier presentation.
    private(set) var isServed = false
    /// The time of the last removal.
    private var left: ContinuousClock.Instant?

    /// Records that a card is on the reader.
    ///
    /// - Parameter stay: the number for the card's stay if a new stay begins.
    mutating func insert(stay: Int, now: ContinuousClock.Instant) {
        // The first card is treated like a card that returns after a long absence.
        let absence = left?.duration(to: now) ?? Self.absence
        if !isOccupied, absence >= Self.flicker { (self.stay, wasTried) = (stay, false) }
        if !isOccupied, absence >= Self.absence { isServed = false }
        isOccupied = true
    }

    mutating func remove(now: ContinuousClock.Instant) {
        guard isOccupied else { return }
        (isOccupied, left) = (false, now)
    }

    /// Records that the card was given to a caller or did not answer.
    mutating func recordAttempt() {
        wasTried = true
    }

    /// Begins a presentation. A card that was tried before belongs to the previous presentation.
    mutating func beginPresentation() {
        if wasTried { isServed = true }
    }

    /// Whether a card is present that the current presentation may use.
    ///
    /// - Parameter again: whether a card that was tried before in this presentation may be used too.
    func isUsable(again: Bool) -> Bool {
        isOccupied && !isServed && (again || !wasTried)
    }
}
