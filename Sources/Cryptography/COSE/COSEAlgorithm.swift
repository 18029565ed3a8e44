package import OpenSSLCrypto

/// A COSE algorithm identifier (IANA "COSE Algorithms").
package struct COSEAlgorithm: Hashable, Sendable {
    package let identifier: Int64

    package init(identifier: Int64) {
        self.identifier = identifier
    }

    package static let es256 = COSEAlgorithm(identifier: -7)
    package static let es384 = COSEAlgorithm(identifier: -35)
    package static let es512 = COSEAlgorithm(identifier: -36)
    package static let eddsa = COSEAlgorithm(identifier: -8)
    /// HMAC 256/256, the only MAC of ISO/IEC 18013-5.
    package static let hmac256 = COSEAlgorithm(identifier: 5)

    /// The algorithm that signs with a key on this curve; `nil` for curves of key agreement.
    package init?(signingWith curve: Curve) {
        switch (curve.family, curve.preferredHash) {
        case (.montgomery, _): return nil
        case (.edwards, _): self = .eddsa
        case (.weierstrass, .sha256): self = .es256
        case (.weierstrass, .sha384): self = .es384
        case (.weierstrass, .sha512): self = .es512
        }
    }

    /// Returns the algorithm for verifying with a key on `curve`; `nil` if this identifier does not fit the
    /// curve.
    package func signatureAlgorithm(on curve: Curve) -> SignatureAlgorithm? {
        guard let expected = COSEAlgorithm(signingWith: curve) else { return nil }
        guard self == expected || Self.fullySpecified[identifier] == curve else { return nil }
        return curve.family == .edwards ? .eddsa : .ecdsa(curve.preferredHash)
    }

    /// Whether the identifier also determines the curve, as only newer identifiers do (Q153).
    package var isFullySpecified: Bool { Self.fullySpecified[identifier] != nil }

    private static let fullySpecified: [Int64: Curve] = [
        -9: .p256, -51: .p384, -52: .p521, -19: .ed25519, -53: .ed448,
        -265: .brainpoolP256r1, -266: .brainpoolP320r1, -267: .brainpoolP384r1, -268: .brainpoolP512r1,
    ]
}
