package import OpenSSLCrypto

/// The signature algorithm of a certificate or CRL (RFC 5280 4.1.1.2).
package enum X509SignatureAlgorithm: Hashable, Sendable {
    /// ECDSA or EdDSA. The curve is `nil` for ECDSA, because the identifier of ECDSA does not contain the
    /// curve.
    case curve(SignatureAlgorithm, Curve?)
    case rsa(RSASignatureAlgorithm)

    /// Returns the algorithm of an `AlgorithmIdentifier` (RFC 5758 3.2; RFC 8410 3; RFC 8017 A.2); `nil` for
    /// other algorithms.
    static func parse(_ element: DERElement) throws(PKIXError) -> X509SignatureAlgorithm? {
        var outer = DERReader(element.encoding)
        var reader = try outer.enter(DERTag.sequence)
        let identifier = try reader.readObjectIdentifier()
        let parameters = reader.isAtEnd ? nil : try reader.readElement()
        try reader.finish()
        // The identifiers of ECDSA and EdDSA have no parameters (RFC 5758 3.2; RFC 8410 3); identifiers of
        // RSA have parameters.
        guard let parameters else { return withoutParameters(identifier) }
        return RSASignatureAlgorithm(identifier, parameters: parameters).map(Self.rsa)
    }

    /// Returns the algorithm of an identifier without parameters; `nil` for other identifiers.
    private static func withoutParameters(_ identifier: ObjectIdentifier) -> X509SignatureAlgorithm? {
        switch identifier {
        case .ecdsaWithSHA256: .curve(.ecdsa(.sha256), nil)
        case .ecdsaWithSHA384: .curve(.ecdsa(.sha384), nil)
        case .ecdsaWithSHA512: .curve(.ecdsa(.sha512), nil)
        case Curve.ed25519.objectIdentifier: .curve(.eddsa, .ed25519)
        case Curve.ed448.objectIdentifier: .curve(.eddsa, .ed448)
        default: nil
        }
    }
}

extension SignatureAlgorithm {
    /// Returns the encoded `AlgorithmIdentifier` of a signature by a key on `curve`.
    func algorithmIdentifier(for curve: Curve) -> [UInt8] {
        let identifier: ObjectIdentifier =
            switch self {
            case .ecdsa(.sha256): .ecdsaWithSHA256
            case .ecdsa(.sha384): .ecdsaWithSHA384
            case .ecdsa(.sha512): .ecdsaWithSHA512
            case .eddsa: curve.objectIdentifier
            }
        return DERWriter.encode { $0.write(DERTag.sequence) { $0.write(identifier) } }
    }
}

extension ObjectIdentifier {
    fileprivate static let ecdsaWithSHA256 = ObjectIdentifier("1.2.840.10045.4.3.2")
    fileprivate static let ecdsaWithSHA384 = ObjectIdentifier("1.2.840.10045.4.3.3")
    fileprivate static let ecdsaWithSHA512 = ObjectIdentifier("1.2.840.10045.4.3.4")
}
