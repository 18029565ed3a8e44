/// Modbus over TCP: a header of transaction, protocol 0, length and unit, and the request (MODBUS Messaging
/// on TCP/IP Implementation Guide V1.0b, 3.1.3).
struct ModbusTCP: Equatable, Sendable {
    private static let headerLength = 7

    private let unit: UInt8
    private let coil: ModbusCoil
    private let transaction: UInt16

    init(unit: UInt8, coil: UInt16, transaction: UInt16) {
        self.unit = unit
        self.coil = ModbusCoil(address: coil)
        self.transaction = transaction
    }

    func request(_ command: RelayCommand) -> RelayRequest? {
        guard let request = coil.request(command) else { return nil }
        let header =
            ModbusCoil.bytes(transaction) + [0, 0] + ModbusCoil.bytes(UInt16(request.count + 1)) + [unit]
        return RelayRequest(
            header + request, .stream(replyLength: Self.headerLength + ModbusCoil.replyLength(command)),
            refusal: RelayRequest.Refusal(index: Self.headerLength, length: Self.headerLength + 2))
    }

    func reply(_ bytes: [UInt8], to command: RelayCommand) throws(RelayFault) -> RelayAnswer {
        guard !bytes.isEmpty else { throw .noReply }
        guard bytes.count > Self.headerLength else { throw .wrongLength(bytes.count) }
        guard bytes[2] == 0, bytes[3] == 0 else { throw .wrongProtocol }
        guard Array(bytes[0..<2]) == ModbusCoil.bytes(transaction) else { throw .wrongTransaction }
        // The length counts the unit and what follows.
        guard Int(bytes[4]) << 8 | Int(bytes[5]) == bytes.count - 6 else { throw .wrongLength(bytes.count) }
        guard bytes[6] == unit else { throw .wrongUnit(bytes[6]) }
        return try coil.reply(bytes[Self.headerLength...], to: command)
    }
}
