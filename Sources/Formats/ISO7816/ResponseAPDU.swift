/// A response APDU: data field and status word (ISO/IEC 7816-4, 5.1).
package struct ResponseAPDU: Equatable, Sendable {
    /// The data field, a slice of the received buffer.
    package let data: ArraySlice<UInt8>
    package let status: StatusWord

    package init(data: ArraySlice<UInt8> = [], status: StatusWord) {
        self.data = data
        self.status = status
    }

    /// Parses a response. Fewer than two bytes mean that the card was removed (Q132).
    package static func parse(_ bytes: ArraySlice<UInt8>) throws(ISO7816Error) -> ResponseAPDU {
        guard bytes.count >= 2 else { throw .responseWithoutStatus(count: bytes.count) }
        let split = bytes.endIndex - 2
        let word = UInt16(bytes[split]) << 8 | UInt16(bytes[split + 1])
        return ResponseAPDU(data: bytes[..<split], status: StatusWord(rawValue: word))
    }

    /// Returns the data field followed by SW1 and SW2.
    package func encode() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(data.count + 2)
        bytes += data
        bytes.append(UInt8(status.rawValue >> 8))
        bytes.append(UInt8(status.rawValue & 0xff))
        return bytes
    }
}
