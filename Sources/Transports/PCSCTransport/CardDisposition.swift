internal import CPCSCLite

/// What happens to the card when a connection ends.
package enum CardDisposition: Sendable {
    /// Power off; the reader looks for a card afresh.
    case unpower
    /// Reset.
    case reset
    /// Nothing.
    case leave

    var code: Int32 {
        switch self {
        case .unpower: SCARD_UNPOWER_CARD
        case .reset: SCARD_RESET_CARD
        case .leave: SCARD_LEAVE_CARD
        }
    }
}
