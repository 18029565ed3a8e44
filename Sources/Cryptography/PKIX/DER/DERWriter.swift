/// A writer of DER (X.690 10).
package struct DERWriter: Sendable {
    /// The bytes written so far.
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// Returns the bytes that `body` writes.
    package static func encode(_ body: (inout DERWriter) -> Void) -> [UInt8] {
        var writer = DERWriter()
        body(&writer)
        return writer.bytes
    }

    /// Writes an element with the given contents.
    package mutating func write(_ tag: UInt8, contents: some Collection<UInt8>) {
        bytes.append(tag)
        if contents.count > 0x7f {
            // A length above 0x7f is preceded by a byte that says how many bytes the length has (X.690
            // 8.1.3.5).
            let size = (Int.bitWidth - contents.count.leadingZeroBitCount + 7) / 8
            bytes.append(0x80 | UInt8(size))
            for index in (0..<size).reversed() {
                bytes.append(UInt8(truncatingIfNeeded: contents.count >> (8 * index)))
            }
        } else {
            bytes.append(UInt8(contents.count))
        }
        bytes += contents
    }

    /// Writes an element with the contents that `body` writes.
    package mutating func write(_ tag: UInt8, _ body: (inout DERWriter) -> Void) {
        write(tag, contents: Self.encode(body))
    }

    package mutating func write(encoded: some Collection<UInt8>) {
        bytes += encoded
    }

    package mutating func writeBoolean(_ value: Bool) {
        write(DERTag.boolean, contents: [value ? 0xff : 0x00])
    }

    /// Writes an INTEGER from the big-endian bytes of a non-negative number.
    package mutating func writeInteger(unsigned bytes: some Collection<UInt8>) {
        let digits = [UInt8](bytes.drop { $0 == 0 })
        // A zero byte keeps the number positive. The number zero, which has no digits, is this byte alone.
        // `??` binds tighter than `>`.
        write(DERTag.integer, contents: (digits.first ?? 0x80 > 0x7f ? [0] : []) + digits)
    }

    /// Writes an INTEGER from a non-negative number.
    package mutating func writeInteger(_ value: UInt) {
        writeInteger(unsigned: (0..<8).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
    }

    /// Writes a BIT STRING of whole bytes. Its first byte is the number of unused bits, 0.
    package mutating func writeBitString(_ contents: some Collection<UInt8>) {
        write(DERTag.bitString, contents: [0] + contents)
    }

    package mutating func writeOctetString(_ contents: some Collection<UInt8>) {
        write(DERTag.octetString, contents: contents)
    }

    package mutating func write(_ identifier: ObjectIdentifier) {
        write(DERTag.objectIdentifier, contents: identifier.encoded)
    }

    /// Writes a UTCTime or GeneralizedTime, whichever RFC 5280 4.1.2.5 requires.
    package mutating func writeTime(secondsSince1970 seconds: Int64) {
        let (tag, contents) = DERTime.text(ofSeconds: seconds)
        write(tag, contents: contents)
    }
}
