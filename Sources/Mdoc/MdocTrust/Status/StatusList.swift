package import CBOR
internal import ErrorMapping

/// The statuses of a Token Status List (draft-ietf-oauth-status-list, 4): a number of 1, 2, 4 or 8 bits for each document.
package struct StatusList: Sendable {
    /// The longest list that is opened, in bytes: 128 million documents at one bit.
    package static let maximumSize = 1 << 24

    private let bits: Int
    private let bytes: [UInt8]

    /// What a list says of a document (7.1).
    package enum Value: Equatable, Sendable {
        case valid
        case invalid
        /// Not for good.
        case suspended
        /// A meaning that only the issuer knows.
        case other(UInt8)
    }

    /// Opens `{"bits": …, "lst": …}`.
    package init(_ item: CBORItem, limit: Int = maximumSize) throws(StatusTokenError) {
        let (width, list): (UInt64, ArraySlice<UInt8>)
        do throws(CBORError) {
            let values = try item.map().values(of: ["bits", "lst"])
            guard let bits = values[0], let bytes = values[1] else { throw .missingMember(at: item.offset) }
            (width, list) = (try bits.unsigned(), try bytes.byteString())
        } catch {
            throw .malformed(error)
        }
        guard [1, 2, 4, 8].contains(width) else { throw .bitsWrong(width) }
        bits = Int(width)
        bytes = try mapping(Inflation.inflate(list, limit: limit)) {
            (error: Inflation.Failure) -> StatusTokenError in
            error == .tooLong ? .listTooLong : .listNotCompressed
        }
    }

    /// How many documents it has room for.
    package var count: Int { bytes.count * 8 / bits }

    /// Whether all that `other` revokes or suspends is revoked, or suspended too, by this list.
    func revokesAll(of other: StatusList) -> Bool {
        guard bits == other.bits else { return false }
        let places = 8 / bits
        return other.bytes.indices.allSatisfy { index in
            // Most bytes are alike.
            if index < bytes.count, bytes[index] == other.bytes[index] { return true }
            return (index * places..<(index + 1) * places).allSatisfy { place in
                let (own, before) = (self[UInt64(place)], other[UInt64(place)])
                return switch before {
                case .invalid: own == .invalid
                case .suspended: own == .invalid || own == .suspended
                case .valid, .other, nil: true
                }
            }
        }
    }

    /// Nil if the list has no such place.
    package subscript(_ index: UInt64) -> Value? {
        guard index < UInt64(count) else { return nil }
        let position = Int(index) * bits
        let value = bytes[position / 8] >> (position % 8) & UInt8(truncatingIfNeeded: (1 << bits) - 1)
        switch value {
        case 0: return .valid
        case 1: return .invalid
        case 2: return .suspended
        default: return .other(value)
        }
    }
}
