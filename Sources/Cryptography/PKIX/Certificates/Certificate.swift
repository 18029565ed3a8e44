package import OpenSSLCrypto

/// A parsed X.509 certificate (RFC 5280 4.1), which is not yet trusted.
///
/// The initialiser reads the encoding strictly: every field of the certificate, and the known extensions down
/// to their last byte. A malformed known extension is an error. Some encodings that RFC 5280 forbids occur in
/// real roots (Q179). They are read and recorded in `deviations`, and the caller decides whether to accept
/// them.
///
/// Parsing checks no signature, no validity period and no profile:
///
/// - `verifySignature(with:)` checks only that a key signed the certificate;
/// - `CertificateChain` checks the order, names and signatures of several certificates;
/// - `CertificateProfile` (MdocTrust) checks the profile of ISO/IEC 18013-5 Annex B;
/// - `TrustStore` (MdocTrust) finds the trusted root.
///
/// All slices refer to the received buffer, so the bytes that were signed are never encoded again. A
/// certificate has at most 64 KiB and 64 extensions.
package struct Certificate: Sendable {
    /// The maximum size of a certificate, in bytes.
    package static let maximumSize = 1 << 16

    /// The complete encoding.
    package let der: ArraySlice<UInt8>
    /// The complete encoding of the signed part, `TBSCertificate`.
    package let tbsCertificate: ArraySlice<UInt8>
    /// The version: 1, 2 or 3.
    package let version: Int
    /// The serial number as the contents of its INTEGER: big-endian, with a leading zero byte if the first
    /// bit would otherwise be set.
    package let serialNumber: ArraySlice<UInt8>
    package let issuer: DistinguishedName
    package let subject: DistinguishedName
    /// The first second of validity, since 1970-01-01T00:00:00Z.
    package let notBefore: Int64
    /// The last second of validity, since 1970-01-01T00:00:00Z.
    package let notAfter: Int64
    package let subjectPublicKeyInfo: SubjectPublicKeyInfo
    /// All extensions in their order. Each identifier occurs once.
    package let extensions: [CertificateExtension]
    private let signed: X509Signature
    /// The encodings that RFC 5280 forbids but this parser accepts. A leaf certificate should have none.
    package let deviations: EncodingDeviations

    package let basicConstraints: BasicConstraints?
    package let keyUsage: KeyUsage?
    package let extendedKeyUsage: [ObjectIdentifier]?
    package let subjectKeyIdentifier: ArraySlice<UInt8>?
    /// The key identifier; `nil` if the extension is absent or identifies the issuer's certificate in another
    /// way.
    package let authorityKeyIdentifier: ArraySlice<UInt8>?

    /// Parses a certificate that fills `der`. A malformed known extension is also an error.
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

    /// Returns the subject's key after a check that its point is on the curve. Throws `unsupportedKey` for
    /// other kinds of keys.
    package func publicKey() throws(OpenSSLCryptoError) -> PublicKey {
        try subjectPublicKeyInfo.publicKey()
    }

    /// Whether issuer and subject have the same name. The signature is not checked.
    package var isSelfIssued: Bool { issuer == subject }

    /// Verifies that `key` signed the certificate. Nothing else is checked.
    package func verifySignature(with key: borrowing PublicKey) throws(OpenSSLCryptoError) {
        try signed.verify(with: key)
    }

    /// Verifies that `key` signed the certificate. Nothing else is checked.
    package func verifySignature(with key: borrowing AuthorityKey) throws(OpenSSLCryptoError) {
        try signed.verify(with: key)
    }

    /// The issuer's signature algorithm; `nil` if this module does not support it.
    package var issuerAlgorithm: X509SignatureAlgorithm? { signed.algorithm }

    /// The issuer's signature algorithm if the issuer's key is on a curve; `nil` for RSA and unsupported
    /// algorithms.
    package var signatureAlgorithm: SignatureAlgorithm? {
        guard case .curve(let algorithm, _) = signed.algorithm else { return nil }
        return algorithm
    }

    /// The signature in the encoding of X.509.
    package var signature: ArraySlice<UInt8> { signed.value }

    package func firstExtension(_ oid: ObjectIdentifier) -> CertificateExtension? {
        extensions.first { $0.oid == oid }
    }
}
