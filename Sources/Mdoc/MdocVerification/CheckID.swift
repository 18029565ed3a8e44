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
    /// Nothing departs from the profile. Made under strict rules only.
    case profile = "profile"
}

package struct CheckReport: Equatable, Sendable {
    package enum Finding: Equatable, Sendable {
        case passed
        case failed(CheckFailure)
        /// The check could not be made with what is available.
        case undetermined(CheckFailure)
        /// There was nothing to check, or an earlier failure left nothing to check.
        case skipped
    }

    package let id: CheckID
    package let outcome: Finding
}

extension CheckReport {
    /// What the check found, or what it proves where it passed.
    package var explanation: String {
        switch outcome {
        case .passed: id.meaning
        case .failed(let failure), .undetermined(let failure): failure.explanation
        case .skipped: "not checked: there is nothing to check, or an earlier check failed"
        }
    }
}

extension CheckReport.Finding {
    package var word: String {
        switch self {
        case .passed: "passed"
        case .failed: "failed"
        case .undetermined: "undetermined"
        case .skipped: "skipped"
        }
    }
}

extension CheckID {
    /// What is known once the check has passed.
    package var meaning: String {
        switch self {
        case .issuerCertificate: "a trusted root issued the document signer's certificate, and both are valid"
        case .issuerSignature: "the document signer signed the mobile security object (MSO)"
        case .mobileSecurityObject: "the MSO has a known version and is for this document type"
        case .digests: "every element is the one the issuer signed"
        case .validity: "the MSO is valid now, and was signed while its signer's certificate was valid"
        case .issuingCountry: "the document's country is that of its signer"
        case .revocation:
            "no available list revokes the document or its signer, and the policy accepts what is not known"
        case .deviceAuthentication: "the phone holds the document's key and took part in this session"
        case .keyAuthorizations: "the phone asserts nothing that its key is not authorised for"
        case .requestMatch: "nothing was returned twice; what was not requested is refused or withheld"
        case .profile: "nothing departs from the standard's profile"
        }
    }
}
