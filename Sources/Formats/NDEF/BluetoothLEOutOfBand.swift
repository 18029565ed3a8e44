/// The payload of a Bluetooth Low Energy carrier record: a list of advertising data (AD) structures (ISO/IEC
/// 18013-5, 8.2.2.1.1; Bluetooth Secure Simple Pairing Using NFC, 4.1.2).
package struct BluetoothLEOutOfBand: Equatable, Sendable {
    /// The role of the record's sender (AD type 1c).
    package var role: BluetoothLERole
    /// The service UUID for both modes: the last complete UUID of AD type 06 or 07 (Q30).
    package var serviceUUID: BluetoothUUID?
    /// The number of service UUIDs in the record. More than one UUID is unusual (Q30).
    package private(set) var serviceUUIDCount: Int
    /// The sender's address (AD type 1b).
    package var address: BluetoothLEAddress?
    /// The number of the sender's L2CAP channel (PSM). Some wallets send it in AD type 77 or in service data;
    /// both ways are provisional. The number is only a hint (Q39).
    package private(set) var protocolServiceMultiplexer: UInt32?

    package init(
        role: BluetoothLERole, serviceUUID: BluetoothUUID? = nil, address: BluetoothLEAddress? = nil
    ) {
        self.role = role
        self.serviceUUID = serviceUUID
        serviceUUIDCount = serviceUUID == nil ? 0 : 1
        self.address = address
    }

    /// The AD types that are read (Bluetooth Assigned Numbers, 2.3).
    private enum DataType {
        static let incompleteServiceUUIDs: UInt8 = 0x06
        static let completeServiceUUIDs: UInt8 = 0x07
        static let serviceData: UInt8 = 0x16
        static let deviceAddress: UInt8 = 0x1b
        static let role: UInt8 = 0x1c
        static let provisionalPSM: UInt8 = 0x77
    }

    /// Parses the AD structures. Unknown structures are skipped. A structure whose length is zero or reaches
    /// beyond the payload ends the list (Q31).
    ///
    /// - Throws: `malformedPayload` if the list has no valid LE Role, or has a structure of AD type 00. Some
    ///   senders write a length of two bytes before the list, which looks like such a structure (Q32).
    package static func parse(_ payload: ArraySlice<UInt8>) throws(NDEFError) -> BluetoothLEOutOfBand {
        var rest = payload
        var role: BluetoothLERole?
        // This role is only a placeholder. The real role is set at the end, and a list without a role is
        // refused.
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
            default: record.read(data, of: type)
            }
        }
        guard let role else { throw .malformedPayload }
        record.role = role
        return record
    }

    /// Reads an AD structure other than the role. Unknown types are ignored.
    private mutating func read(_ data: ArraySlice<UInt8>, of type: UInt8) {
        switch type {
        case DataType.incompleteServiceUUIDs, DataType.completeServiceUUIDs:
            for start in stride(from: data.startIndex, through: data.endIndex - 16, by: 16) {
                serviceUUID = BluetoothUUID(littleEndian: data[start..<start + 16])
                serviceUUIDCount += 1
            }
        // An address of a wrong size does not replace an address that was read before.
        case DataType.deviceAddress: address = BluetoothLEAddress(advertised: data) ?? address
        case DataType.provisionalPSM where data.count == 4:
            protocolServiceMultiplexer = data.reduce(0) { $0 << 8 | UInt32($1) }
        case DataType.serviceData: readPSM(fromServiceData: data)
        default: break
        }
    }

    /// Reads the PSM from service data: UUID ff01, little-endian, then the CBOR map `{0: psm}`, whose value
    /// has 1, 2, 3 or 5 bytes (Q39).
    private mutating func readPSM(fromServiceData data: ArraySlice<UInt8>) {
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

    /// Returns address, role and UUID as AD structures. A leading length (Q32) and a PSM (Q39) are never
    /// written.
    package func encode() -> [UInt8] {
        var bytes: [UInt8] = []
        // The length of each structure counts its type byte and its data.
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

/// An LE device address (Bluetooth Core Specification Supplement, A 1.16).
package struct BluetoothLEAddress: Hashable, Sendable {
    /// The six bytes in the order of the text form (big-endian).
    package let bytes: [UInt8]
    /// Whether the address is random; `nil` if the sender omitted the type.
    package let isRandom: Bool?

    /// Parses AD type 1b: six bytes in reverse order of the text form, and possibly a byte for the type.
    init?(advertised data: ArraySlice<UInt8>) {
        guard (6...7).contains(data.count) else { return nil }
        bytes = data.prefix(6).reversed()
        isRandom = data.dropFirst(6).first.map { $0 & 1 == 1 }
    }

    /// Creates an address from six bytes in the order of the text form; `nil` for another number of bytes.
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
