extension CommandAPDU {
    /// Parses a command of any of the seven forms of ISO/IEC 7816-4, 5.1: case 1, and cases 2 to 4 short and
    /// extended.
    package static func parse(_ bytes: ArraySlice<UInt8>) throws(ISO7816Error) -> CommandAPDU {
        guard bytes.count >= 4 else { throw .truncated(at: bytes.count) }
        let body = bytes.dropFirst(4)
        let fields =
            switch body.count {
            case 0: Fields(data: body, expectedLength: nil)
            case 1: Fields(data: [], expectedLength: .short(body[body.startIndex]))
            default: try fields(of: body)
            }
        let header = bytes.startIndex
        return CommandAPDU(
            cla: bytes[header], ins: bytes[header + 1], p1: bytes[header + 2], p2: bytes[header + 3],
            data: fields.data, expectedLength: fields.expectedLength)
    }

    /// The parts of a command after its header.
    private struct Fields {
        let data: ArraySlice<UInt8>
        let expectedLength: ExpectedLength?
    }

    /// Parses the length fields and the data after the header. The body has at least two bytes.
    private static func fields(of body: ArraySlice<UInt8>) throws(ISO7816Error) -> Fields {
        // A length field that begins with 00 is extended.
        guard let first = body.first, first == 0 else { return try shortFields(of: body) }
        guard body.count >= 3 else { throw .truncated(at: 4 + body.count) }
        let length = word(in: body, at: 1)
        if body.count == 3 { return Fields(data: [], expectedLength: .extended(length)) }
        guard length > 0 else { throw .lengthMismatch }
        let data = body.dropFirst(3).prefix(Int(length))
        guard data.count == Int(length) else { throw .truncated(at: 4 + body.count) }
        switch body.count - 3 - data.count {
        case 0: return Fields(data: data, expectedLength: nil)
        case 2: return Fields(data: data, expectedLength: .extended(word(in: body, at: body.count - 2)))
        default: throw .lengthMismatch
        }
    }

    /// Parses a short Lc, the data, and a short Le if there is one.
    private static func shortFields(of body: ArraySlice<UInt8>) throws(ISO7816Error) -> Fields {
        let length = Int(body[body.startIndex])
        let data = body.dropFirst().prefix(length)
        guard data.count == length else { throw .truncated(at: 4 + body.count) }
        switch body.count - 1 - length {
        case 0: return Fields(data: data, expectedLength: nil)
        case 1: return Fields(data: data, expectedLength: .short(body[body.endIndex - 1]))
        default: throw .lengthMismatch
        }
    }

    private static func word(in bytes: ArraySlice<UInt8>, at offset: Int) -> UInt16 {
        let index = bytes.startIndex + offset
        return UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1])
    }
}
