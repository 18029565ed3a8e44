package import COSE
package import MdocModel
package import MdocTrust

/// Why a check of a document failed. Names elements, never their values.
package enum CheckFailure: Error, Equatable, Sendable {
    case issuerCertificate(IssuerCertificateError)
    /// The document has no issuerAuth.
    case issuerAuthMissing
    /// issuerAuth, or the device's signature or MAC, is not one or does not verify.
    case cose(COSEError)
    case mobileSecurityObject(MdocModelError)
    /// The MSO's version is not 1.x.
    case mobileSecurityObjectVersion
    /// The MSO is for another document type than the document says.
    case docTypeMismatch
    /// The MSO's digest algorithm is none of SHA-256, SHA-384 and SHA-512.
    case digestAlgorithmUnknown
    /// The MSO lists no digest for this item under its namespace and ID.
    case digestMissing(ElementName)
    /// The item is not the one the issuer signed.
    case digestMismatch(ElementName)
    /// The MSO was signed before or after the validity of its signer's certificate.
    case signedOutsideCertificateValidity
    /// validFrom lies before signed, or validUntil not after validFrom.
    case validityContradictory
    case notYetValid
    case expired
    case issuingCountryMismatch
    case revoked(RevokedCause)
    /// Whether it is revoked is not known, and the policy asks for it.
    case revocationUndetermined(UndeterminedCause, RevocationSubject)
    /// The document has no device-signed namespaces, not even empty ones.
    case deviceNameSpacesMissing
    /// Neither a device signature nor a MAC.
    case deviceAuthMissing
    /// A device signature and a MAC together.
    case deviceAuthTwice
    /// A MAC, and no reader key at hand to check it with.
    case readerKeyNeeded
    /// A MAC, and the reader's key is not on the device key's curve.
    case readerKeyOnOtherCurve
    /// A namespace is authorised whole and by element too.
    case keyAuthorizationsContradictory
    /// The phone asserts an element its key was not authorised for.
    case elementNotAuthorized(ElementName)
    case docTypeNotRequested
    /// The same document was sent before.
    case documentTwice
    /// The phone asserts an element that was not asked for.
    case elementNotRequested(ElementName)
    case elementTwice(ElementName)
    /// An age attestation that answers no question that was asked.
    case ageNotNearest(ElementName)
    /// Under strict rules: the profile is departed from.
    case deviations([Deviation])
}
