/// The protocol of LCUS boards at a CH340 serial chip: A0, contact, 01 or 00, and the sum of these three
/// bytes.
///
/// The boards do not reply. Some firmwares answer the byte FF with a text of their states; others are silent,
/// so that a state is never asked for.
enum LCUSProtocol {
    static func request(_ command: RelayCommand, channel: UInt8) -> RelayRequest? {
        let value: UInt8
        switch command {
        case .on: value = 1
        case .off: value = 0
        case .read, .readSingle: return nil
        }
        let bytes = [0xa0, channel, value]
        return RelayRequest(bytes + [bytes.reduce(0, &+)], .stream(replyLength: nil))
    }
}
