import Testing
import VectorFiles

@testable import OpenSSLCrypto

@Suite("Keys")
struct KeyTests {
    static let agreeing = Curve.allCases.filter { $0.family != .edwards }

    @Test("The shared secret of Annex D comes out on both sides")
    func annexD() throws {
        let reader = try PrivateKey(curve: .p256, scalar: VectorFiles.annexD("eReaderKey_d")[...])
        let device = try PrivateKey(curve: .p256, scalar: VectorFiles.annexD("eDeviceKey_d")[...])
        #expect(reader.x == (try VectorFiles.annexD("eReaderKey_x")))
        #expect(reader.y == (try VectorFiles.annexD("eReaderKey_y")))
        let published = try PublicKey(
            curve: .p256, x: VectorFiles.annexD("eDeviceKey_x")[...],
            y: VectorFiles.annexD("eDeviceKey_y")[...])
        let expected = try VectorFiles.annexD("sharedSecret_Zab")
        let own = try reader.sharedSecret(with: published).withUnprotectedBytes { [UInt8]($0) }
        let other = try device.sharedSecret(with: reader.publicKey()).withUnprotectedBytes { [UInt8]($0) }
        #expect(own == expected)
        #expect(other == expected)
    }

    @Test("The key exchanges of RFC 7748, 6.1 and 6.2 come out")
    func montgomery() throws {
        let cases: [(Curve, String, String, String, String)] = [
            (
                .x25519, "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a",
                "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a",
                "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f",
                "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"
            ),
            (
                .x448,
                "9a8f4925d1519f5775cf46b04b5800d4ee9ee8bae8bc5565d498c28d"
                    + "d9c9baf574a9419744897391006382a6f127ab1d9ac2d8c0a598726b",
                "9b08f7cc31b7e3e67d22d5aea121074a273bd2b83de09c63faa73d2c"
                    + "22c5d9bbc836647241d953d40c5b12da88120d53177f80e532c41fa0",
                "3eb7a829b0cd20f5bcfc0b599b6feccf6da4627107bdb0d4f345b430"
                    + "27d8b972fc3e34fb4232a13ca706dcb57aec3dae07bdc1c67bf33609",
                "07fff4181ac6cc95ec1c16a94a0f74d12da232ce40a77552281d282b"
                    + "b60c0b56fd2464c335543936521c24403085d59a449a5037514a879d"
            ),
        ]
        for (curve, scalar, own, peer, secret) in cases {
            let key = try PrivateKey(curve: curve, scalar: scalar.bytes[...])
            #expect(key.x.hex == own)
            #expect(key.y.isEmpty)
            let shared = try key.sharedSecret(with: PublicKey(curve: curve, raw: peer.bytes[...]))
            #expect(shared.withUnprotectedBytes { $0.hex } == secret)
            let zero = try PublicKey(
                curve: curve, raw: [UInt8](repeating: 0, count: curve.coordinateSize)[...])
            #expect(throws: OpenSSLCryptoError.keyAgreementFailed) { _ = try key.sharedSecret(with: zero) }
        }
    }

    @Test("Fresh keys agree, and differ from each other", arguments: agreeing)
    func generation(curve: Curve) throws {
        let a = try PrivateKey.generate(curve)
        let b = try PrivateKey.generate(curve)
        #expect(a.x != b.x)
        #expect(a.x.count == curve.coordinateSize)
        let first = try a.sharedSecret(with: b.publicKey()).withUnprotectedBytes { [UInt8]($0) }
        let second = try b.sharedSecret(with: a.publicKey()).withUnprotectedBytes { [UInt8]($0) }
        #expect(first == second)
        #expect(first.count == curve.coordinateSize)
    }

    @Test(
        "Threads make and use keys of one curve at the same time", arguments: [Curve.p256, .brainpoolP320r1])
    func concurrency(curve: Curve) async throws {
        let root = try PrivateKey.generate(curve).encodedPoint
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for round in 0..<20 {
                        let message = [UInt8(task), UInt8(round)]
                        let key = try PrivateKey.generate(curve)
                        let algorithm = SignatureAlgorithm.ecdsa(.sha256)
                        let signature = try key.sign([message[...]], algorithm: algorithm, form: .fixedWidth)
                        try key.publicKey().verify(
                            signature[...], form: .fixedWidth, algorithm: algorithm, over: [message[...]])
                        let peer = try PublicKey(curve: curve, uncompressedPoint: root[...])
                        let secret = try key.sharedSecret(with: peer)
                        #expect(secret.count == curve.coordinateSize)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("Keys of two curves, and keys that only sign, do not agree")
    func curvesDiffer() throws {
        let key = try PrivateKey.generate(.p256)
        let edwards = try PrivateKey.generate(.ed25519)
        let foreign = try PrivateKey.generate(.brainpoolP256r1).publicKey()
        let own = try edwards.publicKey()
        #expect(throws: OpenSSLCryptoError.curvesDoNotAgree) { _ = try key.sharedSecret(with: foreign) }
        #expect(throws: OpenSSLCryptoError.curvesDoNotAgree) { _ = try edwards.sharedSecret(with: own) }
    }

    @Test(
        "A point comes back from all its forms and is refused with a bit flipped or a length off",
        arguments: Curve.allCases.filter { $0.family == .weierstrass })
    func points(curve: Curve) throws {
        let key = try PrivateKey.generate(curve)
        let (x, y) = (key.x, key.y)
        let compressed = try PublicKey(curve: curve, x: x[...], yIsOdd: (y.last ?? 0) & 1 == 1)
        #expect(compressed.y == y)
        let mirrored = try PublicKey(curve: curve, x: x[...], yIsOdd: (y.last ?? 0) & 1 == 0)
        #expect(mirrored.y != y)
        let uncompressed = try PublicKey(curve: curve, uncompressedPoint: ([4] + x + y)[...])
        #expect(uncompressed.x == x)
        let off = y.dropLast() + [(y.last ?? 0) ^ 1]
        #expect(throws: OpenSSLCryptoError.pointNotOnCurve) {
            _ = try PublicKey(curve: curve, x: x[...], y: off)
        }
        let zero = [UInt8](repeating: 0, count: x.count)
        #expect(throws: OpenSSLCryptoError.pointNotOnCurve) {
            _ = try PublicKey(curve: curve, x: zero[...], y: zero[...])
        }
        let ones = [UInt8](repeating: 0xff, count: x.count)
        #expect(throws: OpenSSLCryptoError.pointNotOnCurve) {
            _ = try PublicKey(curve: curve, x: ones[...], y: y[...])
        }
        for (x, y) in [(x.dropLast(), y[...]), (x[...], ([0] + y)[...]), (x[...], []), ([], [])] {
            #expect(throws: OpenSSLCryptoError.keyMalformed) { _ = try PublicKey(curve: curve, x: x, y: y) }
        }
        for point in [[0], [4] + x, [6] + x + y, [2] + x, [4] + x + y + [0]] {
            #expect(throws: OpenSSLCryptoError.keyMalformed) {
                _ = try PublicKey(curve: curve, uncompressedPoint: point[...])
            }
        }
        #expect(throws: OpenSSLCryptoError.keyMalformed) { _ = try PublicKey(curve: curve, raw: x[...]) }
    }

    @Test("Scalars of zero, of the order and above are refused")
    func scalarRange() throws {
        let order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551".bytes
        let zero = [UInt8](repeating: 0, count: 32)
        let above: [UInt8] = order.dropLast() + [0x52]
        for scalar: [UInt8] in [[], [0], zero, order, above, [UInt8](repeating: 0xff, count: 32)] {
            #expect(throws: OpenSSLCryptoError.scalarOutOfRange) {
                _ = try PrivateKey(curve: .p256, scalar: scalar[...])
            }
        }
        #expect(throws: OpenSSLCryptoError.scalarOutOfRange) {
            _ = try PrivateKey(curve: .p256, scalar: (zero + [1])[...])
        }
        let last = try PrivateKey(curve: .p256, scalar: order.dropLast() + [0x50])
        let one = try PrivateKey(curve: .p256, scalar: [1])
        #expect(one.x.hex == "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296")
        #expect(last.x == one.x)
        #expect(last.y != one.y)
        #expect(throws: OpenSSLCryptoError.keyMalformed) { _ = try PrivateKey(curve: .x25519, scalar: [1]) }
    }

    @Test("A key comes back from PEM with the same halves", arguments: Curve.allCases)
    func pem(curve: Curve) throws {
        let key = try PrivateKey.generate(curve)
        let text = try key.unprotectedPEM().withUnprotectedBytes(Array.init)
        #expect(text.starts(with: "-----BEGIN PRIVATE KEY-----\n".utf8))
        let again = try PrivateKey(pem: text[...])
        #expect(again.curve == curve)
        #expect(again.encodedPoint == key.encodedPoint)
        let scalars = try (
            key.withUnprotectedScalar { [UInt8]($0) }, again.withUnprotectedScalar { [UInt8]($0) }
        )
        #expect(scalars.0 == scalars.1)
        #expect(scalars.0.count == curve.coordinateSize)
    }

    @Test("SEC 1 PEM with its parameters before it is read")
    func sec1() throws {
        let text = """
            -----BEGIN EC PARAMETERS-----
            BggqhkjOPQMBBw==
            -----END EC PARAMETERS-----
            -----BEGIN EC PRIVATE KEY-----
            MDECAQEEIMmvqdhFunUWa1whV2ex1pNOUMPbNuibEnuKYisSD2choAoGCCqGSM49
            AwEH
            -----END EC PRIVATE KEY-----
            """
        let key = try PrivateKey(pem: [UInt8](text.utf8)[...])
        #expect(key.x.hex == "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6")
        #expect(key.y.hex == "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299")
    }

    @Test("Cut, encrypted and foreign PEM is refused")
    func pemRefused() throws {
        let text = try PrivateKey.generate(.p256).unprotectedPEM().withUnprotectedBytes(Array.init)
        #expect(throws: OpenSSLCryptoError.pemMalformed) { _ = try PrivateKey(pem: text.dropLast(40)) }
        #expect(throws: OpenSSLCryptoError.pemMalformed) { _ = try PrivateKey(pem: []) }
        let encrypted = """
            -----BEGIN EC PRIVATE KEY-----
            Proc-Type: 4,ENCRYPTED
            DEK-Info: AES-128-CBC,000102030405060708090A0B0C0D0E0F

            MDECAQEEIMmvqdhFunUWa1whV2ex1pNOUMPbNuibEnuKYisSD2choAoGCCqGSM49
            -----END EC PRIVATE KEY-----
            """
        #expect(throws: OpenSSLCryptoError.pemMalformed) {
            _ = try PrivateKey(pem: [UInt8](encrypted.utf8)[...])
        }
    }
}
