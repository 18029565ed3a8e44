package import OpenSSLCrypto

/// Why a document signer's certificate is not believed (ISO/IEC 18013-5 9.3.3, Annex B.1.4).
package enum IssuerCertificateError: Error, Equatable, Sendable {
    /// The bytes are no certificate, or hold a key that cannot be used.
    case misshapen(OpenSSLCryptoError)
    /// An encoding that RFC 5280 forbids and a reader could tolerate, as it does in anchors.
    case encodingIrregular
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
    /// The certificate may issue certificates: an authority is no document signer.
    case isCertificateAuthority
    /// No key usage, or none that allows digital signatures.
    case keyUsageWrong
    /// The extended key usage is missing or does not name mdoc document signing, 1.0.18013.5.1.2.
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
