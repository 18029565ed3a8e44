internal import PKIX
import MdocModel
import OpenSSLCrypto
import ReaderTokens
import Testing

@Suite("Forged signatures of reader tokens")
struct ForgeryTests {
    /// The order of P-256 (FIPS 186-5).
    private static let order: [UInt8] = [
        0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xbc, 0xe6, 0xfa,
        0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51,
    ]
    private static let zero = [UInt8](repeating: 0, count: 32)

    /// One thing changed in the signature that k1 makes, r and s.
    private static func changed(
        _ name: String, _ error: ReaderTokensError,
        _ change: @escaping @Sendable (_ r: [UInt8], _ s: [UInt8]) -> [UInt8]
    ) -> Refusal {
        Refusal(name, error) {
            $0.sign = { input in
                let signature = try signatureOfK1(over: input)
                return change(Array(signature.prefix(32)), Array(signature.suffix(32)))
            }
        }
    }

    private static func signatureOfK1(over input: [UInt8]) throws -> [UInt8] {
        try TokenScene.signingKey("k1").sign([input[...]], algorithm: .ecdsa(.sha256), form: .fixedWidth)
    }

    static let numbers = [
        changed("r and s zero", .signatureInvalid) { _, _ in zero + zero },
        changed("r zero", .signatureInvalid) { _, s in zero + s },
        changed("s zero", .signatureInvalid) { r, _ in r + zero },
        changed("r and s the order", .signatureInvalid) { _, _ in order + order },
        changed("r the order", .signatureInvalid) { _, s in order + s },
        changed("s the order", .signatureInvalid) { r, _ in r + order },
        changed("s before r", .signatureInvalid) { r, s in s + r },
        changed("r and s with the lowest byte first", .signatureInvalid) { r, s in r.reversed() + s.reversed()
        },
        changed("all but its last byte", .signatureMalformed(size: 63)) { r, s in (r + s).dropLast() },
        changed("all but its first byte", .signatureMalformed(size: 63)) { r, s in r.dropFirst() + s },
        changed("r alone", .signatureMalformed(size: 32)) { r, _ in r },
        changed("a byte behind it", .signatureMalformed(size: 65)) { r, s in r + s + [0] },
        changed("a byte before it", .signatureMalformed(size: 65)) { r, s in [0] + r + s },
        changed("a zero before each number", .signatureMalformed(size: 66)) { r, s in [0] + r + [0] + s },
        changed("twice", .signatureMalformed(size: 128)) { r, s in r + s + r + s },
    ]

    @Test("A signature with other numbers, or of another size", arguments: numbers)
    func otherNumbers(_ refusal: Refusal) async throws { try await refuse(refusal) }

    @Test("The twin of all: the signature that is put together unchanged prepares the reader")
    func unchanged() async throws {
        let unchanged = Self.changed("unchanged", .signatureInvalid) { r, s in r + s }
        try await TokenScene().prepare(unchanged.token)
    }

    /// Signed with the scalar of k1 on another curve or with another hash.
    private static func signed(
        _ name: String, _ error: ReaderTokensError, on curve: Curve = .p256, _ hash: HashAlgorithm = .sha256
    ) -> Refusal {
        Refusal(name, error) {
            $0.sign = { input in
                let key = try PrivateKey(
                    curve: curve, scalar: [UInt8](repeating: TokenScene.keys["k1"] ?? 0, count: 32)[...])
                return try key.sign([input[...]], algorithm: .ecdsa(hash), form: .fixedWidth)
            }
        }
    }

    static let algorithms = [
        signed("SHA-384", .signatureInvalid, .sha384),
        signed("SHA-512", .signatureInvalid, .sha512),
        signed("brainpoolP256r1", .signatureInvalid, on: .brainpoolP256r1),
        signed("P-384", .signatureMalformed(size: 96), on: .p384, .sha384),
        signed("P-521", .signatureMalformed(size: 132), on: .p521, .sha512),
        Refusal("Ed25519", .signatureInvalid) {
            $0.sign = {
                try PrivateKey.generate(.ed25519).sign([$0[...]], algorithm: .eddsa, form: .fixedWidth)
            }
        },
    ]

    @Test("A signature of another algorithm under alg ES256", arguments: algorithms)
    func otherAlgorithm(_ refusal: Refusal) async throws { try await refuse(refusal) }

    static let inputs = [
        Refusal("the header alone", .signatureInvalid) {
            $0.sign = { try signatureOfK1(over: Array($0.prefix { $0 != UInt8(ascii: ".") })) }
        },
        Refusal("header and claims without the point", .signatureInvalid) {
            $0.sign = { try signatureOfK1(over: $0.filter { $0 != UInt8(ascii: ".") }) }
        },
        Refusal("a token for another reader", .signatureInvalid) {
            $0.sign = { _ in
                let other = TestToken { $0.claims["sub"] = "\"f123456789abcdef0123456789abcdef\"" }
                let text = try other.text()
                return try #require(Base64URL.decode(parts(of: text)[2].utf8))
            }
        },
        Refusal("another header that says the same", .signatureInvalid) {
            $0.finish = { replacing(part: 0, of: $0, with: TestToken.object(TestToken().header) + " ") }
        },
        Refusal("claims of which one was changed", .signatureInvalid) {
            let later = TestToken(issued: 1, expires: 300)
            $0.finish = { replacing(part: 1, of: $0, with: TestToken.object(later.claims)) }
        },
    ]

    @Test("A signature over something else", arguments: inputs)
    func otherInput(_ refusal: Refusal) async throws { try await refuse(refusal) }

    private static func parts(of token: String) -> [String] {
        token.split(separator: ".").map(String.init)
    }

    private static func replacing(part index: Int, of token: String, with json: String) -> String {
        var parts = parts(of: token)
        parts[index] = Base64URL.encode(json.utf8)
        return parts.joined(separator: ".")
    }

    @Test("No bit of a signature can be another")
    func everyBit() async throws {
        let scene = try TokenScene()
        for bit in 0..<512 {
            let token = TestToken {
                $0.sign = { input in
                    var signature = try Self.signatureOfK1(over: input)
                    signature[bit / 8] ^= 1 << (bit % 8)
                    return signature
                }
            }
            await #expect(throws: ReaderTokensError.signatureInvalid, "bit \(bit)") {
                try await scene.prepare(token)
            }
        }
        try await scene.prepare(TestToken())
    }

    @Test("A signature in DER is refused, however long it came out")
    func der() async throws {
        let key = try TokenScene.signingKey("k1")
        let input = Array(try Self.parts(of: TestToken().text())[..<2].joined(separator: ".").utf8)
        for _ in 0..<8 {
            let der = try key.sign([input[...]], algorithm: .ecdsa(.sha256), form: .der)
            try await refuse(Refusal("DER", .signatureMalformed(size: der.count)) { $0.sign = { _ in der } })
        }
    }

    /// The ways in which everybody can write down a public key.
    enum PublicForm: String, CaseIterable { case point, coordinates, der, pem, base64URL }

    @Test(
        "A MAC with the public key as its secret is no signature, whatever alg says",
        arguments: PublicForm.allCases)
    func mac(_ form: PublicForm) async throws {
        let key = try TokenScene.signingKey("k1").publicKey()
        let secret: [UInt8] =
            switch form {
            case .point: key.encodedPoint
            case .coordinates: key.x + key.y
            case .der: key.subjectPublicKeyInfo
            case .pem: PEM.encode(key.subjectPublicKeyInfo[...], label: "PUBLIC KEY")
            case .base64URL: Array((Base64URL.encode(key.x) + Base64URL.encode(key.y)).utf8)
            }
        let mac: @Sendable ([UInt8]) throws -> [UInt8] = {
            try hmacSHA256(key: SecretBytes(copying: secret[...]), over: [$0[...]])
        }
        try await refuse(
            Refusal("HS256", .algorithmNotES256) {
                $0.header["alg"] = "\"HS256\""
                $0.sign = mac
            })
        try await refuse(Refusal("under ES256", .signatureMalformed(size: 32)) { $0.sign = mac })
        try await refuse(
            Refusal("as wide as a signature", .signatureInvalid) { $0.sign = { try mac($0) + mac($0) } })
    }
}
