/// A change at the service, the readers or the cards.
package enum ReaderEvent: Equatable, Sendable {
    /// pcscd is there; the readers it has follow.
    case serviceAvailable
    /// pcscd is not running, or refuses us; all readers and cards are lost with it. Sent again when the reason
    /// changes.
    case serviceLost(PCSCTransportError)
    case readerArrived(String)
    case readerRemoved(String)
    /// A card, or phone, is on the reader. `counter` is pcscd's count of comings and goings, modulo 65,536.
    case cardInserted(reader: String, counter: UInt16)
    /// Something is on the reader that does not answer to power-up (Q131).
    case cardMute(reader: String, counter: UInt16)
    case cardRemoved(reader: String, counter: UInt16)
}
