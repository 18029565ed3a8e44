/// A command APDU (ISO/IEC 7816-4, 5.1).
///
/// The encoding is extended if the data field has more than 255 bytes or Le is extended, and short otherwise.
package struct CommandAPDU: Equatable, Sendable {
    /// The maximum length of the data field of an extended command, in bytes.
    package static let maximumData = 65_535

    /// The class byte CLA. The bit 10 (hexadecimal) marks a chained command that is not the last.
    package let cla: UInt8
    /// The instruction byte INS.
    package let ins: UInt8
    package let p1: UInt8
    package let p2: UInt8
    /// The data field of at most `maximumData` bytes.
    package let data: ArraySlice<UInt8>
    /// The Le field; `nil` if no response data is expected.
    package let expectedLength: ExpectedLength?

    /// Creates a command. `data` with more than `maximumData` bytes is a programming error and traps.
    package init(
        cla: UInt8 = 0x00, ins: UInt8, p1: UInt8, p2: UInt8, data: ArraySlice<UInt8> = [],
        expectedLength: ExpectedLength? = nil
    ) {
        precondition(data.count <= Self.maximumData, "a data field holds at most 65535 bytes")
        self.cla = cla
        self.ins = ins
        self.p1 = p1
        self.p2 = p2
        self.data = data
        self.expectedLength = expectedLength
    }

    /// Whether CLA announces a further command of the same chain.
    package var isChained: Bool {
        cla & 0x10 != 0
    }

    /// Returns the command in its shortest form.
    package func encode() -> [UInt8] {
        encode(leading: [])
    }

    /// Returns the command with `leading` before its data field. Both together have at most `maximumData`
    /// bytes.
    func encode(leading: ArraySlice<UInt8>) -> [UInt8] {
        let count = leading.count + data.count
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 9)
        bytes += [cla, ins, p1, p2]
        let isExtended = if case .extended = expectedLength { true } else { count > 255 }
        // The first length field of an extended command begins with 00.
        if isExtended { bytes.append(0) }
        if count > 0 {
            if isExtended { bytes.append(UInt8(count >> 8)) }
            bytes.append(UInt8(truncatingIfNeeded: count))
            bytes += leading
            bytes += data
        }
        if let expectedLength {
            if isExtended { bytes.append(UInt8(truncatingIfNeeded: expectedLength.maximum >> 8)) }
            bytes.append(UInt8(truncatingIfNeeded: expectedLength.maximum))
        }
        return bytes
    }
}

/// The Le field of a command as the octets that are sent (ISO/IEC 7816-4, 5.1).
///
/// Each case holds exactly the values of its field, so a length above 256 cannot be truncated to one octet by
/// mistake (Q21).
package enum ExpectedLength: Equatable, Sendable {
    /// A Le field of one octet: 1…255, or 0 for "up to 256".
    case short(UInt8)
    /// A Le field of two octets: 1…65535, or 0 for "up to 65536".
    case extended(UInt16)

    /// Creates the Le that requests at most `count` bytes.
    ///
    /// - Parameter count: the number of bytes; values outside 1…65536 are clamped.
    /// - Parameter allowed: whether the extended form may be used. If not, at most 256 bytes are requested.
    package init(upTo count: Int, extended allowed: Bool) {
        switch count {
        case ...1: self = .short(1)
        // For a count of 256, truncation gives 0, and the field 0 stands for 256.
        case ...256: self = .short(UInt8(truncatingIfNeeded: count))
        case _ where !allowed: self = .short(0)
        case ...65_535: self = .extended(UInt16(count))
        default: self = .extended(0)
        }
    }

    /// The maximum number of data bytes that the field requests, 1…65536.
    package var maximum: Int {
        switch self {
        case .short(let octet): octet == 0 ? 256 : Int(octet)
        case .extended(let octets): octets == 0 ? 65_536 : Int(octets)
        }
    }
}
