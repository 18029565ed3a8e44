package import OpenSSLCrypto

/// A public key in the encoding of X.509 (RFC 5280 4.1.2.7; RFC 5480; RFC 8410).
package struct SubjectPublicKeyInfo: Equatable, Sendable {
    /// The complete encoding.
    package let encoding: ArraySlice<UInt8>
    /// The bits of the key, without the count of unused bits. Key identifiers are hashes of them.
    package let publicKeyBits: ArraySlice<UInt8>
    /// The curve; `nil` for other kinds of keys and for curves without a name.
    package let curve: Curve?
    /// Whether the key is RSA: rsaEncryption with NULL parameters (RFC 3279 2.3.1).
    package let isRSA: Bool

    package init(_ element: DERElement) throws(PKIXError) {
        encoding = element.encoding
        var outer = DERReader(element.encoding)
        var info = try outer.enter(DERTag.sequence)
        var algorithm = try info.enter(DERTag.sequence)
        let kind = try algorithm.readObjectIdentifier()
        let parameters = algorithm.isAtEnd ? nil : try algorithm.readElement()
        try algorithm.finish()
        publicKeyBits = try info.readOctetAlignedBitString()
        try info.finish()
        isRSA =
            kind == .rsaEncryption && parameters?.tag == DERTag.null && parameters?.contents.isEmpty == true
        curve = Curve.allCases.first { $0.matches(kind: kind, parameters: parameters) }
    }

    /// Parses an encoding that fills `der`.
    package init(der: ArraySlice<UInt8>) throws(PKIXError) {
        var reader = DERReader(der)
        try self.init(reader.readElement())
        try reader.finish()
    }

    /// Returns the key after a check that its point is on the curve. Throws `unsupportedKey` for other kinds
    /// of keys.
    package func publicKey() throws(OpenSSLCryptoError) -> PublicKey {
        guard let curve else { throw .unsupportedKey }
        guard curve.family == .weierstrass else { return try PublicKey(curve: curve, raw: publicKeyBits) }
        // 02 and 03 begin a compressed point: x, with the lowest bit of y 0 or 1 (SEC 1 2.3.3).
        switch publicKeyBits.first {
        case 0x02: return try PublicKey(curve: curve, x: publicKeyBits.dropFirst(), yIsOdd: false)
        case 0x03: return try PublicKey(curve: curve, x: publicKeyBits.dropFirst(), yIsOdd: true)
        default: return try PublicKey(curve: curve, uncompressedPoint: publicKeyBits)
        }
    }
}

extension PublicKey {
    /// The complete encoding of the key as X.509 SubjectPublicKeyInfo.
    package var subjectPublicKeyInfo: [UInt8] {
        DERWriter.encode { writer in
            writer.write(DERTag.sequence) { info in
                info.write(DERTag.sequence) { algorithm in
                    if curve.family == .weierstrass { algorithm.write(.ecPublicKey) }
                    algorithm.write(curve.objectIdentifier)
                }
                info.writeBitString(encodedPoint)
            }
        }
    }
}

extension Curve {
    /// The identifier of the named curve (RFC 5480 2.1.1.1; RFC 5639 4.1) or of the key algorithm (RFC 8410
    /// 3).
    package var objectIdentifier: ObjectIdentifier {
        switch self {
        case .p256: .p256
        case .p384: .p384
        case .p521: .p521
        case .brainpoolP256r1: .brainpoolP256r1
        case .brainpoolP320r1: .brainpoolP320r1
        case .brainpoolP384r1: .brainpoolP384r1
        case .brainpoolP512r1: .brainpoolP512r1
        case .x25519: .x25519
        case .x448: .x448
        case .ed25519: .ed25519
        case .ed448: .ed448
        }
    }

    /// Returns whether an `AlgorithmIdentifier` belongs to a key on this curve.
    fileprivate func matches(kind: ObjectIdentifier, parameters: DERElement?) -> Bool {
        guard family == .weierstrass else { return kind == objectIdentifier && parameters == nil }
        return kind == .ecPublicKey && parameters?.tag == DERTag.objectIdentifier
            && parameters?.contents == objectIdentifier.encoded
    }
}

extension ObjectIdentifier {
    /// The key type of all Weierstrass curves (RFC 5480 2.1.1). Its parameters identify the curve.
    fileprivate static let ecPublicKey = ObjectIdentifier("1.2.840.10045.2.1")
    fileprivate static let rsaEncryption = ObjectIdentifier("1.2.840.113549.1.1.1")
    fileprivate static let p256 = ObjectIdentifier("1.2.840.10045.3.1.7")
    fileprivate static let p384 = ObjectIdentifier("1.3.132.0.34")
    fileprivate static let p521 = ObjectIdentifier("1.3.132.0.35")
    fileprivate static let brainpoolP256r1 = ObjectIdentifier("1.3.36.3.3.2.8.1.1.7")
    fileprivate static let brainpoolP320r1 = ObjectIdentifier("1.3.36.3.3.2.8.1.1.9")
    fileprivate static let brainpoolP384r1 = ObjectIdentifier("1.3.36.3.3.2.8.1.1.11")
    fileprivate static let brainpoolP512r1 = ObjectIdentifier("1.3.36.3.3.2.8.1.1.13")
    fileprivate static let x25519 = ObjectIdentifier("1.3.101.110")
    fileprivate static let x448 = ObjectIdentifier("1.3.101.111")
    fileprivate static let ed25519 = ObjectIdentifier("1.3.101.112")
    fileprivate static let ed448 = ObjectIdentifier("1.3.101.113")
}
