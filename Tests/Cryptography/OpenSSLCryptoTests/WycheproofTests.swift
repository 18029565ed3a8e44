import Foundation
import Testing
import VectorFiles

@testable import OpenSSLCrypto
@testable import PKIX

@Suite("Wycheproof", .enabled(if: Wycheproof.folder != nil, Wycheproof.absence))
struct WycheproofTests {
    static let agreements: [(String, Curve)] = [
        ("ecdh_secp256r1_ecpoint_test", .p256), ("ecdh_secp384r1_ecpoint_test", .p384),
        ("ecdh_secp521r1_ecpoint_test", .p521), ("ecdh_brainpoolP256r1_test", .brainpoolP256r1),
        ("ecdh_brainpoolP320r1_test", .brainpoolP320r1), ("ecdh_brainpoolP384r1_test", .brainpoolP384r1),
        ("ecdh_brainpoolP512r1_test", .brainpoolP512r1),
    ]

    static let signatures: [(String, SignatureForm, SignatureAlgorithm)] = [
        ("ecdsa_secp256r1_sha256_test", .der, .ecdsa(.sha256)),
        ("ecdsa_secp384r1_sha384_test", .der, .ecdsa(.sha384)),
        ("ecdsa_secp521r1_sha512_test", .der, .ecdsa(.sha512)),
        ("ecdsa_secp256r1_sha256_p1363_test", .fixedWidth, .ecdsa(.sha256)),
        ("ecdsa_secp384r1_sha384_p1363_test", .fixedWidth, .ecdsa(.sha384)),
        ("ecdsa_secp521r1_sha512_p1363_test", .fixedWidth, .ecdsa(.sha512)),
        ("ecdsa_brainpoolP256r1_sha256_p1363_test", .fixedWidth, .ecdsa(.sha256)),
        ("ecdsa_brainpoolP320r1_sha384_p1363_test", .fixedWidth, .ecdsa(.sha384)),
        ("ecdsa_brainpoolP384r1_sha384_p1363_test", .fixedWidth, .ecdsa(.sha384)),
        ("ecdsa_brainpoolP512r1_sha512_p1363_test", .fixedWidth, .ecdsa(.sha512)),
        ("ed25519_test", .fixedWidth, .eddsa), ("ed448_test", .fixedWidth, .eddsa),
    ]

    static let montgomeryFiles: [(String, Curve)] = [("x25519_test", .x25519), ("x448_test", .x448)]

    static let others = ["aes_gcm_test", "hkdf_sha256_test", "hmac_sha256_test"]

    @Test("Every file is run by a test here")
    func everyFileIsUsed() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: #require(Wycheproof.folder).path)
            .filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }
        let used =
            Self.agreements.map(\.0) + Self.signatures.map(\.0) + Self.montgomeryFiles.map(\.0) + Self.others
        #expect(Set(names) == Set(used))
    }

    /// Acceptable: compressed points work. Parameters spelled out instead of a named curve, and keys that
    /// are BER and not DER, are refused.
    @Test("ECDH", arguments: agreements)
    func agreement(name: String, curve: Curve) throws {
        try Wycheproof.run(name, acceptable: { $0.flags.contains("CompressedPublic") }) { group, test in
            let point = try #require(test.public).bytes[...]
            return try Wycheproof.refusing {
                if group.encoding == "asn" {
                    return try outcome(of: test, curve, with: Self.publicKey(der: point))
                }
                switch point.first {
                case 0x02, 0x03:
                    let key = try PublicKey(curve: curve, x: point.dropFirst(), yIsOdd: point.first == 3)
                    return try outcome(of: test, curve, with: key)
                default:
                    return try outcome(
                        of: test, curve, with: PublicKey(curve: curve, uncompressedPoint: point))
                }
            }
        }
    }

    /// Acceptable: points on the twist and non-canonical ones have to work (RFC 7748, 5); points of small
    /// order, whose secret is zero, are refused.
    @Test("X25519 and X448", arguments: montgomeryFiles)
    func montgomeryAgreement(name: String, curve: Curve) throws {
        try Wycheproof.run(name, acceptable: { !$0.flags.contains("ZeroSharedSecret") }) { _, test in
            try Wycheproof.refusing {
                let peer = try PublicKey(curve: curve, raw: #require(test.public).bytes[...])
                return try outcome(of: test, curve, with: peer)
            }
        }
    }

    private func outcome(
        of test: Wycheproof.Case, _ curve: Curve, with peer: borrowing PublicKey
    ) throws -> Wycheproof.Outcome {
        let scalar = try #require(test.private).bytes
        let trimmed = curve.family == .weierstrass ? scalar.drop { $0 == 0 } : scalar[...]
        let key = try PrivateKey(curve: curve, scalar: trimmed)
        let secret = try key.sharedSecret(with: peer).withUnprotectedBytes { $0.hex }
        return secret == test.shared ? .asPublished : .different
    }

    @Test("ECDSA and EdDSA", arguments: signatures)
    func signature(name: String, form: SignatureForm, algorithm: SignatureAlgorithm) throws {
        try Wycheproof.run(name) { group, test in
            let der = try #require(group.publicKeyDer).bytes
            let (message, signature) = try (#require(test.msg).bytes, #require(test.sig).bytes)
            return try Wycheproof.refusing {
                try Self.publicKey(der: der[...]).verify(
                    signature[...], form: form, algorithm: algorithm, over: [message[...]])
                return .asPublished
            }
        }
    }

    private static func publicKey(der: ArraySlice<UInt8>) throws -> PublicKey {
        guard let info = try? SubjectPublicKeyInfo(der: der) else { throw OpenSSLCryptoError.keyMalformed }
        return try info.publicKey()
    }

    @Test("HKDF-SHA-256")
    func hkdf() throws {
        try Wycheproof.run("hkdf_sha256_test") { _, test in
            let (secret, salt) = try (#require(test.ikm).bytes, #require(test.salt).bytes)
            let (info, size) = try (#require(test.info).bytes, #require(test.size))
            return try Wycheproof.refusing {
                let output = try hkdfSHA256(
                    secret: SecretBytes(copying: secret[...]), salt: salt[...], info: info[...], count: size)
                return output.withUnprotectedBytes { $0.hex } == test.okm ? .asPublished : .different
            }
        }
    }

    /// Tags of 128 bits are the first half of ours.
    @Test("HMAC-SHA-256")
    func hmac() throws {
        try Wycheproof.run("hmac_sha256_test") { group, test in
            let (key, message) = try (#require(test.key).bytes, #require(test.msg).bytes)
            let size = try #require(group.tagSize) / 8
            let tag = try hmacSHA256(key: SecretBytes(copying: key[...]), over: [message[...]])
            return tag.prefix(size).hex == test.tag ? .asPublished : .different
        }
    }

    @Test("AES-GCM with 128 and 256-bit keys and 96-bit nonces")
    func aesGCM() throws {
        try Wycheproof.run("aes_gcm_test") { group, test in
            guard group.keySize != 192, group.ivSize == 96, group.tagSize == 128 else {
                return .notApplicable
            }
            let nonce = try Self.nonce(#require(test.iv).bytes)
            let (message, extra) = try (#require(test.msg).bytes, #require(test.aad).bytes)
            let sealed = try #require(test.ct).bytes + #require(test.tag).bytes
            return try Wycheproof.refusing {
                var cipher = try AESGCM(key: SecretBytes(copying: #require(test.key).bytes[...]))
                let opened = try cipher.open(sealed[...], nonce: nonce, authenticating: extra[...])
                let again = try cipher.seal(message[...], nonce: nonce, authenticating: extra[...])
                return opened == message && again == sealed ? .asPublished : .different
            }
        }
    }

    private static func nonce(_ bytes: [UInt8]) throws -> InlineArray<12, UInt8> {
        try #require(bytes.count == 12)
        return InlineArray { bytes[$0] }
    }
}
