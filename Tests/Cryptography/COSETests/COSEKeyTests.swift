import CBOR
import COSE
import OpenSSLCrypto
import Testing
import VectorFiles

@Suite("COSE_Key")
struct COSEKeyTests {
    /// The numbers of IANA "COSE Elliptic Curves".
    static let curves: [(Curve, Int64)] = [
        (.p256, 1), (.p384, 2), (.p521, 3), (.x25519, 4), (.x448, 5), (.ed25519, 6), (.ed448, 7),
        (.brainpoolP256r1, 256), (.brainpoolP320r1, 257), (.brainpoolP384r1, 258), (.brainpoolP512r1, 259),
    ]

    /// A key written by hand: type, curve, x, y, and what else.
    private func encoded(
        type: Int64, curve: Int64, x: [UInt8]?, y: [UInt8]? = nil, more: [(Int64, [UInt8])] = []
    ) -> [UInt8] {
        let members: [(Int64, [UInt8]?)] =
            [
                (-3, y), (-2, x.map { x in CBOREncoder.encode { $0.byteString(x) } }),
                (-1, CBOREncoder.encode { $0.integer(curve) }), (1, CBOREncoder.encode { $0.integer(type) }),
            ] + more.map { ($0.0, $0.1) }
        let present = members.compactMap { member in member.1.map { (member.0, $0) } }
        return CBOREncoder.encode { encoder in
            encoder.map(count: present.count)
            for (label, value) in present {
                encoder.integer(label)
                encoder.encoded(value)
            }
        }
    }

    private func parse(_ bytes: [UInt8]) throws -> COSEKey {
        try COSEKey(CBORItem.parse(bytes[...]))
    }

    private func bytes(_ content: [UInt8]) -> [UInt8] {
        CBOREncoder.encode { $0.byteString(content) }
    }

    @Test("A key of every curve is written and read", arguments: curves)
    func everyCurve(_ curve: Curve, identifier: Int64) throws {
        let pair = COSEKeyPair(try PrivateKey.generate(curve))
        let isEC2 = curve.family == .weierstrass
        let (x, y) = (pair.privateKey.x, pair.privateKey.y)
        let key = try COSEKey(pair.publicKeyBytes.item())
        #expect(key.curve == curve)
        #expect(try key.publicKey().x == x)
        #expect(try key.publicKey().y == y)
        // Members in another order are the same key, and the bytes stay as they came.
        let other = encoded(type: isEC2 ? 2 : 1, curve: identifier, x: x, y: isEC2 ? bytes(y) : nil)
        let read = try parse(other)
        #expect(read.curve == curve)
        #expect(try read.publicKey().encodedPoint == key.publicKey().encodedPoint)
        #expect(Array(read.encoded) == other)
        #expect(Curve(coseIdentifier: identifier) == curve)
    }

    @Test("y may be a sign alone", arguments: curves.filter { $0.0.family == .weierstrass })
    func compressed(_ curve: Curve, identifier: Int64) throws {
        let pair = COSEKeyPair(try PrivateKey.generate(curve))
        let isOdd = pair.privateKey.y.last.map { $0 & 1 == 1 } ?? false
        let right = try parse(
            encoded(type: 2, curve: identifier, x: pair.privateKey.x, y: [isOdd ? 0xf5 : 0xf4]))
        #expect(try right.publicKey().y == pair.privateKey.y)
        let wrong = try parse(
            encoded(type: 2, curve: identifier, x: pair.privateKey.x, y: [isOdd ? 0xf4 : 0xf5]))
        #expect(try wrong.publicKey().y != pair.privateKey.y)
    }

    @Test(
        "Q48 A point off its curve, or of another curve, is refused",
        arguments: curves.filter { $0.0.family == .weierstrass })
    func offCurve(_ curve: Curve, identifier: Int64) throws {
        let pair = COSEKeyPair(try PrivateKey.generate(curve))
        var y = pair.privateKey.y
        y[y.count - 1] ^= 1
        let off = try parse(encoded(type: 2, curve: identifier, x: pair.privateKey.x, y: bytes(y)))
        #expect(throws: COSEError.keyNotUsable) { _ = try off.publicKey() }
        let zero = [UInt8](repeating: 0, count: curve.coordinateSize)
        let origin = try parse(encoded(type: 2, curve: identifier, x: zero, y: bytes(zero)))
        #expect(throws: COSEError.keyNotUsable) { _ = try origin.publicKey() }
        let top = [UInt8](repeating: 0xff, count: curve.coordinateSize)
        let beyond = try parse(encoded(type: 2, curve: identifier, x: top, y: bytes(top)))
        #expect(throws: COSEError.keyNotUsable) { _ = try beyond.publicKey() }
    }

    @Test(
        "Q218 Coordinates of another size are refused, and of one that lacks its leading zero byte that is said",
        arguments: curves)
    func sizes(_ curve: Curve, identifier: Int64) throws {
        let pair = COSEKeyPair(try PrivateKey.generate(curve))
        let isEC2 = curve.family == .weierstrass
        let (x, y) = (pair.privateKey.x, pair.privateKey.y)
        for bad in [[], Array(x.dropLast()), [0] + x, x + [0]] {
            let key = try parse(
                encoded(type: isEC2 ? 2 : 1, curve: identifier, x: bad, y: isEC2 ? bytes(y) : nil))
            #expect(throws: Self.error(bad, on: curve)) { _ = try key.publicKey() }
        }
        guard isEC2 else { return }
        for bad in [[], Array(y.dropLast()), [0] + y] {
            let key = try parse(encoded(type: 2, curve: identifier, x: x, y: bytes(bad)))
            #expect(throws: Self.error(bad, on: curve)) { _ = try key.publicKey() }
        }
    }

    private static func error(_ coordinate: [UInt8], on curve: Curve) -> COSEError {
        curve.family == .weierstrass && coordinate.count < curve.coordinateSize
            ? .coordinateTooShort(count: coordinate.count, size: curve.coordinateSize) : .keyNotUsable
    }

    @Test("Q48 The key type has to be the curve's, and the curve a known one", arguments: curves)
    func keyType(_ curve: Curve, identifier: Int64) throws {
        let x = [UInt8](repeating: 1, count: curve.coordinateSize)
        let wrong: Int64 = curve.family == .weierstrass ? 1 : 2
        #expect(throws: COSEError.keyNotUsable) {
            try parse(encoded(type: wrong, curve: identifier, x: x, y: bytes(x)))
        }
        #expect(throws: COSEError.keyNotUsable) {
            try parse(encoded(type: 4, curve: identifier, x: x, y: bytes(x)))
        }
        for unknown in [0, 8, 255, 260, -1] as [Int64] {
            #expect(throws: COSEError.keyNotUsable) {
                try parse(encoded(type: 2, curve: unknown, x: x, y: bytes(x)))
            }
        }
    }

    @Test("A key with its private part is refused")
    func privatePart() throws {
        let pair = COSEKeyPair(try PrivateKey.generate(.p256))
        let (x, y) = (pair.privateKey.x, pair.privateKey.y)
        let key = encoded(type: 2, curve: 1, x: x, y: bytes(y), more: [(-4, bytes([1, 2, 3]))])
        #expect(throws: COSEError.privateKeyPresent) { try parse(key) }
        // Other members are of no concern: alg (3) may be there or not (Q151).
        _ = try parse(encoded(type: 2, curve: 1, x: x, y: bytes(y), more: [(3, [0x26])])).publicKey()
        _ = try parse(encoded(type: 2, curve: 1, x: x, y: bytes(y), more: [(2, bytes([1]))])).publicKey()
    }

    @Test("Q151 A device key without algorithm is read")
    func withoutAlgorithm() throws {
        let pair = COSEKeyPair(try PrivateKey.generate(.p256))
        let item = try pair.publicKeyBytes.item()
        #expect(try item.map()[3] == nil)
        _ = try COSEKey(item).publicKey()
    }

    @Test("Members missing or of another type are malformed")
    func malformed() throws {
        let x = [UInt8](repeating: 1, count: 32)
        #expect(throws: COSEError.malformed(.key)) {
            try parse(encoded(type: 2, curve: 1, x: nil, y: bytes(x)))
        }
        #expect(throws: COSEError.malformed(.key)) { try parse(encoded(type: 2, curve: 1, x: x)) }
        #expect(throws: COSEError.malformed(.key)) { try parse(encoded(type: 2, curve: 1, x: x, y: [0x00])) }
        #expect(throws: COSEError.malformed(.key)) { try parse(encoded(type: 2, curve: 1, x: x, y: [0xf6])) }
        #expect(throws: COSEError.malformed(.key)) { try parse([0x80]) }
        #expect(throws: COSEError.malformed(.key)) { try parse([0xa0]) }
        #expect(throws: COSEError.malformed(.key)) { try parse([UInt8](hex: "a1016145")) }
    }
}
