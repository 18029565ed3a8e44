/// The signature algorithms of ISO/IEC 18013-5: ECDSA (FIPS 186-5) and EdDSA (RFC 8032).
package enum SignatureAlgorithm: Sendable, Hashable {
    case ecdsa(HashAlgorithm)
    case eddsa

    func fits(_ curve: Curve) -> Bool {
        switch self {
        case .ecdsa: curve.family == .weierstrass
        case .eddsa: curve.family == .edwards
        }
    }
}

/// The encoding of the two numbers of an ECDSA signature. EdDSA signatures have only one form.
package enum SignatureForm: Sendable, Hashable {
    /// r‖s, each of the size of a coordinate (COSE; RFC 9053 2.1).
    case fixedWidth
    /// `ECDSA-Sig-Value` (X.509; RFC 5480, Appendix A).
    case der
}
