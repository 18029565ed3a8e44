import Testing
import VectorFiles

@testable import OpenSSLCrypto

@Suite("HPKE")
struct HPKETests {
    @Test("All four modes of RFC 9180, A.3 are there")
    func modes() throws {
        #expect(try RFC9180.all().map(\.mode).sorted() == [0, 1, 2, 3])
    }

    @Test(
        "The messages of RFC 9180, A.3 seal and open, in each mode at each sequence number", arguments: 0...3)
    func messages(mode: Int) throws {
        let vector = try Self.vector(mode)
        var sealing = try vector.sealing()
        var opening = try vector.opening()
        let encapsulatedKey = sealing.encapsulatedKey
        #expect(encapsulatedKey.hex == vector.enc)
        #expect(encapsulatedKey.count == HPKE.encapsulatedKeySize)
        var compared = 0
        for number in 0...256 {
            // The recipient's messages have to come in order: what A.3 leaves out is sealed here.
            guard let expected = vector.encryptions.first(where: { $0.seq == number }) else {
                let between = try sealing.seal([1, 2, 3])
                #expect(try opening.open(between[...]) == [1, 2, 3])
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

    @Test(
        "The exported secrets of RFC 9180, A.3 come out at both ends, and others for another context",
        arguments: 0...3)
    func exports(mode: Int) throws {
        let vector = try Self.vector(mode)
        let sealing = try vector.sealing()
        let opening = try vector.opening()
        #expect(vector.exports.count == 3)
        for export in vector.exports {
            let context = export.exporterContext.bytes
            let sent = try sealing.export(context[...], count: export.length)
            #expect(sent.withUnprotectedBytes { $0.hex } == export.value)
            let received = try opening.export(context[...], count: export.length)
            let isSame = received.equals(sent)
            #expect(isSame)
            let other = try opening.export((context + [1])[...], count: export.length)
            let isOther = !other.equals(sent)
            #expect(isOther)
        }
    }

    @Test("The encapsulated secret of RFC 9180, A.3 comes out")
    func sharedSecret() throws {
        let vector = try RFC9180.base()
        let ephemeral = try RFC9180.publicKey(vector.enc)
        let secret = try HPKEKeyEncapsulation.secret(
            encapsulatedIn: ephemeral, recipientKey: RFC9180.privateKey(vector.skRm))
        #expect(secret.withUnprotectedBytes { $0.hex } == vector.sharedSecret)
    }

    @Test(
        "With other info, another key, another encapsulated key or other extra data nothing opens",
        arguments: 0...3)
    func wrongContext(mode: Int) throws {
        let vector = try Self.vector(mode)
        let message = vector.encryptions[0]
        try Self.expectRefusal(vector.opening(info: vector.info.bytes + [0]), message)
        try Self.expectRefusal(vector.opening(recipientKey: vector.skEm), message)
        try Self.expectRefusal(vector.opening(encapsulatedKey: vector.pkRm.bytes), message)
        try Self.expectRefusal(vector.opening(), message, extra: message.aad.bytes + [0])
    }

    @Test("With one bit of the pre-shared key off, or another identifier, nothing opens", arguments: [1, 3])
    func wrongPreSharedKey(mode: Int) throws {
        let vector = try Self.vector(mode)
        let message = vector.encryptions[0]
        let flipped = try vector.preSharedKey(flipping: 1)
        try Self.expectRefusal(vector.opening(preSharedKey: flipped), message)
        let renamed = try HPKEPreSharedKey(
            key: SecretBytes(copying: #require(vector.psk).bytes[...]), identifier: [1])
        try Self.expectRefusal(vector.opening(preSharedKey: renamed), message)
    }

    @Test("A message of another sender does not open where the sender is authenticated", arguments: [2, 3])
    func wrongSender(mode: Int) throws {
        let vector = try Self.vector(mode)
        try Self.expectRefusal(vector.opening(sender: vector.pkRm), vector.encryptions[0])
    }

    @Test("A message of one mode does not open in another")
    func wrongMode() throws {
        let (base, authenticated) = (try RFC9180.base(), try Self.vector(2))
        let sender = try RFC9180.publicKey(#require(authenticated.pkSm))
        let opening = try HPKEOpeningContext(
            encapsulatedKey: base.enc.bytes[...], recipientKey: RFC9180.privateKey(base.skRm),
            info: base.info.bytes[...], sender: sender)
        Self.expectRefusal(opening, base.encryptions[0])
        let keyed = try base.opening(preSharedKey: Self.vector(1).preSharedKey())
        Self.expectRefusal(keyed, base.encryptions[0])
    }

    @Test("A message before its turn does not open, and then none does")
    func order() throws {
        let vector = try RFC9180.base()
        var opening = try vector.opening()
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
            var opening = try vector.opening()
            #expect(throws: OpenSSLCryptoError.authenticationFailed) {
                try opening.open(bytes, authenticating: message.aad.bytes[...])
            }
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
            #expect(throws: error) { _ = try vector.opening(encapsulatedKey: bytes) }
        }
    }

    @Test("A recipient on another curve is refused at both ends")
    func otherCurve() throws {
        let key = try PrivateKey.generate(.p384)
        #expect(throws: OpenSSLCryptoError.unsupportedKey) {
            _ = try HPKESealingContext(
                to: key.publicKey(), info: [], ephemeralKey: PrivateKey.generate(.p384))
        }
        let enc = try RFC9180.base().enc.bytes
        #expect(throws: OpenSSLCryptoError.unsupportedKey) {
            _ = try HPKEOpeningContext(encapsulatedKey: enc[...], recipientKey: key, info: [])
        }
        #expect(throws: OpenSSLCryptoError.curvesDoNotAgree) {
            _ = try HPKESealingContext(
                to: PrivateKey.generate(.p256).publicKey(), info: [], ephemeralKey: PrivateKey.generate(.p384)
            )
        }
    }

    @Test("A short or nameless pre-shared key is refused")
    func preSharedKeys() throws {
        for (count, identifier) in [(31, [UInt8(1)]), (0, [1]), (32, [])] {
            #expect(throws: OpenSSLCryptoError.keySizeWrong) {
                _ = try HPKEPreSharedKey(
                    key: SecretBytes(copying: [UInt8](repeating: 1, count: count)[...]),
                    identifier: identifier)
            }
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

    @Test("Exports of nothing, of too much or for too long a context are refused")
    func exportLimits() throws {
        let context = try RFC9180.base().sealing()
        for count in [0, -1, 255 * 32 + 1, 70_000] {
            #expect(throws: OpenSSLCryptoError.tooLong) { _ = try context.export([], count: count) }
        }
        let long = [UInt8](repeating: 0, count: 2048)
        #expect(throws: OpenSSLCryptoError.tooLong) { _ = try context.export(long[...], count: 32) }
        let longest = try context.export([], count: 255 * 32)
        #expect(longest.count == 255 * 32)
    }

    private static func vector(_ mode: Int) throws -> RFC9180 {
        try #require(try RFC9180.all().first { $0.mode == mode })
    }

    private static func expectRefusal(
        _ opening: consuming HPKEOpeningContext, _ message: RFC9180.Encryption, extra: [UInt8]? = nil,
        location: SourceLocation = #_sourceLocation
    ) {
        var context = opening
        do throws(OpenSSLCryptoError) {
            _ = try context.open(
                message.ct.bytes[...], authenticating: (extra ?? message.aad.bytes)[...])
            Issue.record("it opened", sourceLocation: location)
        } catch {
            #expect(error == .authenticationFailed, sourceLocation: location)
        }
    }
}
