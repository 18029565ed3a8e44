/// The BER-TLV data object '53', which carries a message in ENVELOPE and GET RESPONSE (ISO/IEC 7816-4, 5.2.2
/// and 11.7.2).
package enum DiscretionaryData {
    package static let tag: UInt8 = 0x53
    /// The maximum length of the value in bytes, with a length field of four bytes.
    package static let maximumLength = 0xff_ffff

    /// Returns the tag and the shortest length field for a value of `length` bytes; `nil` above
    /// `maximumLength`.
    package static func header(forLength length: Int) -> [UInt8]? {
        let low = UInt8(truncatingIfNeeded: length)
        let middle = UInt8(truncatingIfNeeded: length >> 8)
        switch length {
        case 0...0x7f: return [tag, low]
        case 0x80...0xff: return [tag, 0x81, low]
        case 0x100...0xffff: return [tag, 0x82, middle, low]
        case 0x1_0000...maximumLength:
            return [tag, 0x83, UInt8(truncatingIfNeeded: length >> 16), middle, low]
        default: return nil
        }
    }

    /// The tag and length field of a received data object.
    package struct Header: Equatable, Sendable {
        /// The number of bytes of tag and length field, 2…5.
        package let size: Int
        /// The number of bytes of the value.
        package let length: Int
    }

    /// Parses the tag and length field at the start of `bytes`; `nil` if they are not complete yet. A length
    /// in a longer form than needed is accepted, as ISO/IEC 7816-4, table 8 allows.
    package static func parseHeader(_ bytes: ArraySlice<UInt8>) throws(ISO7816Error) -> Header? {
        guard let first = bytes.first else { return nil }
        guard first == tag else { throw .unexpectedTag(first) }
        guard let form = bytes.dropFirst().first else { return nil }
        switch form {
        case ...0x7f: return Header(size: 2, length: Int(form))
        case 0x81...0x83:
            let octets = bytes.dropFirst(2).prefix(Int(form & 0x0f))
            guard octets.count == Int(form & 0x0f) else { return nil }
            return Header(size: 2 + octets.count, length: octets.reduce(0) { $0 << 8 | Int($1) })
        default: throw .unsupportedLengthForm(form)
        }
    }
}
