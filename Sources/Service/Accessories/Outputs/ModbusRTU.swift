/// Modbus on a serial line: unit, request and CRC-16, low byte first (MODBUS over Serial Line V1.02, 2.5.1).
struct ModbusRTU: Equatable, Sendable {
    private let unit: UInt8
    private let coil: ModbusCoil

    init(unit: UInt8, coil: UInt16) {
        self.unit = unit
        self.coil = ModbusCoil(address: coil)
    }

    func request(_ command: RelayCommand) -> RelayRequest? {
        guard let request = coil.request(command) else { return nil }
        let frame = [unit] + request
        return RelayRequest(
            frame + Self.checksum(frame[...]), .stream(replyLength: ModbusCoil.replyLength(command) + 3),
            refusal: RelayRequest.Refusal(index: 1, length: 5))
    }

    func reply(_ bytes: [UInt8], to command: RelayCommand) throws(RelayFault) -> RelayAnswer {
        guard !bytes.isEmpty else { throw .noReply }
        guard bytes.count >= 5 else { throw .wrongLength(bytes.count) }
        let frame = bytes.dropLast(2)
        guard Array(bytes.suffix(2)) == Self.checksum(frame) else { throw .wrongChecksum }
        guard bytes[0] == unit else { throw .wrongUnit(bytes[0]) }
        return try coil.reply(frame.dropFirst(), to: command)
    }

    /// The CRC-16 of Modbus: polynomial A001 (reflected), start FFFF, low byte first.
    static func checksum(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var sum: UInt16 = 0xffff
        for byte in bytes {
            sum ^= UInt16(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xa001 : sum >> 1 }
        }
        return [UInt8(sum & 0xff), UInt8(sum >> 8)]
    }
}
