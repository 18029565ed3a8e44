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
