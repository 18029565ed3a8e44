/// Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators": a seeded generator, so that a test
/// meets the same input every time.
package struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// `bytes` with one to four changes: a byte replaced, a bit flipped, bytes removed, inserted or cut off.
    package mutating func mutate(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &self) {
            let index = Int.random(in: 0...bytes.count, using: &self)
            switch Int.random(in: 0..<5, using: &self) {
            case 0 where index < bytes.count: bytes[index] = UInt8.random(in: 0...255, using: &self)
            case 1 where index < bytes.count: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &self)
            case 2 where index < bytes.count: bytes.remove(at: index)
            case 3: bytes.insert(UInt8.random(in: 0...255, using: &self), at: index)
            default: bytes.removeSubrange(index...)
            }
        }
        return bytes
    }
}
