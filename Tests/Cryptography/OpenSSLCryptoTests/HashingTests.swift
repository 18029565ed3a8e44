import Testing
import VectorFiles

@testable import OpenSSLCrypto

@Suite("Hashing")
struct HashingTests {
    private static let abc: [HashAlgorithm: String] = [
        .sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        .sha384: "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed"
            + "8086072ba1e7cc2358baeca134c825a7",
        .sha512: "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
            + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
    ]

    @Test(
        "The digests of FIPS 180-4's example come out, in one piece and in three",
        arguments: HashAlgorithm.allCases)
    func digests(algorithm: HashAlgorithm) throws {
        let expected = try #require(Self.abc[algorithm])
        let message = [UInt8]("abc".utf8)
        let digest = Digest(algorithm, of: message[...])
        #expect(digest.bytes.hex == expected)
        #expect(digest.count == algorithm.digestSize)
        let parts = Digest(algorithm, ofParts: [message[..<1], [], message[1...]])
        #expect(parts.bytes.hex == expected)
    }

    @Test("A digest equals itself, and not itself with a bit flipped, cut or lengthened")
    func comparison() {
        let digest = Digest(.sha256, of: [1, 2, 3])
        let bytes = digest.bytes
        #expect(digest.equals(bytes[...]))
        for index in bytes.indices {
            var other = bytes
            other[index] ^= 0x10
            #expect(!digest.equals(other[...]))
        }
        #expect(!digest.equals(bytes.dropLast()))
        #expect(!digest.equals((bytes + [0])[...]))
        #expect(!digest.equals([]))
    }

    @Test("HMAC of RFC 4231 cases 1 and 2 comes out")
    func hmac() throws {
        let key = SecretBytes(copying: [UInt8](repeating: 0x0b, count: 20)[...])
        let tag = try hmacSHA256(key: key, over: [[UInt8]("Hi ".utf8)[...], [UInt8]("There".utf8)[...]])
        #expect(tag.hex == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
        let second = try hmacSHA256(
            key: SecretBytes(copying: [UInt8]("Jefe".utf8)[...]),
            over: [[UInt8]("what do ya want for nothing?".utf8)[...]])
        #expect(second.hex == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    }

    @Test("Different bytes or lengths are not equal")
    func constantTime() {
        #expect(constantTimeEquals([1, 2], [1, 2]))
        #expect(constantTimeEquals([], []))
        #expect(!constantTimeEquals([1, 2], [1, 3]))
        #expect(!constantTimeEquals([1, 2], [1]))
        #expect(!constantTimeEquals([], [0]))
    }
}
