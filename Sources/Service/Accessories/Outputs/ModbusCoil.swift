/// A coil of a Modbus unit as requests and replies without their frame: Write Single Coil (05) and Read Coils
/// (01) of the MODBUS Application Protocol Specification V1.1b3, 6.5 and 6.1.
///
/// A reply is compared with the request byte for byte. A unit that accepts an illegal value and answers with
/// it has been seen, so that a reply is never taken for granted.
struct ModbusCoil: Equatable, Sendable {
    private enum Function {
        static let readCoils: UInt8 = 0x01
        static let writeSingleCoil: UInt8 = 0x05
        /// The bit that an exception sets in the function of its request.
        static let exception: UInt8 = 0x80
    }

    /// The address of the coil, from 0.
    let address: UInt16

    /// The request, or `nil` for a command that Modbus does not have.
    func request(_ command: RelayCommand) -> [UInt8]? {
        switch command {
        case .on: [Function.writeSingleCoil] + Self.bytes(address) + [0xff, 0x00]
        case .off: [Function.writeSingleCoil] + Self.bytes(address) + [0x00, 0x00]
        case .read: [Function.readCoils] + Self.bytes(address) + [0x00, 0x01]
        case .readSingle: nil
        }
    }

    /// The number of bytes of the reply to a command that succeeds.
    static func replyLength(_ command: RelayCommand) -> Int { command == .read ? 3 : 5 }

    /// Reads a reply without its frame.
    func reply(_ bytes: ArraySlice<UInt8>, to command: RelayCommand) throws(RelayFault) -> RelayAnswer {
        let bytes = Array(bytes)
        guard let request = request(command), let function = bytes.first else {
            throw .wrongLength(bytes.count)
        }
        if function == request[0] | Function.exception {
            guard bytes.count == 2 else { throw .wrongLength(bytes.count) }
            throw .refused(ModbusException(bytes[1]))
        }
        guard function == request[0] else { throw .wrongFunction(function) }
        guard bytes.count == Self.replyLength(command) else { throw .wrongLength(bytes.count) }
        guard command == .read else {
            let value = UInt16(bytes[3]) << 8 | UInt16(bytes[4])
            guard value == 0xff00 || value == 0 else { throw .illegalCoilValue(value) }
            guard bytes == request else { throw .wrongEcho }
            return .accepted
        }
        guard bytes[1] == 1 else { throw .wrongLength(bytes.count) }
        // One coil was asked for, so that the other bits are zero (6.1).
        guard bytes[2] <= 1 else { throw .illegalState(bytes[2]) }
        return .state(isOn: bytes[2] == 1)
    }

    static func bytes(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xff)] }
}
