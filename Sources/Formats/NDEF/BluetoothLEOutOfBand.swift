/// ISO/IEC 18013-5, 8.2.2.1.1 and Bluetooth Secure Simple Pairing Using NFC, 4.1.2: the payload of a Bluetooth
/// Low Energy carrier record, a list of advertising data (AD) structures.
package struct BluetoothLEOutOfBand: Equatable, Sendable {
    /// The role of the record's sender (AD type 1c).
    package var role: BluetoothLERole
    /// The service UUID for both modes (AD type 07 or 06), the last complete one (Q30).
    package var serviceUUID: BluetoothUUID?
    /// How many service UUIDs the record held; more than one is worth a diagnostic (Q30).
    package private(set) var serviceUUIDCount: Int
    /// The sender's address (AD type 1b).
    package var address: BluetoothLEAddress?
    /// The L2CAP PSM from one of its provisional places, a hint only (Q39).
    package private(set) var protocolServiceMultiplexer: UInt32?

    package init(
        role: BluetoothLERole, serviceUUID: BluetoothUUID? = nil, address: BluetoothLEAddress? = nil
    ) {
        self.role = role
        self.serviceUUID = serviceUUID
        serviceUUIDCount = serviceUUID == nil ? 0 : 1
        self.address = address
    }

    /// Bluetooth Assigned Numbers, 2.3: the AD types with a meaning here.
    private enum DataType {
        static let incompleteServiceUUIDs: UInt8 = 0x06
        static let completeServiceUUIDs: UInt8 = 0x07
        static let serviceData: UInt8 = 0x16
        static let deviceAddress: UInt8 = 0x1b
        static let role: UInt8 = 0x1c
        static let provisionalPSM: UInt8 = 0x77
    }

    /// Reads the AD structures. Foreign ones are skipped; a zero length or an overrun ends the list (Q31).
    ///
    /// A list without a readable LE Role, or with the AD type 00 that a leading length of two bytes looks
    /// like (Q32), is `malformedPayload`.
    package static func parse(_ payload: ArraySlice<UInt8>) throws(NDEFError) -> BluetoothLEOutOfBand {
        var rest = payload
        var role: BluetoothLERole?
        var record = BluetoothLEOutOfBand(role: .centralOnly)
        while let length = rest.popFirst(), length > 0, Int(length) <= rest.count {
            let structure = rest.prefix(Int(length))
            rest = rest.dropFirst(Int(length))
            let (type, data) = (structure[structure.startIndex], structure.dropFirst())
            switch type {
            case 0: throw .malformedPayload
            case DataType.role:
                guard data.count == 1, let value = data.first.flatMap(BluetoothLERole.init(rawValue:)) else {
                    throw .malformedPayload
                }
                role = value
            default: record.take(data, of: type)
            }
        }
        guard let role else { throw .malformedPayload }
        record.role = role
        return record
    }

    private mutating func take(_ data: ArraySlice<UInt8>, of type: UInt8) {
        switch type {
        case DataType.incompleteServiceUUIDs, DataType.completeServiceUUIDs:
            for start in stride(from: data.startIndex, through: data.endIndex - 16, by: 16) {
                serviceUUID = BluetoothUUID(littleEndian: data[start..<start + 16])
                serviceUUIDCount += 1
            }
        case DataType.deviceAddress: address = BluetoothLEAddress(advertised: data) ?? address
        case DataType.provisionalPSM where data.count == 4:
            protocolServiceMultiplexer = data.reduce(0) { $0 << 8 | UInt32($1) }
        case DataType.serviceData: takePSM(fromServiceData: data)
        default: break
        }
    }

    /// UUID16 ff01, little-endian, then the CBOR map `{0: psm}` with one unsigned value of 1, 2, 3 or 5 bytes.
    private mutating func takePSM(fromServiceData data: ArraySlice<UInt8>) {
        guard data.starts(with: [0x01, 0xff, 0xa1, 0x00]) else { return }
        let number = data.dropFirst(4)
        guard let head = number.first else { return }
        let octets = number.dropFirst()
        switch (head, octets.count) {
        case (0...0x17, 0): protocolServiceMultiplexer = UInt32(head)
        case (0x18, 1), (0x19, 2), (0x1a, 4):
            protocolServiceMultiplexer = octets.reduce(0) { $0 << 8 | UInt32($1) }
        default: break
        }
    }

    /// Address, role and UUID as AD structures; never a leading length (Q32), never a PSM (Q39).
    package func encode() -> [UInt8] {
        var bytes: [UInt8] = []
        if let address {
            bytes += [8, DataType.deviceAddress] + address.advertisedBytes
        }
        bytes += [2, DataType.role, role.rawValue]
        if let serviceUUID {
            bytes += [17, DataType.completeServiceUUIDs] + serviceUUID.bytes.reversed()
        }
        return bytes
    }
}

/// Bluetooth Core Specification Supplement, A 1.16: an LE device address.
package struct BluetoothLEAddress: Hashable, Sendable {
    /// The six bytes in the order of the text form (big-endian).
    package let bytes: [UInt8]
    /// Whether the address is a random one; nil when the sender left the type byte out.
    package let isRandom: Bool?

    /// The address of AD type 1b: six bytes, last byte of the text first, and possibly the type byte.
    init?(advertised data: ArraySlice<UInt8>) {
        guard (6...7).contains(data.count) else { return nil }
        bytes = data.prefix(6).reversed()
        isRandom = data.dropFirst(6).first.map { $0 & 1 == 1 }
    }

    /// An address of six bytes in text order; nil for another count.
    package init?(_ bytes: [UInt8], isRandom: Bool) {
        guard bytes.count == 6 else { return nil }
        self.bytes = bytes
        self.isRandom = isRandom
    }

    /// The seven bytes of AD type 1b.
    var advertisedBytes: [UInt8] {
        bytes.reversed() + [isRandom == true ? 1 : 0]
    }
}
