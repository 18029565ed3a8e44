extension DERReader {
    /// Reads a BOOLEAN (X.690 8.2 and 11.1).
    package mutating func readBoolean() throws(PKIXError) -> Bool {
        let start = position
        let contents = try read(DERTag.boolean)
        guard contents.count == 1, let byte = contents.first, byte == 0x00 || byte == 0xff else {
            throw .valueMalformed(at: start)
        }
        return byte == 0xff
    }

    /// Reads an INTEGER and returns its contents, which must have their shortest form (X.690 8.3).
    package mutating func readInteger() throws(PKIXError) -> ArraySlice<UInt8> {
        let start = position
        let contents = try read(DERTag.integer)
        guard let first = contents.first else { throw .valueMalformed(at: start) }
        if contents.count > 1 {
            let second = contents[contents.startIndex + 1]
            guard !(first == 0x00 && second < 0x80), !(first == 0xff && second > 0x7f) else {
                throw .valueMalformed(at: start)
            }
        }
        return contents
    }

    /// Reads a non-negative INTEGER and returns its bytes without a leading zero; empty for zero.
    package mutating func readUnsignedInteger() throws(PKIXError) -> ArraySlice<UInt8> {
        let start = position
        let contents = try readInteger()
        guard let first = contents.first, first < 0x80 else { throw .valueMalformed(at: start) }
        return first == 0 ? contents.dropFirst() : contents
    }

    /// Reads an INTEGER from 0 to 2³¹ − 1.
    package mutating func readSmallInteger() throws(PKIXError) -> Int {
        let start = position
        let bytes = try readUnsignedInteger()
        guard bytes.count <= 4 else { throw .valueMalformed(at: start) }
        let value = bytes.reduce(0) { $0 << 8 | Int($1) }
        guard value <= Int(Int32.max) else { throw .valueMalformed(at: start) }
        return value
    }

    /// Reads a BIT STRING of whole bytes (X.690 8.6), without its count of unused bits.
    package mutating func readOctetAlignedBitString() throws(PKIXError) -> ArraySlice<UInt8> {
        let start = position
        let contents = try read(DERTag.bitString)
        guard contents.first == 0 else { throw .valueMalformed(at: start) }
        return contents.dropFirst()
    }

    /// Reads an OBJECT IDENTIFIER (X.690 8.19).
    package mutating func readObjectIdentifier() throws(PKIXError) -> ObjectIdentifier {
        let start = position
        let contents = try read(DERTag.objectIdentifier)
        guard let identifier = ObjectIdentifier(encoded: contents) else { throw .valueMalformed(at: start) }
        return identifier
    }
}
