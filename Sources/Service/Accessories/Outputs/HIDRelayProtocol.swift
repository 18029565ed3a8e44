/// The protocol of "HIDRelay" boards with a CH551 chip: one byte, F0 plus the contact for on, the contact
/// alone for off. The boards do not reply, and report neither a state nor an identity.
enum HIDRelayProtocol {
    static func request(_ command: RelayCommand, channel: UInt8) -> RelayRequest? {
        switch command {
        // The report's number 0 stands in front.
        case .on: RelayRequest([0, 0xf0 + channel], .hidReport)
        case .off: RelayRequest([0, channel], .hidReport)
        case .read, .readSingle: nil
        }
    }
}
