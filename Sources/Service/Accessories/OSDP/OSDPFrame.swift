/// A message on an OSDP line (IEC 60839-11-5): a command of the panel, or a reply of a peripheral.
///
/// | bytes | meaning |
/// |---|---|
/// | 1 | 53, the start |
/// | 1 | the address of the peripheral; bit 7 marks a reply |
/// | 2 | the length of the whole message, low byte first |
/// | 1 | control: bits 0 and 1 sequence number, bit 2 CRC, bit 3 security block |
/// | 2 or more | the security block, if bit 3 is set |
/// | 1 | the code of the command or reply |
/// | any | data |
/// | 4 | the beginning of the MAC, if the kind of the security block requires one |
/// | 2 | CRC-16, low byte first |
///
/// The older checksum of one byte is not supported: it misses too many errors for a message that opens a door.
struct OSDPFrame: Equatable, Sendable {
    /// The sizes of a whole message in bytes.
    static let sizes = 8...1440
    static let start: UInt8 = 0x53
    static let macSize = 4
    static let crcSize = 2

    /// The whole message as it was received.
    let bytes: [UInt8]
    /// The address of the peripheral, from 0 to 127. 127 addresses every peripheral on the line.
    let address: UInt8
    let isReply: Bool
    /// The sequence number, from 0 to 3.
    let sequence: UInt8
    let block: OSDPSecurityBlock?
    /// The code of the command or reply.
    let code: UInt8
    /// The data, encrypted or not.
    let data: ArraySlice<UInt8>
    /// The first four bytes of the MAC, or nothing if the message has none.
    let mac: ArraySlice<UInt8>

    /// The bytes to which the MAC applies: all from the start to the data.
    var authenticated: ArraySlice<UInt8> { bytes.dropLast(Self.macSize + Self.crcSize) }

    /// Parses one whole message.
    init(_ bytes: [UInt8]) throws(OSDPFrameFault) {
        guard Self.sizes.contains(bytes.count), bytes[0] == Self.start,
            Int(bytes[2]) | Int(bytes[3]) << 8 == bytes.count
        else { throw .lengthWrong }
        let control = bytes[4]
        guard control & 0x04 != 0 else { throw .checksumUnsupported }
        let crc = UInt16(bytes[bytes.count - 2]) | UInt16(bytes[bytes.count - 1]) << 8
        guard crc == Self.crc(bytes.dropLast(Self.crcSize)) else { throw .crcWrong }
        guard control & 0xf0 == 0 else { throw .controlMalformed }
        var rest = bytes[5...].dropLast(Self.crcSize)
        block = control & 0x08 == 0 ? nil : try OSDPSecurityBlock(removedFrom: &rest)
        let macSize = block?.kind.hasMAC == true ? Self.macSize : 0
        guard rest.count > macSize, let code = rest.popFirst() else { throw .truncated }
        self.code = code
        data = rest.dropLast(macSize)
        mac = rest.suffix(macSize)
        self.bytes = bytes
        address = bytes[1] & 0x7f
        isReply = bytes[1] & 0x80 != 0
        sequence = control & 0x03
    }

    /// Returns a message without its MAC and CRC. Its length already counts both.
    ///
    /// - Parameter sequence: the sequence number, from 0 to 3.
    static func head(
        address: UInt8, isReply: Bool, sequence: UInt8, block: OSDPSecurityBlock?, code: UInt8,
        data: [UInt8]
    ) -> [UInt8] {
        let blockBytes = block?.bytes ?? []
        let tail = (block?.kind.hasMAC == true ? macSize : 0) + crcSize
        let size = 6 + blockBytes.count + data.count + tail
        let control = (sequence & 0x03) | 0x04 | (block == nil ? 0 : 0x08)
        return [
            start, (address & 0x7f) | (isReply ? 0x80 : 0), UInt8(truncatingIfNeeded: size),
            UInt8(truncatingIfNeeded: size >> 8), control,
        ] + blockBytes + [code] + data
    }

    /// Returns the message with its CRC. `message` is complete but for the CRC.
    static func closed(_ message: [UInt8]) -> [UInt8] {
        let crc = crc(message[...])
        return message + [UInt8(truncatingIfNeeded: crc), UInt8(truncatingIfNeeded: crc >> 8)]
    }

    /// The CRC-16 of OSDP: polynomial 1021, initial value 1D0F, no reflection.
    static func crc(_ bytes: ArraySlice<UInt8>) -> UInt16 {
        bytes.reduce(0x1d0f) { crc, byte in
            (0..<8).reduce(crc ^ UInt16(byte) << 8) { value, _ in
                value & 0x8000 == 0 ? value << 1 : value << 1 ^ 0x1021
            }
        }
    }
}

/// The reason why bytes are not a message.
enum OSDPFrameFault: Error, Equatable, Sendable {
    /// The length in the message is outside the limits, or it is not the number of bytes.
    case lengthWrong
    /// The message ends with a checksum of one byte in place of a CRC.
    case checksumUnsupported
    case crcWrong
    /// A reserved bit of the control byte is set.
    case controlMalformed
    /// The security block is longer than the message, or its kind is unknown.
    case securityBlockMalformed
    /// The message has no code, or no room for its MAC.
    case truncated
}

/// The security block of a message of the secure channel (IEC 60839-11-5, annex on the secure channel).
struct OSDPSecurityBlock: Equatable, Sendable {
    /// The kind of a block. The names in comments are those of the standard.
    enum Kind: UInt8, Sendable {
        /// SCS_11, with CHLNG.
        case challenge = 0x11
        /// SCS_12, with CCRYPT.
        case clientCryptogram = 0x12
        /// SCS_13, with SCRYPT.
        case serverCryptogram = 0x13
        /// SCS_14, with RMAC_I.
        case initialMAC = 0x14
        /// SCS_15: a command with a MAC, whose data is not encrypted.
        case authenticatedCommand = 0x15
        /// SCS_16: a reply with a MAC, whose data is not encrypted.
        case authenticatedReply = 0x16
        /// SCS_17: a command with a MAC and encrypted data.
        case encryptedCommand = 0x17
        /// SCS_18: a reply with a MAC and encrypted data.
        case encryptedReply = 0x18

        var hasMAC: Bool { rawValue >= Self.authenticatedCommand.rawValue }
    }

    let kind: Kind
    let data: [UInt8]

    init(_ kind: Kind, data: [UInt8] = []) {
        self.kind = kind
        self.data = data
    }

    /// Parses the block at the beginning of `rest`, and removes it from `rest`.
    init(removedFrom rest: inout ArraySlice<UInt8>) throws(OSDPFrameFault) {
        guard let length = rest.first, length >= 2, rest.count >= Int(length),
            let kind = Kind(rawValue: rest[rest.startIndex + 1])
        else { throw .securityBlockMalformed }
        self.kind = kind
        data = [UInt8](rest.prefix(Int(length)).dropFirst(2))
        rest = rest.dropFirst(Int(length))
    }

    var bytes: [UInt8] { [UInt8(truncatingIfNeeded: 2 + data.count), kind.rawValue] + data }
}
