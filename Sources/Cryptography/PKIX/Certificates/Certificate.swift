package import OpenSSLCrypto

/// An X.509 certificate (RFC 5280, 4.1), parsed strictly. It is not trusted: parsing does not check who signed it.
/// All slices are part of the received buffer.
package struct Certificate: Sendable {
    /// The longest certificate that is read, in bytes.
    package static let maximumSize = 1 << 16

    /// The complete encoding.
    package let der: ArraySlice<UInt8>
    /// The complete encoding of the signed part.
    package let tbsCertificate: ArraySlice<UInt8>
    /// 1, 2 or 3.
    package let version: Int
    /// The contents of the INTEGER: big-endian, with a leading zero where the number would look negative.
    package let serialNumber: ArraySlice<UInt8>
    package let issuer: DistinguishedName
    package let subject: DistinguishedName
    /// The first second of validity, since 1970-01-01T00:00:00Z.
    package let notBefore: Int64
    /// The last second of validity, since 1970-01-01T00:00:00Z.
    package let notAfter: Int64
    package let subjectPublicKeyInfo: SubjectPublicKeyInfo
    /// All extensions in their order; each identifier occurs once.
    package let extensions: [CertificateExtension]
    private let signed: X509Signature
    /// What RFC 5280 forbids and this parser reads all the same; leaves should have none.
    package let deviations: EncodingDeviations

    package let basicConstraints: BasicConstraints?
    package let keyUsage: KeyUsage?
    package let extendedKeyUsage: [ObjectIdentifier]?
    package let subjectKeyIdentifier: ArraySlice<UInt8>?
    /// The key identifier; nil also when the extension names the issuer's certificate another way.
    package let authorityKeyIdentifier: ArraySlice<UInt8>?

    /// Parses one certificate that fills `der`. A known extension that is malformed is an error.
    package init(der: ArraySlice<UInt8>) throws(PKIXError) {
        guard der.count <= Self.maximumSize else { throw .limitExceeded(at: der.startIndex) }
        self.der = der
        signed = try X509Signature(der)
        tbsCertificate = signed.signed.encoding

        var deviations: EncodingDeviations = []
        var fields = DERReader(signed.signed.contents)
        version = try fields.readVersion(&deviations)
        serialNumber = try fields.readSerialNumber(&deviations)
        guard try fields.readElement(DERTag.sequence).encoding == signed.identifier.encoding else {
            throw .signatureAlgorithmsDiffer
        }
        issuer = try DistinguishedName(fields.readElement(DERTag.sequence))
        (notBefore, notAfter) = try fields.readValidity(&deviations)
        subject = try DistinguishedName(fields.readElement(DERTag.sequence))
        subjectPublicKeyInfo = try SubjectPublicKeyInfo(fields.readElement(DERTag.sequence))
        try fields.skipUniqueIdentifiers(version: version)
        extensions = try fields.readExtensions(version: version, &deviations)
        try fields.finish()

        let known = try KnownExtensions(extensions, &deviations)
        basicConstraints = known.basicConstraints
        keyUsage = known.keyUsage
        extendedKeyUsage = known.extendedKeyUsage
        subjectKeyIdentifier = known.subjectKeyIdentifier
        authorityKeyIdentifier = known.authorityKeyIdentifier
        self.deviations = deviations
    }

    /// The subject's key, checked to be on its curve. Throws `unsupportedKey` for keys of another kind.
    package func publicKey() throws(OpenSSLCryptoError) -> PublicKey {
        try subjectPublicKeyInfo.publicKey()
    }

    /// Whether issuer and subject are one name. Says nothing about who signed.
    package var isSelfIssued: Bool { issuer == subject }

    /// Verifies that `key` signed the certificate; checks nothing else.
    package func verifySignature(with key: borrowing PublicKey) throws(OpenSSLCryptoError) {
        try signed.verify(with: key)
    }

    /// Verifies that `key` signed the certificate; checks nothing else.
    package func verifySignature(with key: borrowing AuthorityKey) throws(OpenSSLCryptoError) {
        try signed.verify(with: key)
    }

    /// How the issuer signed; nil when this target does not know the algorithm.
    package var issuerAlgorithm: X509SignatureAlgorithm? { signed.algorithm }

    /// How the issuer signed with a key on a curve; nil for RSA and for algorithms this target does not know.
    package var signatureAlgorithm: SignatureAlgorithm? {
        guard case .curve(let algorithm, _) = signed.algorithm else { return nil }
        return algorithm
    }

    /// The signature in the form X.509 uses.
    package var signature: ArraySlice<UInt8> { signed.value }

    package func firstExtension(_ oid: ObjectIdentifier) -> CertificateExtension? {
        extensions.first { $0.oid == oid }
    }
}
