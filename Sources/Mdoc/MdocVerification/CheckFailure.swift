package import COSE
package import MdocModel
package import MdocTrust

/// The reason that a check of a document failed. The reason may contain the names of elements, but never
/// their values.
package enum CheckFailure: Error, Equatable, Sendable {
    case issuerCertificate(IssuerCertificateError)
    case issuerAuthMissing
    /// issuerAuth, the device's signature or the device's MAC is not a COSE structure, or does not verify.
    case cose(COSEError)
    /// The MSO cannot be parsed.
    case mobileSecurityObject(MdocModelError)
    /// The MSO's version is not 1.x.
    case mobileSecurityObjectVersion
    /// The MSO is for another document type than the document states.
    case docTypeMismatch
    /// The MSO's digest algorithm is not SHA-256, SHA-384 or SHA-512.
    case digestAlgorithmUnknown
    /// The MSO has no digest for this item's namespace and digest ID.
    case digestMissing(ElementName)
    /// The item differs from the item that the issuer signed.
    case digestMismatch(ElementName)
    /// The MSO was signed before or after the validity of its signer's certificate (Q220).
    case signedOutsideCertificateValidity(signed: Timestamp, from: Timestamp, until: Timestamp)
    /// validFrom is earlier than signed, or validUntil is not later than validFrom.
    case validityContradictory
    case notYetValid
    case expired
    case issuingCountryMismatch
    case revoked(RevokedCause)
    /// It is not known whether the document is revoked, and the policy requires an answer.
    case revocationUndetermined(UndeterminedCause, RevocationSubject)
    /// The document has no device-signed namespaces. They must be present even when empty.
    case deviceNameSpacesMissing
    /// The document has neither a device signature nor a MAC.
    case deviceAuthMissing
    /// The document has both a device signature and a MAC.
    case deviceAuthTwice
    /// The device signature or MAC contains its payload, which must be detached (Q219).
    case devicePayloadAttached
    /// The document has a MAC, and no reader key of this kind is available to check it.
    case readerKeyNeeded(MACKey)
    /// The document has a MAC, but a presentation of this kind has no reader key with which a MAC can be made
    /// (Q236).
    case signatureNeeded(TranscriptKind)
    /// The document has a MAC, and the reader's key is not on the device key's curve.
    case readerKeyOnOtherCurve
    /// The MSO authorises a namespace both as a whole and by element (Q164).
    case keyAuthorizationsContradictory
    case elementNotAuthorized(ElementName)
    case docTypeNotRequested
    /// The response has the same document twice.
    case documentTwice
    /// The phone asserts an element that was not requested.
    case elementNotRequested(ElementName)
    case elementTwice(ElementName)
    /// The phone returned an age attestation that answers no requested age.
    case ageNotNearest(ElementName)
    /// The document departs from the profile, and the policy's rules are strict.
    case deviations([Deviation])
}

extension CheckFailure {
    /// The reason in words, for messages to users. The text may contain the names of elements, but never
    /// their values.
    package var explanation: String {
        switch self {
        case .issuerCertificate(let error): error.explanation
        case .issuerAuthMissing: "the document has no issuer signature (issuerAuth)"
        case .cose(let error): error.explanation
        case .mobileSecurityObject(let error): error.explanation
        case .mobileSecurityObjectVersion: "the MSO has an unknown version"
        case .docTypeMismatch:
            "the document type that the issuer signed differs from the one that the phone sent"
        case .digestAlgorithmUnknown: "the digest algorithm is not SHA-256, SHA-384 or SHA-512"
        case .digestMissing(let element): "the issuer signed no digest for \(element.text)"
        case .digestMismatch(let element): "\(element.text) is not what the issuer signed"
        case .signedOutsideCertificateValidity(let signed, let start, let end):
            signed < start
                ? "the MSO was signed at \(signed), before its signer's certificate became valid at \(start)"
                : "the MSO was signed at \(signed), after its signer's certificate expired at \(end)"
        case .validityContradictory: "the MSO's dates contradict one another"
        case .notYetValid: "the MSO is not valid yet"
        case .expired: "the MSO has expired: the holder must update the document in the wallet"
        case .issuingCountryMismatch: "issuing_country differs from the country of the document signer"
        case .revoked(let cause): cause.explanation
        case .revocationUndetermined(let cause, let subject):
            "it is not known whether the \(subject.rawValue) is revoked: \(cause.explanation)"
        case .deviceNameSpacesMissing: "deviceSigned has no nameSpaces, which must be present even when empty"
        case .deviceAuthMissing: "the phone sent neither a signature nor a MAC over the session"
        case .deviceAuthTwice: "the phone sent a signature and a MAC; only one of them is allowed"
        case .devicePayloadAttached:
            "the device signature or MAC contains its payload; ISO/IEC 18013-5 requires a detached payload (nil)"
        case .readerKeyNeeded(.ephemeral):
            "the phone authenticated with a MAC, which only the reader of that session can check:"
                + " give the reader's ephemeral key with --reader-key"
        case .readerKeyNeeded(.encryption):
            "the phone authenticated with a MAC, which only the verifier that made the OpenID4VP request can check:"
                + " give the private key that the answer was encrypted for with --reader-key"
        case .signatureNeeded(let kind):
            "the phone authenticated with a MAC; in this kind of presentation (\(kind.explanation))"
                + " only a signature can prove that the phone holds its key"
        case .readerKeyOnOtherCurve:
            "the phone's MAC cannot be checked, because the reader's key and the document's key are on different curves"
        case .keyAuthorizationsContradictory:
            "the MSO authorises a namespace both as a whole and element by element"
        case .elementNotAuthorized(let element): "the phone's key is not authorised to assert \(element.text)"
        case .docTypeNotRequested: "the document is of a type that was not requested"
        case .documentTwice: "the same document was returned twice"
        case .elementNotRequested(let element): "the phone asserts \(element.text), which was not requested"
        case .elementTwice(let element): "\(element.text) was returned twice"
        case .ageNotNearest(let element):
            "\(element.text) answers no age that was requested; the phone must return the nearest attestation"
        case .deviations(let deviations):
            "under --strict: " + deviations.map { "\($0.rawValue) (\($0.meaning))" }.joined(separator: "; ")
        }
    }
}
