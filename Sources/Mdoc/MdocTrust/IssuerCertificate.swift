internal import ErrorMapping
internal import JSON
package import OpenSSLCrypto
package import PKIX

/// The document signer's certificate, the first certificate of x5chain, with its public key. The certificate
/// is not verified yet.
package final class IssuerCertificate: Sendable {
    package let certificate: Certificate
    package let publicKey: PublicKey

    /// Parses `der`.
    ///
    /// The bytes are copied, because `TrustStore` remembers signers, and a slice would keep the whole message
    /// in memory.
    package init(der: ArraySlice<UInt8>) throws(IssuerCertificateError) {
        let certificate = try mapping(Certificate(der: Array(der)[...]), IssuerCertificateError.malformed)
        publicKey = try mapping(certificate.publicKey(), IssuerCertificateError.keyNotUsable)
        self.certificate = certificate
    }
}

/// The reason that a document signer's certificate is not trusted (ISO/IEC 18013-5 9.3.3, Annex B.1.4).
package enum IssuerCertificateError: Error, Equatable, Sendable {
    /// The bytes are not a certificate.
    case malformed(PKIXError)
    /// The certificate holds a key that cannot be used.
    case keyNotUsable(OpenSSLCryptoError)
    /// The certificate has a version other than 3, or an encoding that RFC 5280 forbids. The associated value
    /// lists the forbidden encodings. The list is empty if only the version is wrong. Roots with such
    /// encodings are tolerated, document signers are not (Q179).
    case encodingIrregular(EncodingDeviations)
    /// No trusted IACA has the name that the certificate states as its issuer.
    case anchorNotFound(issuer: String)
    /// A trusted IACA has the issuer's name, but the authority key identifier is missing or identifies
    /// another key.
    case authorityKeyIdentifierMismatch
    /// A trusted IACA has the key identifier that the certificate states for its issuer, but a different
    /// name.
    case issuerNameMismatch
    /// No trusted IACA of this name and key identifier signed the certificate.
    case signatureInvalid
    case notYetValid
    case expired
    /// The trusted IACA itself is not yet valid, or no longer valid.
    case anchorOutsideValidity
    /// The IACA is trusted, but not for documents of this type (ISO/IEC 18013-5 Annex C.1.7.1).
    case docTypeNotTrusted(String)
    /// The certificate belongs to an authority, which must not sign documents.
    case isCertificateAuthority
    /// The key usage is missing, or does not allow digital signatures.
    case keyUsageWrong
    /// The extended key usage does not fit the document type; for an mDL it is 1.0.18013.5.1.2 (Q216).
    case extendedKeyUsageWrong
    /// The subject has no country.
    case countryMissing
    /// The country differs from the country of the IACA.
    case countryMismatch
    /// The certificate has a critical extension that this reader does not know.
    case unknownCriticalExtension(ObjectIdentifier)
    /// The certificate has an extension that its profile forbids, such as name constraints.
    case forbiddenExtension(ObjectIdentifier)
}

extension IssuerCertificateError {
    /// The reason in words, for messages to users.
    package var explanation: String {
        switch self {
        case .malformed(let error): "the document signer's certificate cannot be read: \(error.explanation)"
        case .keyNotUsable(let error):
            "the key of the document signer's certificate cannot be used: \(error.explanation)"
        case .encodingIrregular(let deviations):
            "the document signer's certificate is encoded in a way that RFC 5280 forbids: "
                + (deviations.isEmpty
                    ? "its version is not 3" : deviations.descriptions.joined(separator: ", "))
        case .anchorNotFound(let issuer):
            "the trust store has no root of this issuer: \(Terminal.safe(issuer))"
        case .authorityKeyIdentifierMismatch:
            "a trusted root has the issuer's name, but the certificate names a different key for its issuer, or no key"
        case .issuerNameMismatch:
            "the certificate names the key of a trusted root, but a different issuer name"
        case .signatureInvalid:
            "a trusted root has the issuer's name, but it did not sign the document signer's certificate"
        case .notYetValid: "the document signer's certificate is not valid yet"
        case .expired: "the document signer's certificate has expired"
        case .anchorOutsideValidity: "the trusted root that issued the certificate is not valid now"
        case .docTypeNotTrusted(let docType):
            "the trust store trusts the issuer, but not for documents of type "
                + "\(Terminal.safe(docType, limit: 80))"
        case .isCertificateAuthority:
            "the document is signed with an authority's certificate, which may only issue document signers"
        case .keyUsageWrong: "the document signer's key usage does not allow digital signatures"
        case .extendedKeyUsageWrong:
            "the extended key usage of the document signer's certificate is not for documents of this type"
                + " (1.0.18013.5.1.2 for an mDL)"
        case .countryMissing: "the document signer's certificate names no country"
        case .countryMismatch: "the country of the document signer differs from its root's"
        case .unknownCriticalExtension(let oid):
            "the document signer's certificate has an unknown critical extension, \(oid)"
        case .forbiddenExtension(let oid):
            "the document signer's certificate has the extension \(oid), which is not allowed in it"
        }
    }
}
