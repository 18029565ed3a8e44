internal import ErrorMapping
internal import JSON
package import OpenSSLCrypto
package import PKIX

/// The leaf of x5chain with its key, whether it is believed or not.
package final class IssuerCertificate: Sendable {
    package let certificate: Certificate
    package let publicKey: PublicKey

    /// The bytes are copied: a signer is remembered, the message it came in must not be.
    package init(der: ArraySlice<UInt8>) throws(IssuerCertificateError) {
        let certificate = try mapping(Certificate(der: Array(der)[...]), IssuerCertificateError.malformed)
        publicKey = try mapping(certificate.publicKey(), IssuerCertificateError.keyNotUsable)
        self.certificate = certificate
    }
}

/// Why a document signer's certificate is not believed (ISO/IEC 18013-5 9.3.3, Annex B.1.4).
package enum IssuerCertificateError: Error, Equatable, Sendable {
    /// The bytes are not a certificate.
    case malformed(PKIXError)
    /// The certificate holds a key that cannot be used.
    case keyNotUsable(OpenSSLCryptoError)
    /// An encoding that RFC 5280 forbids and a reader could tolerate, as it does in anchors; empty if the version is not 3.
    case encodingIrregular(EncodingDeviations)
    /// No trusted IACA of this name.
    case anchorNotFound(issuer: String)
    /// There is a trusted IACA of this name, and the authority key identifier names another key of it, or none.
    case authorityKeyIdentifierMismatch
    /// There is a trusted IACA with this key identifier, under another name.
    case issuerNameMismatch
    /// No trusted IACA of this name and key made the signature.
    case signatureInvalid
    case notYetValid
    case expired
    /// The trusted IACA itself is not yet, or no longer, valid.
    case anchorOutsideValidity
    /// The trusted IACA is not trusted for documents of this type (ISO/IEC 18013-5 Annex C.1.7.1).
    case docTypeNotTrusted(String)
    /// The certificate may issue certificates: an authority is not a document signer.
    case isCertificateAuthority
    /// No key usage, or none that allows digital signatures.
    case keyUsageWrong
    /// The extended key usage is not one for documents of this type: for an mDL 1.0.18013.5.1.2 (Q216).
    case extendedKeyUsageWrong
    /// No country in the subject.
    case countryMissing
    /// The country differs from the IACA's.
    case countryMismatch
    /// A critical extension that is not understood.
    case unknownCriticalExtension(ObjectIdentifier)
    /// An extension that constrains authorities and has no place here.
    case forbiddenExtension(ObjectIdentifier)
}

extension IssuerCertificateError {
    /// In plain words.
    package var explanation: String {
        switch self {
        case .malformed(let error): "the document signer's certificate cannot be read: \(error.explanation)"
        case .keyNotUsable(let error):
            "the key of the document signer's certificate cannot be used: \(error.explanation)"
        case .encodingIrregular(let deviations):
            "the document signer's certificate is encoded in a way that RFC 5280 forbids: "
                + (deviations.isEmpty
                    ? "it is not of version 3" : deviations.descriptions.joined(separator: ", "))
        case .anchorNotFound(let issuer):
            "the trust store has no root of this issuer: \(Terminal.safe(issuer))"
        case .authorityKeyIdentifierMismatch:
            "a trusted root has the issuer's name, but the certificate names a different key as its issuer's, or none"
        case .issuerNameMismatch:
            "the certificate names the key of a trusted root, but another issuer"
        case .signatureInvalid:
            "a root of this name is trusted, but did not sign the document signer's certificate"
        case .notYetValid: "the document signer's certificate is not valid yet"
        case .expired: "the document signer's certificate has expired"
        case .anchorOutsideValidity: "the trusted root that issued the certificate is not valid now"
        case .docTypeNotTrusted(let docType):
            "the trust store has the issuer, but not for documents of type "
                + "\(Terminal.safe(docType, limit: 80))"
        case .isCertificateAuthority:
            "an authority's certificate signed the document; it may only issue document signers"
        case .keyUsageWrong: "the document signer's key usage does not allow digital signatures"
        case .extendedKeyUsageWrong:
            "the extended key usage of the document signer's certificate is not for documents of this type"
                + " (1.0.18013.5.1.2 for an mDL)"
        case .countryMissing: "the document signer's certificate names no country"
        case .countryMismatch: "the country of the document signer differs from its root's"
        case .unknownCriticalExtension(let oid):
            "the document signer's certificate has an unknown critical extension, \(oid)"
        case .forbiddenExtension(let oid):
            "the document signer's certificate has extension \(oid), which is not allowed in one"
        }
    }
}
