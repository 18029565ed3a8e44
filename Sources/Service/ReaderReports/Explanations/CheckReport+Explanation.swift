internal import COSE
package import MdocModel
internal import MdocTrust
package import MdocVerification

extension CheckReport {
    /// What the check found, or what it proves where it passed.
    package var explanation: String {
        switch outcome {
        case .passed: id.meaning
        case .failed(let failure), .undetermined(let failure): failure.explanation
        case .skipped: "not made: an earlier failure left nothing to check"
        }
    }
}

extension CheckReport.Outcome {
    /// The word for it in JSON.
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
        case .issuingCountry: "the document's country is its signer's"
        case .revocation:
            "no list at hand revokes document or signer, and the policy takes what is not known"
        case .deviceAuthentication: "the phone holds the document's key and took part in this very session"
        case .keyAuthorizations: "the phone asserts nothing that its key is not authorised for"
        case .requestMatch: "nothing came twice; what a known request did not ask for is refused or withheld"
        }
    }
}

extension CheckFailure {
    /// In plain words, naming elements and never values.
    package var explanation: String {
        switch self {
        case .issuerCertificate(let error): error.explanation
        case .issuerAuthMissing: "the document has no issuer signature (issuerAuth)"
        case .cose(let error): error.explanation
        case .mobileSecurityObject(let error): error.explanation
        case .mobileSecurityObjectVersion: "the MSO has an unknown version"
        case .docTypeMismatch: "the issuer signed another document type than the phone sent"
        case .digestAlgorithmUnknown: "the digest algorithm is none of SHA-256, SHA-384 and SHA-512"
        case .digestMissing(let element): "the issuer signed no digest for \(element.text)"
        case .digestMismatch(let element): "\(element.text) is not what the issuer signed"
        case .signedOutsideCertificateValidity:
            "the MSO was signed before or after the validity of its signer's certificate"
        case .validityContradictory: "the MSO's dates contradict one another"
        case .notYetValid: "the MSO is not valid yet"
        case .expired: "the MSO has expired: the phone has to fetch a fresh one from the issuer"
        case .issuingCountryMismatch: "issuing_country differs from the country of the document signer"
        case .revoked(let cause): cause.explanation
        case .revocationUndetermined(let cause, let subject):
            "whether the \(subject.rawValue) is revoked is not known: \(cause.explanation)"
        case .deviceNameSpacesMissing: "deviceSigned has no nameSpaces, which must be there even when empty"
        case .deviceAuthMissing: "the phone neither signed nor authenticated the session"
        case .deviceAuthTwice: "the phone sent a signature and a MAC; only one of them is allowed"
        case .readerKeyNeeded:
            "the phone authenticated with a MAC, which only the reader of that session can check:"
                + " give its ephemeral key with --reader-key"
        case .readerKeyOnOtherCurve: "the reader's key and the document's key lie on different curves"
        case .keyAuthorizationsContradictory:
            "the MSO authorises a namespace both whole and element by element"
        case .elementNotAuthorized(let element): "the phone's key is not authorised to assert \(element.text)"
        case .docTypeNotRequested: "the document is of a type that was not asked for"
        case .documentTwice: "the same document came twice"
        case .elementNotRequested(let element): "the phone asserts \(element.text), which was not asked for"
        case .elementTwice(let element): "\(element.text) came twice"
        case .ageNotNearest(let element):
            "\(element.text) answers no age that was asked for; a nearer attestation has to be sent"
        case .deviations(let deviations):
            "under --strict: " + deviations.map { "\($0.rawValue) (\($0.meaning))" }.joined(separator: "; ")
        }
    }
}

extension ElementName {
    /// `namespace/name`.
    package var text: String {
        "\(Terminal.safe(nameSpace, limit: 80))/\(Terminal.safe(identifier, limit: 80))"
    }
}
