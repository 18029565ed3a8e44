/// ISO/IEC 7816-4, 5.1: a command APDU.
///
/// The form on the wire follows from the content: extended when the data field exceeds 255 bytes or the Le
/// field is an extended one, short otherwise.
package struct CommandAPDU: Equatable, Sendable {
    /// The longest data field an extended command can carry, in bytes.
    package static let maximumData = 65_535

    /// The class byte CLA; bit 10 (hexadecimal) marks a chained command that is not the last.
    package let cla: UInt8
    package let ins: UInt8
    package let p1: UInt8
    package let p2: UInt8
    /// The data field, at most `maximumData` bytes.
    package let data: ArraySlice<UInt8>
    /// The Le field, or nil if no response data are expected.
    package let expectedLength: ExpectedLength?

    /// A command of these parts; `data` beyond `maximumData` is a programming error and traps.
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

    /// Whether CLA says that more commands of the same chain follow.
    package var isChained: Bool {
        cla & 0x10 != 0
    }

    /// The command in the shortest form that holds it.
    package func encode() -> [UInt8] {
        encode(leading: [])
    }

    /// The command with `leading` put before its data field; both together fit `maximumData`.
    func encode(leading: ArraySlice<UInt8>) -> [UInt8] {
        let count = leading.count + data.count
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 9)
        bytes += [cla, ins, p1, p2]
        let isExtended = if case .extended = expectedLength { true } else { count > 255 }
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

/// ISO/IEC 7816-4, 5.1: the Le field, as the octets that are sent.
///
/// Each case holds exactly what its field can carry, so a length of 256 and more is never cut to one octet (Q21).
package enum ExpectedLength: Equatable, Sendable {
    /// A Le field of one octet: 1…255, and 0 for "up to 256".
    case short(UInt8)
    /// A Le field of two octets: 1…65535, and 0 for "up to 65536".
    case extended(UInt16)

    /// The Le that asks for at most `count` bytes; where the extended form is not `allowed`, never for more
    /// than 256. `count` is taken as at least 1 and at most 65536.
    package init(upTo count: Int, extended allowed: Bool) {
        switch count {
        case ...1: self = .short(1)
        case ...256: self = .short(UInt8(truncatingIfNeeded: count))
        case _ where !allowed: self = .short(0)
        case ...65_535: self = .extended(UInt16(count))
        default: self = .extended(0)
        }
    }

    /// The largest number of data bytes this field asks for, 1…65536.
    package var maximum: Int {
        switch self {
        case .short(let octet): octet == 0 ? 256 : Int(octet)
        case .extended(let octets): octets == 0 ? 65_536 : Int(octets)
        }
    }
}
