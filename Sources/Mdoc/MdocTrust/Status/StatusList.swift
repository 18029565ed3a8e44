package import CBOR
internal import ErrorMapping

/// The statuses of a Token Status List (draft-ietf-oauth-status-list, 4): 1, 2, 4 or 8 bits for each
/// document.
package struct StatusList: Sendable {
    /// The maximum size of the decompressed list in bytes: 2²⁷ documents at one bit each.
    package static let maximumSize = 1 << 24

    private let bits: Int
    private let bytes: [UInt8]

    /// The status of a document (draft-ietf-oauth-status-list, 7.1).
    package enum Value: Equatable, Sendable {
        case valid
        case invalid
        /// Suspended for now, and perhaps valid again later.
        case suspended
        /// A status whose meaning only the issuer knows.
        case other(UInt8)
    }

    /// Parses and decompresses `{"bits": …, "lst": …}`.
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

    /// The number of documents for which the list has room.
    package var count: Int { bytes.count * 8 / bits }

    /// Whether this list revokes everything that `other` revokes, and revokes or suspends everything that
    /// `other` suspends.
    func revokesAll(of other: StatusList) -> Bool {
        // Lists with different numbers of bits in a status are not compared. False is the safe answer,
        // because no list is dropped then.
        guard bits == other.bits else { return false }
        let places = 8 / bits
        return other.bytes.indices.allSatisfy { index in
            // Fast path, because lists have up to 2²⁷ statuses, and most bytes of two editions are equal.
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

    /// The status at `index`; `nil` if the list is shorter.
    package subscript(_ index: UInt64) -> Value? {
        guard index < UInt64(count) else { return nil }
        // The first status of a byte is in its lowest bits (draft-ietf-oauth-status-list, 4).
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
