import Testing
import VectorFiles

@testable import OpenSSLCrypto

@Suite("Signatures")
struct SignatureTests {
    static let signing = Curve.allCases.filter { $0.family != .montgomery }

    @Test("The signature of RFC 6979, A.2.5 verifies in both forms, and with no bit flipped")
    func publishedECDSA() throws {
        let key = try PublicKey(
            curve: .p256, x: "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6".bytes[...],
            y: "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299".bytes[...])
        let r = "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
        let s = "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"
        let message = [UInt8]("sample".utf8)
        let fixed = (r + s).bytes
        try key.verify(fixed[...], form: .fixedWidth, algorithm: .ecdsa(.sha256), over: [message[...]])
        let der = ("3046022100" + r + "022100" + s).bytes
        try key.verify(
            der[...], form: .der, algorithm: .ecdsa(.sha256), over: [message[..<2], message[2...]])
        for index in fixed.indices {
            var other = fixed
            other[index] ^= 0x80
            #expect(throws: OpenSSLCryptoError.signatureInvalid) {
                try key.verify(
                    other[...], form: .fixedWidth, algorithm: .ecdsa(.sha256), over: [message[...]])
            }
        }
    }

    @Test("The first signatures of RFC 8032, 7.1 and 7.4 come out and verify")
    func publishedEdDSA() throws {
        let cases: [(Curve, String, String, String)] = [
            (
                .ed25519, "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
                "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
                "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
                    + "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
            ),
            (
                .ed448,
                "6c82a562cb808d10d632be89c8513ebf6c929f34ddfa8c9f63c9960ef6e348a3"
                    + "528c8a3fcc2f044e39a3fc5b94492f8f032e7549a20098f95b",
                "5fd7449b59b461fd2ce787ec616ad46a1da1342485a70e1f8a0ea75d80e96778"
                    + "edf124769b46c7061bd6783df1e50f6cd1fa1abeafe8256180",
                "533a37f6bbe457251f023c0d88f976ae2dfb504a843e34d2074fd823d41a591f"
                    + "2b233f034f628281f2fd7a22ddd47d7828c59bd0a21bfd3980ff0d2028d4b18a"
                    + "9df63e006c5d1c2d345b925d8dc00b4104852db99ac5c7cdda8530a113a0f4db"
                    + "b61149f05a7363268c71d95808ff2e652600"
            ),
        ]
        for (curve, secret, point, signature) in cases {
            let key = try PrivateKey(curve: curve, scalar: secret.bytes[...])
            #expect(key.x.hex == point)
            #expect(try key.sign([], algorithm: .eddsa, form: .fixedWidth).hex == signature)
            let own = try key.publicKey()
            try own.verify(signature.bytes[...], form: .fixedWidth, algorithm: .eddsa, over: [])
            #expect(throws: OpenSSLCryptoError.signatureInvalid) {
                try own.verify(signature.bytes[...], form: .fixedWidth, algorithm: .eddsa, over: [[0]])
            }
        }
    }

    @Test("What is signed verifies in its form, over its message and with its key only", arguments: signing)
    func roundTrip(curve: Curve) throws {
        let key = try PrivateKey.generate(curve)
        let stranger = try PrivateKey.generate(curve).publicKey()
        let algorithm = try #require(curve.preferredSignatureAlgorithm)
        let own = try key.publicKey()
        for form in [SignatureForm.fixedWidth, .der] {
            let signature = try key.sign([[1, 2], [3]], algorithm: algorithm, form: form)
            try own.verify(signature[...], form: form, algorithm: algorithm, over: [[1], [2, 3]])
            #expect(throws: OpenSSLCryptoError.signatureInvalid) {
                try own.verify(signature[...], form: form, algorithm: algorithm, over: [[1, 2]])
            }
            #expect(throws: OpenSSLCryptoError.signatureInvalid) {
                try stranger.verify(signature[...], form: form, algorithm: algorithm, over: [[1, 2, 3]])
            }
            for wrong in [signature.dropLast(), signature + [0], [0] + signature, []] {
                #expect(throws: OpenSSLCryptoError.signatureMalformed) {
                    try own.verify(wrong[...], form: form, algorithm: algorithm, over: [[1, 2, 3]])
                }
            }
        }
        let fixed = try key.sign([[1]], algorithm: algorithm, form: .fixedWidth)
        #expect(fixed.count == curve.signatureSize)
    }

    @Test("Signatures in the other form are malformed")
    func wrongForm() throws {
        let key = try PrivateKey.generate(.p256)
        let (fixed, der) = (
            try key.sign([[1]], algorithm: .ecdsa(.sha256), form: .fixedWidth),
            try key.sign([[1]], algorithm: .ecdsa(.sha256), form: .der)
        )
        let own = try key.publicKey()
        #expect(throws: OpenSSLCryptoError.signatureMalformed) {
            try own.verify(fixed[...], form: .der, algorithm: .ecdsa(.sha256), over: [[1]])
        }
        #expect(throws: OpenSSLCryptoError.signatureMalformed) {
            try own.verify(der[...], form: .fixedWidth, algorithm: .ecdsa(.sha256), over: [[1]])
        }
    }

    @Test(
        "Bytes that are not DER are malformed, whatever numbers they seem to have",
        arguments: ["", "30", "3000", "300402000200", "000005000500", "30060201000201", "0000", "30820000"])
    func notDER(_ hex: String) throws {
        let own = try PrivateKey.generate(.p256).publicKey()
        #expect(throws: OpenSSLCryptoError.signatureMalformed) {
            try own.verify(hex.bytes[...], form: .der, algorithm: .ecdsa(.sha256), over: [[1]])
        }
    }

    @Test("A zero r or s is invalid in both forms")
    func zeros() throws {
        let own = try PrivateKey.generate(.p256).publicKey()
        let (zero, one) = ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 31) + [1])
        for signature in [zero + zero, zero + one, one + zero] {
            #expect(throws: OpenSSLCryptoError.signatureInvalid) {
                try own.verify(signature[...], form: .fixedWidth, algorithm: .ecdsa(.sha256), over: [[1]])
            }
        }
        for signature: [UInt8] in [[0x30, 6, 2, 1, 0, 2, 1, 1], [0x30, 6, 2, 1, 1, 2, 1, 0]] {
            #expect(throws: OpenSSLCryptoError.signatureInvalid) {
                try own.verify(signature[...], form: .der, algorithm: .ecdsa(.sha256), over: [[1]])
            }
        }
    }

    @Test("A hash of another size still verifies, another hash does not")
    func hashes() throws {
        let key = try PrivateKey.generate(.p256)
        let own = try key.publicKey()
        let signature = try key.sign([[1]], algorithm: .ecdsa(.sha512), form: .fixedWidth)
        try own.verify(signature[...], form: .fixedWidth, algorithm: .ecdsa(.sha512), over: [[1]])
        #expect(throws: OpenSSLCryptoError.signatureInvalid) {
            try own.verify(signature[...], form: .fixedWidth, algorithm: .ecdsa(.sha256), over: [[1]])
        }
    }

    @Test("Each family signs with its own algorithm only")
    func families() throws {
        let cases: [(Curve, SignatureAlgorithm)] = [
            (.p256, .eddsa), (.ed25519, .ecdsa(.sha256)), (.x25519, .eddsa), (.x448, .ecdsa(.sha512)),
        ]
        for (curve, algorithm) in cases {
            let key = try PrivateKey.generate(curve)
            let own = try key.publicKey()
            #expect(throws: OpenSSLCryptoError.algorithmDoesNotFitKey) {
                _ = try key.sign([[1]], algorithm: algorithm, form: .fixedWidth)
            }
            let signature = [UInt8](repeating: 1, count: 2 * curve.coordinateSize)
            #expect(throws: OpenSSLCryptoError.algorithmDoesNotFitKey) {
                try own.verify(signature[...], form: .fixedWidth, algorithm: algorithm, over: [[1]])
            }
        }
    }
}
