extension CommandAPDU {
    /// The instruction bytes that a Type 4 Tag and an mdoc support.
    package enum Instruction {
        package static let select: UInt8 = 0xa4
        package static let readBinary: UInt8 = 0xb0
        package static let getResponse: UInt8 = 0xc0
        package static let envelope: UInt8 = 0xc3
        package static let updateBinary: UInt8 = 0xd6
    }

    /// Returns a SELECT by application identifier, with Le 00 (Q25).
    package static func select(application: ApplicationIdentifier) -> CommandAPDU {
        CommandAPDU(
            ins: Instruction.select, p1: 0x04, p2: 0x00, data: application.bytes[...],
            expectedLength: .short(0))
    }

    /// Returns a SELECT by file identifier: first or only occurrence of the file, without response data and
    /// without Le (Q25).
    package static func select(file identifier: UInt16) -> CommandAPDU {
        CommandAPDU(
            ins: Instruction.select, p1: 0x00, p2: 0x0c,
            data: [UInt8(identifier >> 8), UInt8(identifier & 0xff)])
    }

    /// Returns a READ BINARY of the selected file.
    package static func readBinary(at offset: FileOffset, upTo length: ExpectedLength) -> CommandAPDU {
        CommandAPDU(
            ins: Instruction.readBinary, p1: UInt8(offset.value >> 8), p2: UInt8(offset.value & 0xff),
            expectedLength: length)
    }

    /// Returns an UPDATE BINARY of the selected file.
    package static func updateBinary(at offset: FileOffset, _ data: ArraySlice<UInt8>) -> CommandAPDU {
        CommandAPDU(
            ins: Instruction.updateBinary, p1: UInt8(offset.value >> 8), p2: UInt8(offset.value & 0xff),
            data: data)
    }

    /// Returns a GET RESPONSE for the bytes that a status word 61xx has announced.
    package static func getResponse(upTo length: ExpectedLength) -> CommandAPDU {
        CommandAPDU(ins: Instruction.getResponse, p1: 0x00, p2: 0x00, expectedLength: length)
    }
}

/// An application identifier of seven bytes: a registered provider and its extension (ISO/IEC 7816-4,
/// 12.2.3).
package struct ApplicationIdentifier: Equatable, Sendable {
    package let bytes: [UInt8]

    /// Creates an identifier from the five bytes of the registered application provider and the two bytes of
    /// the proprietary extension.
    package init(provider: (UInt8, UInt8, UInt8, UInt8, UInt8), extension suffix: UInt16) {
        bytes = [
            provider.0, provider.1, provider.2, provider.3, provider.4, UInt8(suffix >> 8),
            UInt8(suffix & 0xff),
        ]
    }
}

/// The offset in a READ BINARY or UPDATE BINARY of the selected file (ISO/IEC 7816-4, 11.2). Bit 8 of P1 is
/// zero, so an offset is below 8000 hexadecimal (Q24).
package struct FileOffset: Equatable, Sendable {
    /// The offset in bytes, 0…7fff hexadecimal.
    package let value: UInt16

    /// Creates an offset; `nil` if it does not fit into fifteen bits.
    package init?(_ value: Int) {
        guard (0...0x7fff).contains(value) else { return nil }
        self.value = UInt16(value)
    }

    /// Reads the offset from P1 and P2 of a command; `nil` if P1 has a short file identifier instead.
    package init?(of command: CommandAPDU) {
        self.init(Int(command.p1) << 8 | Int(command.p2))
    }
}
