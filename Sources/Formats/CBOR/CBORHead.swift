/// The head of an item: its major type and argument (RFC 8949 3).
struct CBORHead {
    let major: UInt8
    /// The additional information: the low five bits of the first byte.
    let information: UInt8
    /// The value of an integer, the length of a string, the number of members, or the number of a tag.
    let argument: UInt64
    /// The number of bytes of the head, 1 to 9.
    let size: Int

    var isIndefinite: Bool { information == 31 }

    /// Whether the argument has more bytes than it needs. Always false for floats and simple values, whose
    /// shorter forms have other meanings.
    var isLongerThanNeeded: Bool {
        guard major != 7 else { return false }
        switch information {
        case 24: return argument < 24
        case 25: return argument <= 0xff
        case 26: return argument <= 0xffff
        case 27: return argument <= 0xffff_ffff
        default: return false
        }
    }

    /// The value of a float of any width; `nil` for any other item (RFC 8949 3.3).
    var float: Double? {
        guard major == 7 else { return nil }
        switch information {
        case 25: return Double(Float16(bitPattern: UInt16(argument)))
        case 26: return Double(Float(bitPattern: UInt32(argument)))
        case 27: return Double(bitPattern: argument)
        default: return nil
        }
    }

    /// Parses the head at `position`.
    ///
    /// - Parameter base: the index of the span's first byte in the received buffer, for errors.
    @inline(__always)
    init(_ span: borrowing Span<UInt8>, at position: Int, base: Int) throws(CBORError) {
        guard position < span.count else { throw .truncated(at: base + position) }
        let initial = span[position]
        major = initial >> 5
        information = initial & 31
        if information < 24 {
            argument = UInt64(information)
            size = 1
            return
        }
        // The value 31 announces an indefinite length or is the "break". In both cases the head has no
        // argument.
        if information == 31 {
            argument = 0
            size = 1
            return
        }
        guard information < 28 else { throw .reservedAdditionalInformation(at: base + position) }
        let width = 1 << Int(information - 24)
        guard width < span.count - position else { throw .truncated(at: base + span.count) }
        argument = Self.argument(span, after: position, width: width)
        size = 1 + width
    }

    /// Reads the head of an item that a `CBORWalker` has checked. The head therefore cannot be truncated.
    @inline(__always)
    init(checked span: borrowing Span<UInt8>, at position: Int) {
        let initial = span[position]
        major = initial >> 5
        information = initial & 31
        if information < 24 {
            argument = UInt64(information)
            size = 1
        } else if information == 31 {
            argument = 0
            size = 1
        } else {
            let width = 1 << Int(information - 24)
            argument = Self.argument(span, after: position, width: width)
            size = 1 + width
        }
    }

    /// Returns the big-endian number in the `width` bytes after `position`.
    @inline(__always)
    private static func argument(_ span: borrowing Span<UInt8>, after position: Int, width: Int) -> UInt64 {
        var value = UInt64(span[position + 1])
        // Most arguments have one byte or two.
        guard width > 1 else { return value }
        for offset in 2...width { value = value << 8 | UInt64(span[position + offset]) }
        return value
    }
}
