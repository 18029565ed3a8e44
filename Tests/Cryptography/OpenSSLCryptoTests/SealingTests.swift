import Testing
import VectorFiles

@testable import OpenSSLCrypto

@Suite("Sealing")
struct SealingTests {
    private static func key(_ byte: UInt8 = 7, count: Int = 32) -> SecretBytes {
        SecretBytes(copying: [UInt8](repeating: byte, count: count)[...])
    }

    @Test("Messages open in the order they were sealed, the empty one too")
    func inOrder() throws {
        var sealing = try AESGCMSealingKey(key: Self.key(), noncePrefix: 1)
        var opening = try AESGCMOpeningKey(key: Self.key(), noncePrefix: 1)
        for message: [UInt8] in [[1, 2, 3], [], [UInt8](repeating: 9, count: 5000)] {
            let sealed = try sealing.seal(message[...])
            #expect(sealed.count == message.count + 16)
            #expect(try opening.open(sealed[...]) == message)
        }
        // Each message took one nonce on both sides.
        var cipher = try AESGCM(key: Self.key())
        let third: InlineArray<12, UInt8> = [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 3]
        let fourth: InlineArray<12, UInt8> = [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 4]
        let (earlier, expected) = (try cipher.seal([7], nonce: third), try cipher.seal([7], nonce: fourth))
        let next = try sealing.seal([7])
        #expect(next == expected && next != earlier)
        #expect(try opening.open(next[...]) == [7])
    }

    @Test("The request of Annex D opens with SKReader and its nonce of prefix 0 and counter 1")
    func annexD() throws {
        let establishment = try VectorFiles.annexD("sessionEstablishment")
        let request = try VectorFiles.annexD("deviceRequest")
        var opening = try AESGCMOpeningKey(
            key: SecretBytes(copying: VectorFiles.annexD("skReader")[...]), noncePrefix: 0)
        #expect(try opening.open(establishment.suffix(request.count + 16)) == request)
        var sealing = try AESGCMSealingKey(
            key: SecretBytes(copying: VectorFiles.annexD("skReader")[...]), noncePrefix: 0)
        let sealed = try sealing.seal(request[...])
        #expect(sealed == [UInt8](establishment.suffix(request.count + 16)))
    }

    @Test("After one message fails to decrypt, no further message is decrypted", arguments: [0, 5, 20])
    func failureSpendsTheKey(flipped: Int) throws {
        var sealing = try AESGCMSealingKey(key: Self.key(), noncePrefix: 1)
        var opening = try AESGCMOpeningKey(key: Self.key(), noncePrefix: 1)
        var first = try sealing.seal([1, 2, 3, 4, 5])
        let second = try sealing.seal([6])
        first[flipped] ^= 1
        #expect(throws: OpenSSLCryptoError.authenticationFailed) { try opening.open(first[...]) }
        #expect(throws: OpenSSLCryptoError.keySpent) { try opening.open(second[...]) }
    }

    @Test("A message out of order, of the other direction, under another key or too short does not open")
    func wrongContext() throws {
        var sealing = try AESGCMSealingKey(key: Self.key(), noncePrefix: 1)
        let (first, second) = (try sealing.seal([1]), try sealing.seal([1]))
        #expect(first != second)
        let attempts: [(UInt8, UInt64, ArraySlice<UInt8>)] = [
            (7, 1, second[...]), (7, 0, first[...]), (8, 1, first[...]), (7, 1, first.prefix(15)), (7, 1, []),
        ]
        for (byte, prefix, sealed) in attempts {
            var opening = try AESGCMOpeningKey(key: Self.key(byte), noncePrefix: prefix)
            #expect(throws: OpenSSLCryptoError.authenticationFailed) { try opening.open(sealed) }
        }
    }

    @Test("The last nonce is 2³² − 1, and then the key is spent")
    func counterEnds() throws {
        var nonces = NonceCounter(prefix: 0x0102_0304_0506_0708, used: .max - 1)
        let last = try nonces.next()
        #expect(last.indices.map { last[$0] }.hex == "0102030405060708ffffffff")
        #expect(throws: OpenSSLCryptoError.keySpent) { _ = try nonces.next() }
    }

    @Test("Keys of other sizes are refused", arguments: [0, 15, 24, 31, 33])
    func keySizes(count: Int) {
        #expect(throws: OpenSSLCryptoError.keySizeWrong) {
            _ = try AESGCMSealingKey(key: Self.key(count: count), noncePrefix: 0)
        }
    }
}
