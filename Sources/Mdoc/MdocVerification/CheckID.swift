/// The checks of a document (ISO/IEC 18013-5 9.3.1 and 9.1), in the order they are made.
package enum CheckID: String, CaseIterable, Sendable {
    /// A trusted IACA issued the document signer's certificate, which fits its profile and is valid.
    case issuerCertificate = "issuer_certificate"
    /// The document signer signed the MSO.
    case issuerSignature = "issuer_signature"
    /// The MSO has the structure, version and document type it must have.
    case mobileSecurityObject = "mso"
    /// Every returned item has the digest that the MSO lists for it.
    case digests = "digests"
    /// The MSO is valid now and was signed while its signer's certificate was valid.
    case validity = "validity"
    /// issuing_country is the country of the document signer.
    case issuingCountry = "issuing_country"
    /// Neither document nor signer is revoked, or the policy takes that it is not known.
    case revocation = "revocation"
    /// The phone holds the document's key, and signed or authenticated this very session.
    case deviceAuthentication = "device_authentication"
    /// What the phone asserts itself is what its key was authorised for.
    case keyAuthorizations = "key_authorizations"
    /// Nothing came that was not asked for, and nothing twice.
    case requestMatch = "request_match"
}

/// What one check came to.
package struct CheckReport: Equatable, Sendable {
    package enum Outcome: Equatable, Sendable {
        case passed
        case failed(CheckFailure)
        /// The check could not be made with what is at hand.
        case undetermined(CheckFailure)
        /// There was nothing to check, or an earlier failure left nothing to check.
        case skipped
    }

    package let id: CheckID
    package let outcome: Outcome
}
