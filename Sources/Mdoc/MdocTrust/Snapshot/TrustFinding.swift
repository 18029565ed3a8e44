internal import JSON
package import PKIX
internal import OpenSSLCrypto

/// Something about a source that the administrator of trust should know.
package struct TrustFinding: Equatable, Sendable {
    package let source: TrustSource.Identity
    package let condition: TrustCondition
}

package enum TrustCondition: Equatable, Sendable {
    /// The bytes are not a certificate.
    case certificateUnreadable(PKIXError)
    /// A document signer's or other end certificate; import the root that issued it (Q178).
    case notACertificateAuthority(subject: String)
    /// It names itself as its issuer, and does not say that it is an authority.
    case selfIssuedWithoutAuthority(subject: String, hasBasicConstraints: Bool)
    case keyNotUsable(subject: String)
    /// Its key usage does not allow signing certificates.
    case anchorKeyUsage(subject: String)
    /// It limits the names that it may issue for, which is not evaluated.
    case anchorNameConstraints(subject: String)
    case anchorUnknownExtension(subject: String, ObjectIdentifier)
    /// A link certificate, which counts only behind the trusted root that signed it, and no such root is there (Q231).
    case linkCertificate(subject: String)
    /// It names itself as its issuer and no other key as its signer's, and its own key did not sign it: it is damaged or forged, or
    /// is a link certificate that does not say so.
    case selfSignatureInvalid(subject: String)
    /// The same certificate as in another source.
    case anchorTwice(subject: String, other: TrustSource.Identity)
    /// The rules of its profile that an anchor breaks (Q179).
    case anchorProfile(subject: String, [ProfileFinding])
    case anchorNotYetValid(subject: String)
    case anchorExpired(subject: String)
    /// Valid for so many days more.
    case anchorExpiresSoon(subject: String, days: Int64)
    /// Nothing of the list is believed.
    case vicalRefused(VICALError)
    case vical(VICALFinding)
    /// The rules of its profile that the list's signer breaks without being refused (Q214).
    case vicalSigner([ProfileFinding])
    /// The list has no nextUpdate.
    case vicalWithoutNextUpdate
    case revocationListUnreadable(PKIXError)
    /// The revocations in the CRL count, and a certificate that it does not list may be revoked all the same (Q230).
    case revocationListIncomplete(PKIXError)
    /// No anchor has the name of the CRL's issuer.
    case revocationListIssuerUnknown(issuer: String)
    /// Anchors have the name, and none signed.
    case revocationListSignatureInvalid(issuer: String)
    case statusListUnreadable(StatusTokenError)
    /// Nobody whom an anchor issued signed it; the certificate that an MSO names may have.
    case statusListSignerUnknown
    /// The list says that it is another.
    case statusListSubjectWrong
    /// The revocations in the list count, and a document that it does not list may be revoked all the same (Q228, Q248).
    case statusListIncomplete(StatusTokenError)
    case listNotYetValid
    /// The list should have been renewed this many seconds ago.
    case listStale(overdueSeconds: Int64)
}

extension TrustCondition {
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
    /// Why an anchor that its own key did not sign, and that no trusted root signed, is not trusted.
    package init(notLinked anchor: TrustAnchor) {
        let subject = anchor.certificate.subject.description
        self =
            anchor.namesOtherSigner
            ? .linkCertificate(subject: subject) : .selfSignatureInvalid(subject: subject)
    }
}

extension TrustCondition {
    /// The stable id, as `Documentation/command-line.md` lists it.
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

    /// Whether the source, or a part of it, is of no use as it is; else it is only worth knowing.
    package var isFault: Bool {
        switch self {
        case .linkCertificate, .anchorTwice, .anchorProfile, .anchorExpiresSoon, .vical, .vicalSigner,
            .vicalWithoutNextUpdate,
            .statusListSignerUnknown, .revocationListIncomplete, .statusListIncomplete:
            false
        default: true
        }
    }

    /// In plain words. Names from certificates are made fit for a terminal.
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
            "\(Terminal.safe(subject)) is not used: its name constraints limit what it may issue, and are not evaluated here"
        case .anchorUnknownExtension(let subject, let oid):
            "\(Terminal.safe(subject)) is not used: it has the unknown critical extension \(oid)"
        case .linkCertificate(let subject):
            "\(Terminal.safe(subject)) is a link certificate: an earlier root signed it, and it is trusted only together with that root;"
                + " import the new self-signed root, or the earlier root as well"
        case .selfSignatureInvalid(let subject):
            "\(Terminal.safe(subject)) is self-issued, but its own signature does not verify: the certificate is damaged,"
                + " or another key signed it and no trusted root has that key; get the root from its authority again"
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
        case .vicalWithoutNextUpdate: "the list has no nextUpdate"
        case .revocationListUnreadable(let error): "the CRL cannot be used: \(error.explanation)"
        case .revocationListIncomplete(let error):
            "the revocations in the CRL count, beside those of a complete CRL where there is one,"
                + " but a certificate that is not listed may be revoked all the same: \(error.explanation)"
        case .revocationListIssuerUnknown(let issuer):
            "no trusted root issued this CRL: \(Terminal.safe(issuer))"
        case .revocationListSignatureInvalid(let issuer):
            "roots with this name are trusted, but none of them signed the CRL: \(Terminal.safe(issuer))"
        case .statusListUnreadable(let error): error.explanation
        case .statusListSignerUnknown:
            "no trusted root issued the certificate that signed the list: if documents name its signer, give that certificate with --signer"
        case .statusListSubjectWrong:
            "the address in the list (claim sub) is not the one that it was imported under"
        case .statusListIncomplete(let error):
            "the revocations in the list count, beside those of a complete list where there is one,"
                + " but a document that is not listed may be revoked all the same: \(error.explanation)"
        case .listNotYetValid: "the list is dated in the future"
        case .listStale(let overdue): "the list should have been renewed \(overdue.spanText) ago"
        }
    }

    /// The explanation, with the issuer of an end certificate, whose root is to be imported instead (Q178).
    package func explanation(of certificate: Certificate?) -> String {
        guard case .notACertificateAuthority = self, let certificate else { return explanation }
        return "\(explanation): \(Terminal.safe(certificate.issuer.description))"
    }
}

extension Int64 {
    /// A span of so many seconds, in the unit that fits.
    fileprivate var spanText: String {
        switch Swift.max(0, self) {
        case ..<120: "\(Swift.max(0, self)) seconds"
        case ..<7200: "\(self / 60) minutes"
        case ..<172_800: "\(self / 3600) hours"
        default: "\(self / 86_400) days"
        }
    }
}
