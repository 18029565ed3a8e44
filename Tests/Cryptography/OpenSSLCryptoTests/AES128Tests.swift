import Testing
import VectorFiles

@testable import OpenSSLCrypto

@Suite("AES-128")
struct AES128Tests {
    /// The key of FIPS 197, appendix B, and of SP 800-38A, appendix F.
    private static let key = "2b7e151628aed2a6abf7158809cf4f3c"
    /// SP 800-38A, F.2.1 and F.2.2 (CBC-AES128).
    private static let initialVector = "000102030405060708090a0b0c0d0e0f"
    private static let plaintext =
        "6bc1bee22e409f96e93d7e117393172a ae2d8a571e03ac9c9eb76fac45af8e51"
        + "30c81c46a35ce411e5fbc1191a0a52ef f69f2445df4f9b17ad2b417be66c3710"
    private static let ciphertext =
        "7649abac8119b246cee98e9b12e9197d 5086cb9b507219ee95db113a917678b2"
        + "73bed6b8e3c1743b7116e69e22229516 3ff1caa1681fac09120eca307586e1a7"

    private static func cipher(_ key: String = key) throws -> AES128 {
        try AES128(key: SecretBytes(copying: key.bytes[...]))
    }

    @Test(
        "The blocks of FIPS 197 and SP 800-38A come out in both directions",
        arguments: [
            // FIPS 197, appendix B.
            (key, "3243f6a8885a308d313198a2e0370734", "3925841d02dc09fbdc118597196a0b32"),
            // FIPS 197, appendix C.1.
            (
                "000102030405060708090a0b0c0d0e0f", "00112233445566778899aabbccddeeff",
                "69c4e0d86a7b0430d8cdb78070b4c55a"
            ),
            // SP 800-38A, F.1.1 and F.1.2 (ECB-AES128), first and last block.
            (key, "6bc1bee22e409f96e93d7e117393172a", "3ad77bb40d7a3660a89ecaf32466ef97"),
            (key, "f69f2445df4f9b17ad2b417be66c3710", "7b0c785e27e8ad3f8223207104725dd4"),
        ])
    func blocks(key: String, plaintext: String, ciphertext: String) throws {
        var cipher = try Self.cipher(key)
        #expect(try cipher.encryptBlock(plaintext.bytes[...]).hex == ciphertext)
        #expect(try cipher.decryptBlock(ciphertext.bytes[...]).hex == plaintext)
        let secret = try cipher.encryptSecretBlock(plaintext.bytes[...])
        let equals = secret.equals(SecretBytes(copying: ciphertext.bytes[...]))
        #expect(equals)
    }

    @Test("Another key, by one bit, gives another block")
    func otherKey() throws {
        var cipher = try Self.cipher("2b7e151628aed2a6abf7158809cf4f3d")
        let block = try cipher.encryptBlock("6bc1bee22e409f96e93d7e117393172a".bytes[...])
        #expect(block.hex != "3ad77bb40d7a3660a89ecaf32466ef97")
    }

    @Test("The CBC example of SP 800-38A comes out in both directions, again and again from one value")
    func chaining() throws {
        var cipher = try Self.cipher()
        let (plaintext, ciphertext) = (Self.plaintext.bytes, Self.ciphertext.bytes)
        for _ in 0..<2 {
            let vector = Self.initialVector.bytes[...]
            #expect(try cipher.encryptCBC(plaintext[...], initialVector: vector) == ciphertext)
            #expect(try cipher.decryptCBC(ciphertext[...], initialVector: vector) == plaintext)
        }
        // A message continues where its first half ended, with the last block as the vector.
        let rest = try cipher.encryptCBC(plaintext[32...], initialVector: ciphertext[16..<32])
        #expect(rest == [UInt8](ciphertext[32...]))
    }

    @Test("Another initial vector changes the first decrypted block only")
    func otherVector() throws {
        var cipher = try Self.cipher()
        var vector = Self.initialVector.bytes
        vector[15] ^= 1
        let decrypted = try cipher.decryptCBC(Self.ciphertext.bytes[...], initialVector: vector[...])
        var expected = Self.plaintext.bytes
        expected[15] ^= 1
        #expect(decrypted == expected)
    }

    @Test("An empty message stays empty")
    func empty() throws {
        var cipher = try Self.cipher()
        #expect(try cipher.encryptCBC([], initialVector: Self.initialVector.bytes[...]) == [])
        #expect(try cipher.decryptCBC([], initialVector: Self.initialVector.bytes[...]) == [])
    }

    @Test("A part of a block is refused, and so is a vector of another size", arguments: [1, 15, 17, 31])
    func sizes(count: Int) throws {
        var cipher = try Self.cipher()
        let bytes = [UInt8](repeating: 7, count: count)[...]
        let block = [UInt8](repeating: 7, count: 16)[...]
        #expect(throws: OpenSSLCryptoError.blockSizeWrong) { try cipher.encryptBlock(bytes) }
        #expect(throws: OpenSSLCryptoError.blockSizeWrong) { try cipher.decryptBlock(bytes) }
        #expect(throws: OpenSSLCryptoError.blockSizeWrong) { _ = try cipher.encryptSecretBlock(bytes) }
        #expect(throws: OpenSSLCryptoError.blockSizeWrong) {
            try cipher.encryptCBC(bytes, initialVector: block)
        }
        #expect(throws: OpenSSLCryptoError.blockSizeWrong) {
            try cipher.decryptCBC(bytes, initialVector: block)
        }
        #expect(throws: OpenSSLCryptoError.blockSizeWrong) {
            try cipher.encryptCBC(block, initialVector: bytes)
        }
    }

    @Test("Two blocks are not one block")
    func twoBlocks() throws {
        var cipher = try Self.cipher()
        #expect(throws: OpenSSLCryptoError.blockSizeWrong) {
            try cipher.encryptBlock([UInt8](repeating: 0, count: 32)[...])
        }
    }

    @Test("Keys of other sizes are refused", arguments: [0, 15, 17, 24, 32])
    func keySizes(count: Int) {
        #expect(throws: OpenSSLCryptoError.keySizeWrong) {
            _ = try AES128(key: SecretBytes(copying: [UInt8](repeating: 1, count: count)[...]))
        }
    }
}
