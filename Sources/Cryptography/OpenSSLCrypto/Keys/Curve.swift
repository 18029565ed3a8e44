internal import COpenSSL

/// The curves that ISO/IEC 18013-5 allows for session keys (cipher suite 1) and for signatures.
package enum Curve: Sendable, Hashable, CaseIterable {
    case p256, p384, p521
    case brainpoolP256r1, brainpoolP320r1, brainpoolP384r1, brainpoolP512r1
    case x25519, x448
    case ed25519, ed448

    /// The family of a curve. Weierstrass curves are used for signatures (ECDSA) and key agreement (ECDH),
    /// Montgomery curves for key agreement, and Edwards curves for signatures (EdDSA).
    package enum Family: Sendable { case weierstrass, montgomery, edwards }

    package var family: Family {
        switch self {
        case .x25519, .x448: .montgomery
        case .ed25519, .ed448: .edwards
        default: .weierstrass
        }
    }

    /// The size in bytes of one coordinate, or of the raw key on a Montgomery or Edwards curve.
    package var coordinateSize: Int {
        switch self {
        case .p256, .brainpoolP256r1, .x25519, .ed25519: 32
        case .brainpoolP320r1: 40
        case .p384, .brainpoolP384r1: 48
        case .x448: 56
        case .ed448: 57
        case .brainpoolP512r1: 64
        case .p521: 66
        }
    }

    /// The size in bytes of a signature in fixed-width form (r‖s, or EdDSA); `nil` for curves without
    /// signatures.
    package var signatureSize: Int? {
        family == .montgomery ? nil : 2 * coordinateSize
    }

    /// The hash that fits the strength of the curve (ISO/IEC 18013-5 9.1.2.4 and Annex B). Only ECDSA uses
    /// this hash, because EdDSA prescribes its own.
    package var preferredHash: HashAlgorithm {
        switch self {
        case .p256, .brainpoolP256r1, .x25519, .ed25519: .sha256
        case .p384, .brainpoolP320r1, .brainpoolP384r1: .sha384
        case .p521, .brainpoolP512r1, .x448, .ed448: .sha512
        }
    }

    /// The default signature algorithm of a key on this curve; `nil` for curves that do not sign.
    package var preferredSignatureAlgorithm: SignatureAlgorithm? {
        switch family {
        case .weierstrass: .ecdsa(preferredHash)
        case .edwards: .eddsa
        case .montgomery: nil
        }
    }

    /// OpenSSL's name of the group or, for a Montgomery or Edwards curve, of the key type.
    var openSSLName: StaticString {
        switch self {
        case .p256: "prime256v1"
        case .p384: "secp384r1"
        case .p521: "secp521r1"
        case .brainpoolP256r1: "brainpoolP256r1"
        case .brainpoolP320r1: "brainpoolP320r1"
        case .brainpoolP384r1: "brainpoolP384r1"
        case .brainpoolP512r1: "brainpoolP512r1"
        case .x25519: "X25519"
        case .x448: "X448"
        case .ed25519: "ED25519"
        case .ed448: "ED448"
        }
    }

    /// OpenSSL's name of the algorithm that generates a key on this curve.
    var openSSLKeyType: StaticString { family == .weierstrass ? "EC" : openSSLName }

    /// OpenSSL's number of the group; `nil` for curves that OpenSSL treats as key types.
    var groupIdentifier: Int32? {
        switch self {
        case .p256: NID_X9_62_prime256v1
        case .p384: NID_secp384r1
        case .p521: NID_secp521r1
        case .brainpoolP256r1: NID_brainpoolP256r1
        case .brainpoolP320r1: NID_brainpoolP320r1
        case .brainpoolP384r1: NID_brainpoolP384r1
        case .brainpoolP512r1: NID_brainpoolP512r1
        case .x25519, .x448, .ed25519, .ed448: nil
        }
    }
}
