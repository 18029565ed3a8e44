/// The two status bytes SW1-SW2 at the end of a response APDU (ISO/IEC 7816-4, 5.6).
package struct StatusWord: RawRepresentable, Hashable, Sendable {
    /// SW1 in the high byte and SW2 in the low byte.
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// 9000: success.
    package static let success = Self(rawValue: 0x9000)
    /// 6282: the file ended before Le bytes.
    package static let endOfFile = Self(rawValue: 0x6282)
    /// 6700: wrong length.
    package static let wrongLength = Self(rawValue: 0x6700)
    /// 6881: logical channel not supported.
    package static let channelNotSupported = Self(rawValue: 0x6881)
    /// 6884: command chaining not supported.
    package static let chainingNotSupported = Self(rawValue: 0x6884)
    /// 6982: security status not satisfied.
    package static let securityStatusNotSatisfied = Self(rawValue: 0x6982)
    /// 6985: conditions of use not satisfied.
    package static let conditionsNotSatisfied = Self(rawValue: 0x6985)
    /// 6986: command not allowed, no current file.
    package static let commandNotAllowed = Self(rawValue: 0x6986)
    /// 6a80: incorrect data field.
    package static let incorrectData = Self(rawValue: 0x6a80)
    /// 6a81: function not supported.
    package static let functionNotSupported = Self(rawValue: 0x6a81)
    /// 6a82: file or application not found.
    package static let notFound = Self(rawValue: 0x6a82)
    /// 6a84: not enough room in the file.
    package static let notEnoughRoom = Self(rawValue: 0x6a84)
    /// 6a86: incorrect P1 or P2.
    package static let incorrectParameters = Self(rawValue: 0x6a86)
    /// 6b00: offset outside the file.
    package static let wrongParameters = Self(rawValue: 0x6b00)
    /// 6d00: instruction not supported.
    package static let instructionNotSupported = Self(rawValue: 0x6d00)
    /// 6e00: class not supported.
    package static let classNotSupported = Self(rawValue: 0x6e00)
    /// 6f00: no precise diagnosis.
    package static let unknownError = Self(rawValue: 0x6f00)

    /// Returns 61xx: `count` more bytes are available with GET RESPONSE. A count of 256 or more is announced
    /// as 6100.
    package static func moreAvailable(_ count: Int) -> Self {
        Self(rawValue: 0x6100 | UInt16(count > 255 ? 0 : max(count, 1)))
    }

    /// The number of bytes that 61xx announces: 1…255, or 256 for "256 or more". `nil` for other status
    /// words.
    package var bytesAvailable: Int? {
        guard rawValue >> 8 == 0x61 else { return nil }
        return rawValue & 0xff == 0 ? 256 : Int(rawValue & 0xff)
    }

    /// The Le that the card accepts according to 6cxx, 1…256. `nil` for other status words.
    package var acceptedLength: Int? {
        guard rawValue >> 8 == 0x6c else { return nil }
        return rawValue & 0xff == 0 ? 256 : Int(rawValue & 0xff)
    }
}

extension StatusWord: CustomStringConvertible {
    /// Four lower-case hexadecimal digits such as "6a82".
    package var description: String {
        let digits = String(rawValue, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}
