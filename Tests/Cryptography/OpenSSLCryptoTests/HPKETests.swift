import Testing
import VectorFiles

@testable import OpenSSLCrypto

@Suite("HPKE")
struct HPKETests {
    @Test("The messages of RFC 9180, A.3.1 seal and open at each sequence number")
    func messages() throws {
        let vector = try RFC9180.base()
        var sealing = try HPKEContext(sharedSecret: vector.sent(), info: vector.info.bytes[...])
        var opening = try HPKEContext(sharedSecret: vector.received(), info: vector.info.bytes[...])
        var compared = 0
        for number in 0...256 {
            // The recipient's messages have to come in order: what A.3.1 leaves out is sealed here.
            guard let expected = vector.encryptions.first(where: { $0.seq == number }) else {
                let between = try sealing.seal([1, 2, 3], authenticating: [])
                #expect(try opening.open(between[...], authenticating: []) == [1, 2, 3])
                continue
            }
            let sealed = try sealing.seal(expected.pt.bytes[...], authenticating: expected.aad.bytes[...])
            #expect(sealed.hex == expected.ct, "sequence number \(number)")
            let opened = try opening.open(expected.ct.bytes[...], authenticating: expected.aad.bytes[...])
            #expect(opened.hex == expected.pt, "sequence number \(number)")
            compared += 1
        }
        #expect(compared == 6)
    }

    @Test("The first message of RFC 9180, A.3.1 goes over in one call, with its encapsulated key")
    func firstMessage() throws {
        let vector = try RFC9180.base()
        let message = vector.encryptions[0]
        let (enc, ciphertext) = try HPKE.seal(
            message.pt.bytes[...], to: RFC9180.publicKey(vector.pkRm), info: vector.info.bytes[...],
            authenticating: message.aad.bytes[...], ephemeralKey: RFC9180.privateKey(vector.skEm))
        #expect(enc.hex == vector.enc)
        #expect(enc.count == HPKE.encapsulatedKeySize)
        #expect(ciphertext.hex == message.ct)
        #expect(try vector.open().hex == message.pt)
    }

    @Test("The encapsulated secret of RFC 9180, A.3.1 comes out")
    func sharedSecret() throws {
        let vector = try RFC9180.base()
        #expect(try vector.sent().withUnprotectedBytes { $0.hex } == vector.sharedSecret)
        #expect(try vector.received().withUnprotectedBytes { $0.hex } == vector.sharedSecret)
    }

    @Test("With other info, another key, another encapsulated key or other extra data nothing opens")
    func wrongContext() throws {
        let vector = try RFC9180.base()
        let refused = OpenSSLCryptoError.authenticationFailed
        #expect(throws: refused) { try vector.open(info: vector.info.bytes + [0]) }
        #expect(throws: refused) { try vector.open(encapsulatedKey: vector.pkRm.bytes) }
        #expect(throws: refused) { try vector.open(recipientKey: vector.skEm) }
        #expect(throws: refused) { try vector.open(extra: vector.encryptions[0].aad.bytes + [0]) }
    }

    @Test("A message before its turn does not open, and then none does")
    func order() throws {
        let vector = try RFC9180.base()
        var opening = try HPKEContext(sharedSecret: vector.received(), info: vector.info.bytes[...])
        let (first, second) = (vector.encryptions[0], vector.encryptions[1])
        #expect(throws: OpenSSLCryptoError.authenticationFailed) {
            try opening.open(second.ct.bytes[...], authenticating: second.aad.bytes[...])
        }
        #expect(throws: OpenSSLCryptoError.keySpent) {
            try opening.open(first.ct.bytes[...], authenticating: first.aad.bytes[...])
        }
    }

    @Test("A ciphertext one bit off or cut does not open", arguments: [0, 20, 40])
    func changedCiphertext(index: Int) throws {
        let vector = try RFC9180.base()
        let message = vector.encryptions[0]
        var changed = message.ct.bytes
        changed[index] ^= 1
        for bytes in [changed[...], message.ct.bytes.prefix(index)] {
            #expect(throws: OpenSSLCryptoError.authenticationFailed) { try vector.open(bytes) }
        }
    }

    @Test("An encapsulated key that is no point of P-256 is refused")
    func encapsulatedKeys() throws {
        let vector = try RFC9180.base()
        let point = vector.enc.bytes
        var offCurve = point
        offCurve[64] ^= 1
        let refused: [([UInt8], OpenSSLCryptoError)] = [
            ([], .keyMalformed), (Array(point.dropLast()), .keyMalformed), (point + [0], .keyMalformed),
            ([0x02] + point[1...32], .keyMalformed), ([0x06] + point.dropFirst(), .keyMalformed),
            (offCurve, .pointNotOnCurve), ([0x04] + [UInt8](repeating: 0, count: 64), .pointNotOnCurve),
            ([0x00], .keyMalformed),
        ]
        for (bytes, error) in refused {
            #expect(throws: error) { try vector.open(encapsulatedKey: bytes) }
        }
    }

    @Test("A recipient on another curve is refused at both ends")
    func otherCurve() throws {
        let key = try PrivateKey.generate(.p384)
        #expect(throws: OpenSSLCryptoError.unsupportedKey) {
            try HPKE.seal([], to: key.publicKey(), info: [], ephemeralKey: PrivateKey.generate(.p384))
        }
        let enc = try RFC9180.base().enc.bytes
        #expect(throws: OpenSSLCryptoError.unsupportedKey) {
            try HPKE.open([], encapsulatedKey: enc[...], with: key, info: [])
        }
        #expect(throws: OpenSSLCryptoError.curvesDoNotAgree) {
            try HPKE.seal(
                [], to: PrivateKey.generate(.p256).publicKey(), info: [],
                ephemeralKey: PrivateKey.generate(.p384))
        }
    }

    @Test("One message goes over in one call, and another info refuses it")
    func singleShot() throws {
        let recipient = try PrivateKey.generate(.p256)
        let message = [UInt8](repeating: 7, count: 3000)
        let (enc, ciphertext) = try HPKE.seal(
            message[...], to: recipient.publicKey(), info: [1], authenticating: [2],
            ephemeralKey: PrivateKey.generate(.p256))
        #expect(ciphertext.count == message.count + 16)
        let opened = try HPKE.open(
            ciphertext[...], encapsulatedKey: enc[...], with: recipient, info: [1], authenticating: [2])
        #expect(opened == message)
        #expect(throws: OpenSSLCryptoError.authenticationFailed) {
            try HPKE.open(
                ciphertext[...], encapsulatedKey: enc[...], with: recipient, info: [9], authenticating: [2])
        }
    }
}
