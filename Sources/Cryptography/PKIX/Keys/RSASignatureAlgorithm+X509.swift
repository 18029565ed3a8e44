internal import OpenSSLCrypto

extension RSASignatureAlgorithm {
    /// Creates the value from an identifier and its parameters; `nil` for other algorithms, for SHA-1, and
    /// for a PSS whose hashes differ or whose salt is not as long as the hash.
    init?(_ identifier: ObjectIdentifier, parameters: DERElement) {
        switch identifier {
        case .rsaPSS:
            guard let hash = Self.hash(ofPSS: parameters) else { return nil }
            self.init(hash, .pss)
        case .sha256WithRSA: self.init(pkcs1: .sha256, parameters)
        case .sha384WithRSA: self.init(pkcs1: .sha384, parameters)
        case .sha512WithRSA: self.init(pkcs1: .sha512, parameters)
        default: return nil
        }
    }

    /// Creates the value for PKCS #1 v1.5, whose parameters must be NULL (RFC 4055 5).
    private init?(pkcs1 hash: HashAlgorithm, _ parameters: DERElement) {
        guard parameters.tag == DERTag.null, parameters.contents.isEmpty else { return nil }
        self.init(hash, .pkcs1)
    }

    /// Returns the hash of RSASSA-PSS-params (RFC 4055 3.1); `nil` unless MGF1 uses the same hash and the
    /// salt is as long as the hash.
    private static func hash(ofPSS parameters: DERElement) -> HashAlgorithm? {
        do throws(PKIXError) {
            var outer = DERReader(parameters.encoding)
            var fields = try outer.enter(DERTag.sequence)
            // An absent field has its default: SHA-1, MGF1 with SHA-1, or a salt of 20 bytes. SHA-1 is not
            // supported, and no supported hash has 20 bytes, so all three fields must be present.
            var first = try fields.enter(DERTag.constructed(0))
            guard let hash = try readHash(&first) else { return nil }
            var second = try fields.enter(DERTag.constructed(1))
            var mask = try second.enter(DERTag.sequence)
            guard try mask.readObjectIdentifier() == .mgf1, try readHash(&mask) == hash else { return nil }
            try mask.finish()
            var third = try fields.enter(DERTag.constructed(2))
            guard try third.readSmallInteger() == hash.digestSize, fields.isAtEnd else { return nil }
            return hash
        } catch {
            return nil
        }
    }

    /// Reads the identifier of a hash, with or without NULL as parameters (RFC 4055 2.1); `nil` for other
    /// hashes.
    private static func readHash(_ reader: inout DERReader) throws(PKIXError) -> HashAlgorithm? {
        var algorithm = try reader.enter(DERTag.sequence)
        let identifier = try algorithm.readObjectIdentifier()
        _ = try algorithm.readOptional(DERTag.null)
        try algorithm.finish()
        switch identifier {
        case .sha256: return .sha256
        case .sha384: return .sha384
        case .sha512: return .sha512
        default: return nil
        }
    }
}

extension ObjectIdentifier {
    fileprivate static let mgf1 = ObjectIdentifier("1.2.840.113549.1.1.8")
    fileprivate static let rsaPSS = ObjectIdentifier("1.2.840.113549.1.1.10")
    fileprivate static let sha256WithRSA = ObjectIdentifier("1.2.840.113549.1.1.11")
    fileprivate static let sha384WithRSA = ObjectIdentifier("1.2.840.113549.1.1.12")
    fileprivate static let sha512WithRSA = ObjectIdentifier("1.2.840.113549.1.1.13")
    fileprivate static let sha256 = ObjectIdentifier("2.16.840.1.101.3.4.2.1")
    fileprivate static let sha384 = ObjectIdentifier("2.16.840.1.101.3.4.2.2")
    fileprivate static let sha512 = ObjectIdentifier("2.16.840.1.101.3.4.2.3")
}
