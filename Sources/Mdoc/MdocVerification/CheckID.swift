/// The checks of a document (ISO/IEC 18013-5 9.3.1 and 9.1), in the order in which they are made.
package enum CheckID: String, CaseIterable, Sendable {
    /// A trusted IACA issued the document signer's certificate, which fits its profile and is valid.
    case issuerCertificate = "issuer_certificate"
    /// The document signer signed the MSO.
    case issuerSignature = "issuer_signature"
    /// The MSO has the required structure and version, and is for this document type.
    case mobileSecurityObject = "mso"
    /// Every returned item has the digest that the MSO lists for it.
    case digests = "digests"
    /// The MSO is valid now and was signed while its signer's certificate was valid.
    case validity = "validity"
    /// The issuing_country of a driving licence, if returned, equals the document signer's country. Documents
    /// of other types pass this check.
    case issuingCountry = "issuing_country"
    /// Neither the document nor its signer is revoked. The policy decides whether the check passes if that is
    /// not known.
    case revocation = "revocation"
    /// The phone holds the document's key, and signed or authenticated this session with it.
    case deviceAuthentication = "device_authentication"
    /// The phone's key is authorised for every element that the phone itself asserts.
    case keyAuthorizations = "key_authorizations"
    /// No identical document came earlier in the response, the document's type was requested, no element was
    /// returned twice, and every element that the phone asserts was requested. An issuer-signed element that
    /// was not requested is withheld and does not fail the check. If an age was requested, an age attestation
    /// that answers no requested age fails the check.
    case requestMatch = "request_match"
    /// The document does not depart from the profile. This check is made only under strict rules.
    case profile = "profile"
}

/// The outcome of one check of a document.
package struct CheckReport: Equatable, Sendable {
    /// The outcome of a check.
    package enum Finding: Equatable, Sendable {
        case passed
        case failed(CheckFailure)
        /// The check could not be made, because a key or a list is missing.
        case undetermined(CheckFailure)
        /// The check was not made, because there was nothing to check or an earlier check failed.
        case skipped
    }

    package let id: CheckID
    package let outcome: Finding
}

extension CheckReport {
    /// The reason for a failure, or the meaning of the passed check, in words for users.
    package var explanation: String {
        switch outcome {
        case .passed: id.meaning
        case .failed(let failure), .undetermined(let failure): failure.explanation
        case .skipped: "not checked: there is nothing to check, or an earlier check failed"
        }
    }
}

extension CheckReport.Finding {
    /// The word for the outcome in reports.
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
    /// The fact that is proved once the check has passed, in words for users.
    package var meaning: String {
        switch self {
        case .issuerCertificate: "a trusted root issued the document signer's certificate, and both are valid"
        case .issuerSignature: "the document signer signed the mobile security object (MSO)"
        case .mobileSecurityObject: "the MSO has a known version and is for this document type"
        case .digests: "every returned element has the digest that the issuer signed"
        case .validity: "the MSO is valid now, and was signed while its signer's certificate was valid"
        case .issuingCountry: "the document and its signer name the same country"
        case .revocation:
            "no available list revokes the document or its signer; if revocation is unknown, the policy accepts the document"
        case .deviceAuthentication: "the phone holds the document's key and took part in this session"
        case .keyAuthorizations: "the phone asserts only elements that its key is authorised for"
        case .requestMatch:
            "nothing was returned twice, the document's type was requested, and the phone asserts only requested elements; signed elements that were not requested are withheld"
        case .profile: "no deviation from the standards was found"
        }
    }
}
