internal import CBOR
package import OpenSSLCrypto

/// The source of a test wallet's keys and random bytes: OpenSSL's generator, or a seed.
///
/// A seed gives the same keys and bytes in each run. Anybody who knows the seed knows the keys.
package enum TestEntropy: Sendable {
    case openSSL
    case seed(String)

    /// Returns `count` random bytes. With a seed, the bytes are always the same for the same purpose.
    package func bytes(_ count: Int, for purpose: String) throws(OpenSSLCryptoError) -> [UInt8] {
        guard case .seed(let seed) = self else { return try randomBytes(count) }
        var bytes: [UInt8] = []
        var block = 0
        while bytes.count < count {
            let label = "\(seed)\u{0}\(purpose)\u{0}\(block)"
            bytes += Digest(.sha256, of: Array(label.utf8)[...]).bytes
            block += 1
        }
        return Array(bytes.prefix(count))
    }

    /// Makes a private key. With a seed, the key is always the same for the same purpose and curve.
    package func key(on curve: Curve, for purpose: String) throws(OpenSSLCryptoError) -> PrivateKey {
        guard case .seed = self else { return try PrivateKey.generate(curve) }
        // A number that is not below the order of the curve is not a valid key, so the next number is tried.
        for attempt in 0..<64 {
            var scalar = try bytes(curve.coordinateSize, for: "\(purpose) \(curve) \(attempt)")
            // The order of P-521 has 521 bits, and a scalar of 66 bytes has 528. With the seven surplus bits
            // random, only one attempt in 128 would succeed.
            if curve == .p521 { scalar[0] &= 1 }
            do throws(OpenSSLCryptoError) {
                return try PrivateKey(curve: curve, scalar: scalar[...])
            } catch .scalarOutOfRange {
                continue
            }
        }
        throw .scalarOutOfRange
    }

    /// Returns the numbers `0..<count` in pseudorandom order.
    func shuffled(_ count: Int, for purpose: String) throws(OpenSSLCryptoError) -> [Int] {
        var numbers = Array(0..<count)
        let draws = try bytes(4 * count, for: purpose)
        // A Fisher-Yates shuffle. The remainder makes some orders slightly more likely, which does not matter
        // for tests.
        for index in numbers.indices.dropFirst().reversed() {
            let draw = draws[4 * index..<4 * index + 4].reduce(0) { $0 << 8 | Int($1) }
            numbers.swapAt(index, draw % (index + 1))
        }
        return numbers
    }
}

extension TestEntropy: RedactedDescription {}
