extension SignatureAlgorithm {
    /// The algorithm an `AlgorithmIdentifier` names (RFC 5758, 3.2; RFC 8410, 3); nil for others. A curve
    /// comes with EdDSA only: its identifier names the curve as well.
    static func parse(
        _ element: DERElement
    ) throws(OpenSSLCryptoError) -> (algorithm: SignatureAlgorithm, curve: Curve?)? {
        var outer = DERReader(element.encoding)
        var reader = try outer.enter(DERTag.sequence)
        let identifier = try reader.readObjectIdentifier()
        guard reader.isAtEnd else {
            _ = try reader.readElement()
            try reader.finish()
            return nil
        }
        switch identifier {
        case .ecdsaWithSHA256: return (.ecdsa(.sha256), nil)
        case .ecdsaWithSHA384: return (.ecdsa(.sha384), nil)
        case .ecdsaWithSHA512: return (.ecdsa(.sha512), nil)
        case Curve.ed25519.objectIdentifier: return (.eddsa, .ed25519)
        case Curve.ed448.objectIdentifier: return (.eddsa, .ed448)
        default: return nil
        }
    }

    /// The `AlgorithmIdentifier` of a signature by a key on `curve`, a complete element.
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
