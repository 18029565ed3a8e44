extension OSDPCard {
    /// The data of the reply RAW for this card: reader 0, format 0, the number of bits (2 bytes, low byte first), and
    /// the bits from the first byte's highest bit.
    ///
    /// H10301 (26 bits) has 8 bits facility and 16 bits number; H10306 (34 bits) has 16 bits of each. The first bit
    /// makes the parity of the first half even, and the last bit makes that of the second half odd.
    ///
    /// `nil` for another number of bits, or if facility or number does not fit.
    var rawData: [UInt8]? {
        let facilityBits: Int
        switch bits {
        case 26: facilityBits = 8
        case 34: facilityBits = 16
        default: return nil
        }
        guard (0..<(1 << facilityBits)).contains(facility), (0...0xffff).contains(number) else { return nil }
        let content = UInt64(facility) << 16 | UInt64(number)
        let half = (facilityBits + 16) / 2
        let first = UInt64((content >> half).nonzeroBitCount & 1)
        let last = UInt64((content & (1 << half - 1)).nonzeroBitCount & 1 ^ 1)
        let all = first << (bits - 1) | content << 1 | last
        // The bits are moved to the top of a word, so that its bytes are the bytes of the reply.
        let aligned = all << (64 - bits)
        let bytes = (0..<((bits + 7) / 8)).map { UInt8(truncatingIfNeeded: aligned >> (56 - 8 * $0)) }
        return [0, 0, UInt8(bits), 0] + bytes
    }
}
