/// The protocol of KMTronic boards at a serial line: FF, contact, 01 or 00.
///
/// On and off have no reply. Boards with one or two contacts answer `FF CH 03` with `FF CH 00` or `FF CH 01`;
/// boards with four or eight contacts answer `FF 09 00` with a byte for each contact. The maker does not say
/// what the other boards do with either request. `FF 09 00` is an "off" at most, and is therefore sent first:
/// `FF CH 03` might be an "on" for a firmware that tests the last byte for zero (`RelayExchange`).
enum KMTronicProtocol {
    static func request(_ command: RelayCommand, channel: UInt8) -> RelayRequest? {
        switch command {
        case .on: RelayRequest([0xff, channel, 1], .stream(replyLength: nil))
        case .off: RelayRequest([0xff, channel, 0], .stream(replyLength: nil))
        case .read: RelayRequest([0xff, 9, 0], .stream(replyLength: channel <= 4 ? 4 : 8))
        case .readSingle: channel <= 2 ? RelayRequest([0xff, channel, 3], .stream(replyLength: 3)) : nil
        }
    }

    static func reply(
        _ bytes: [UInt8], to command: RelayCommand, channel: UInt8
    ) throws(RelayFault) -> RelayAnswer {
        switch command {
        case .on, .off: return .accepted
        case .read:
            // A board with eight contacts sends eight bytes, of which a driver may have read only the first
            // four.
            guard (4...8).contains(bytes.count) else { throw .wrongLength(bytes.count) }
            guard channel <= bytes.count else { throw .channelMissing(Int(channel), of: bytes.count) }
            if let odd = bytes.first(where: { $0 > 1 }) { throw .illegalState(odd) }
            return .state(isOn: bytes[Int(channel) - 1] == 1)
        case .readSingle:
            guard bytes.count == 3 else { throw .wrongLength(bytes.count) }
            guard bytes[0] == 0xff else { throw .replyUnexpected }
            guard bytes[1] == channel else { throw .wrongChannel(bytes[1]) }
            guard bytes[2] <= 1 else { throw .illegalState(bytes[2]) }
            return .state(isOn: bytes[2] == 1)
        }
    }
}
