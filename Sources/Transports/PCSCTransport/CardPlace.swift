/// What lies on one reader, and whether it counts. Makes no calls.
struct CardPlace {
    /// A card that is back sooner never left: readers that poll by themselves announce a card again 250 ms after it was
    /// powered off, and one at the edge of the field comes and goes (Q208).
    static let flicker = Duration.milliseconds(500)
    /// How long the phone of one presentation must be away before it is taken for the next one's (Q208).
    static let absence = Duration.seconds(1)

    /// The number of the stay.
    private(set) var stay = 0
    private(set) var isOccupied = false
    /// Whether the card of this stay was handed out, or did not answer to power-up.
    private(set) var wasTried = false
    /// Whether that was in an earlier presentation.
    private(set) var isServed = false
    private var left: ContinuousClock.Instant?

    /// - Parameter stay: the number to be used if this is another stay.
    mutating func insert(stay: Int, now: ContinuousClock.Instant) {
        let absence = left?.duration(to: now) ?? Self.absence
        if !isOccupied, absence >= Self.flicker { (self.stay, wasTried) = (stay, false) }
        if !isOccupied, absence >= Self.absence { isServed = false }
        isOccupied = true
    }

    mutating func remove(now: ContinuousClock.Instant) {
        guard isOccupied else { return }
        (isOccupied, left) = (false, now)
    }

    mutating func noteTried() {
        wasTried = true
    }

    mutating func beginPresentation() {
        if wasTried { isServed = true }
    }

    /// Whether there is a card that counts.
    ///
    /// - Parameter again: whether one that was tried before does.
    func counts(again: Bool) -> Bool {
        isOccupied && !isServed && (again || !wasTried)
    }
}
