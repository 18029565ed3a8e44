internal import JSON
package import PKIX
internal import OpenSSLCrypto

/// A condition of one source of trust that an administrator should know about.
package struct TrustFinding: Equatable, Sendable {
    package let source: TrustSource.Identity
    package let condition: TrustCondition
}

/// A fault of a source of trust, or a remark on it. `isFault` says which of the two it is.
package enum TrustCondition: Equatable, Sendable {
    /// The bytes are not a certificate.
    case certificateUnreadable(PKIXError)
    /// The certificate is an end certificate, such as a document signer's. The root that issued it has to be
    /// imported instead (Q178).
    case notACertificateAuthority(subject: String)
    /// The certificate names itself as its issuer, but its basicConstraints do not say that it is an
    /// authority.
    case selfIssuedWithoutAuthority(subject: String, hasBasicConstraints: Bool)
    case keyNotUsable(subject: String)
    /// The key usage of the root does not allow it to sign certificates.
    case anchorKeyUsage(subject: String)
    /// The root has name constraints, which are not evaluated here.
    case anchorNameConstraints(subject: String)
    case anchorUnknownExtension(subject: String, ObjectIdentifier)
    /// The anchor is a link certificate, and the trusted root that signed it is missing (Q231).
    case linkCertificate(subject: String)
    /// The anchor names itself as its issuer, but its own key did not sign it. It is damaged, forged, or an
    /// undeclared link certificate.
    case selfSignatureInvalid(subject: String)
    /// Another source has the same certificate.
    case anchorTwice(subject: String, other: TrustSource.Identity)
    /// The anchor breaks these rules of its certificate profile, and is still trusted (Q179).
    case anchorProfile(subject: String, [ProfileFinding])
    case anchorNotYetValid(subject: String)
    case anchorExpired(subject: String)
    /// The anchor expires in this many days.
    case anchorExpiresSoon(subject: String, days: Int64)
    /// The VICAL is refused as a whole.
    case vicalRefused(VICALError)
    case vical(VICALFinding)
    /// The signer of the VICAL breaks these rules of its certificate profile, and the VICAL is still accepted
    /// (Q214).
    case vicalSigner([ProfileFinding])
    /// The VICAL has no nextUpdate.
    case vicalWithoutNextUpdate
    case revocationListUnreadable(PKIXError)
    /// The CRL has gaps. A certificate in the CRL is revoked, but absence from the CRL proves nothing (Q230).
    case revocationListIncomplete(PKIXError)
    /// No anchor or provider has the name of the CRL's issuer.
    case revocationListIssuerUnknown(issuer: String)
    /// Anchors or providers have the name of the CRL's issuer, but none of them signed the CRL.
    case revocationListSignatureInvalid(issuer: String)
    case statusListUnreadable(StatusTokenError)
    /// No signer with a certificate from a trusted root has signed the list. A signer that an MSO names may
    /// still have signed it.
    case statusListSignerUnknown
    /// The list states another URI than the URI under which it is stored.
    case statusListSubjectWrong
    /// The list has gaps. A document in the list is revoked, but absence from the list proves nothing (Q228,
    /// Q248).
    case statusListIncomplete(StatusTokenError)
    case listNotYetValid
    /// The list should have been renewed this many seconds ago.
    case listStale(overdueSeconds: Int64)
}

extension TrustCondition {
    /// Makes the condition of a certificate that cannot be an anchor.
    package init(_ error: TrustAnchorError) {
        self =
            switch error {
            case .notACertificateAuthority(let subject): .notACertificateAuthority(subject: subject)
            case .selfIssuedWithoutAuthority(let subject, let hasBasicConstraints):
                .selfIssuedWithoutAuthority(subject: subject, hasBasicConstraints: hasBasicConstraints)
            case .keyNotUsable(let subject): .keyNotUsable(subject: subject)
            case .keyUsageForbids(let subject): .anchorKeyUsage(subject: subject)
            case .nameConstraints(let subject): .anchorNameConstraints(subject: subject)
            case .unknownCriticalExtension(let subject, let oid):
                .anchorUnknownExtension(subject: subject, oid)
            }
    }
}

extension TrustCondition {
    /// Makes the condition of an anchor that neither its own key nor a trusted root has signed.
    package init(notLinked anchor: TrustAnchor) {
        let subject = anchor.certificate.subject.description
        self =
            anchor.namesOtherSigner
            ? .linkCertificate(subject: subject) : .selfSignatureInvalid(subject: subject)
    }
}

extension TrustCondition {
    /// The stable id, listed in `Documentation/command-line.md`.
    package var id: String {
        switch self {
        case .certificateUnreadable: "trust.certificate_unreadable"
        case .notACertificateAuthority: "trust.not_an_authority"
        case .selfIssuedWithoutAuthority: "trust.root_not_an_authority"
        case .keyNotUsable: "trust.key_not_usable"
        case .anchorKeyUsage: "trust.root_key_usage"
        case .anchorNameConstraints: "trust.root_name_constraints"
        case .anchorUnknownExtension: "trust.root_unknown_extension"
        case .linkCertificate: "trust.link_certificate"
        case .selfSignatureInvalid: "trust.root_signature_invalid"
        case .anchorTwice: "trust.anchor_twice"
        case .anchorProfile: "trust.anchor_profile"
        case .anchorNotYetValid: "trust.anchor_not_yet_valid"
        case .anchorExpired: "trust.anchor_expired"
        case .anchorExpiresSoon: "trust.anchor_expires_soon"
        case .vicalRefused: "trust.vical_refused"
        case .vical: "trust.vical_entry"
        case .vicalSigner: "trust.vical_signer"
        case .vicalWithoutNextUpdate: "trust.vical_no_next_update"
        case .revocationListUnreadable: "trust.crl_unreadable"
        case .revocationListIncomplete: "trust.crl_incomplete"
        case .revocationListIssuerUnknown: "trust.crl_issuer_unknown"
        case .revocationListSignatureInvalid: "trust.crl_signature_invalid"
        case .statusListUnreadable: "trust.status_unreadable"
        case .statusListSignerUnknown: "trust.status_signer_unknown"
        case .statusListSubjectWrong: "trust.status_subject_wrong"
        case .statusListIncomplete: "trust.status_incomplete"
        case .listNotYetValid: "trust.list_not_yet_valid"
        case .listStale: "trust.list_stale"
        }
    }

    /// Whether the source, or a part of it, cannot be used. Other conditions are remarks.
    package var isFault: Bool {
        switch self {
        case .linkCertificate, .anchorTwice, .anchorProfile, .anchorExpiresSoon, .vical, .vicalSigner,
            .vicalWithoutNextUpdate,
            .statusListSignerUnknown, .revocationListIncomplete, .statusListIncomplete:
            false
        default: true
        }
    }

    /// The condition in words, for messages to users. Text from certificates is made safe for a terminal.
    package var explanation: String {
        switch self {
        case .certificateUnreadable(let error): "the certificate cannot be read: \(error.explanation)"
        case .notACertificateAuthority(let subject):
            "\(Terminal.safe(subject)) is not a root but an end certificate, such as a document signer's;"
                + " import the certificate of its issuer"
        case .selfIssuedWithoutAuthority(let subject, let hasBasicConstraints):
            "this certificate is not a root: "
                + (hasBasicConstraints
                    ? "basicConstraints does not name a CA" : "basicConstraints is missing")
                + " (\(Terminal.safe(subject)))"
        case .keyNotUsable(let subject): "the key of \(Terminal.safe(subject)) cannot be used"
        case .anchorKeyUsage(let subject):
            "\(Terminal.safe(subject)) is not used: its key usage does not allow it to sign certificates"
        case .anchorNameConstraints(let subject):
            "\(Terminal.safe(subject)) is not used: it has name constraints, which this reader does not evaluate"
        case .anchorUnknownExtension(let subject, let oid):
            "\(Terminal.safe(subject)) is not used: it has the unknown critical extension \(oid)"
        case .linkCertificate(let subject):
            "\(Terminal.safe(subject)) is a link certificate: an earlier root signed it, and it is trusted only together with that root;"
                + " import the new self-signed root, or the earlier root as well"
        case .selfSignatureInvalid(let subject):
            "\(Terminal.safe(subject)) is self-issued, but its own signature does not verify:"
                + " the certificate is damaged, or another key signed it and no trusted root has that key; get the root from its authority again"
        case .anchorTwice(let subject, let other):
            "\(Terminal.safe(subject)) is in the store twice, also as \(Terminal.safe(other.name))"
        case .anchorProfile(let subject, let findings):
            "\(Terminal.safe(subject)) does not meet the profile of roots: \(findings.text)"
        case .anchorNotYetValid(let subject): "\(Terminal.safe(subject)) is not valid yet"
        case .anchorExpired(let subject): "\(Terminal.safe(subject)) has expired"
        case .anchorExpiresSoon(let subject, let days):
            "\(Terminal.safe(subject)) expires in \(days) days: ask its authority for the next one"
        case .vicalRefused(let error): error.explanation
        case .vical(let finding): finding.explanation
        case .vicalSigner(let findings): "the VICAL's signer does not meet its profile: \(findings.text)"
        case .vicalWithoutNextUpdate: "the VICAL has no nextUpdate"
        case .revocationListUnreadable(let error): "the CRL cannot be used: \(error.explanation)"
        case .revocationListIncomplete(let error):
            "the CRL has gaps: its revocations are used in addition to those of a complete CRL,"
                + " but a certificate that is not listed may still be revoked: \(error.explanation)"
        case .revocationListIssuerUnknown(let issuer):
            "no trusted root issued this CRL: \(Terminal.safe(issuer))"
        case .revocationListSignatureInvalid(let issuer):
            "roots with this name are trusted, but none of them signed the CRL: \(Terminal.safe(issuer))"
        case .statusListUnreadable(let error): error.explanation
        case .statusListSignerUnknown:
            "no trusted root issued the certificate that signed the list: if documents name this certificate as the list's signer, give it with --signer"
        case .statusListSubjectWrong:
            "the address that the list states (claim sub) is not the address under which it was imported"
        case .statusListIncomplete(let error):
            "the list has gaps: its revocations are used in addition to those of a complete list,"
                + " but a document that is not listed may still be revoked: \(error.explanation)"
        case .listNotYetValid: "the list is dated in the future: check this computer's clock"
        case .listStale(let overdue): "the list should have been renewed \(overdue.spanText) ago"
        }
    }

    /// Returns the explanation. For an end certificate it includes the name of the issuer, because the root
    /// of that issuer is to be imported instead (Q178).
    package func explanation(of certificate: Certificate?) -> String {
        guard case .notACertificateAuthority = self, let certificate else { return explanation }
        return "\(explanation): \(Terminal.safe(certificate.issuer.description))"
    }
}

extension Int64 {
    /// This number of seconds in words, in a unit that fits its size.
    fileprivate var spanText: String {
        // Without `Swift.`, `max` would be the static property of `Int64`.
        switch Swift.max(0, self) {
        case ..<120: "\(Swift.max(0, self)) seconds"
        case ..<7200: "\(self / 60) minutes"
        case ..<172_800: "\(self / 3600) hours"
        default: "\(self / 86_400) days"
        }
    }
}
