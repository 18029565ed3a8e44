internal import JSON
internal import MdocTrust
internal import PKIX

extension TrustCondition {
    /// The stable id, as `Documentation/command-line.md` lists it.
    var id: String {
        switch self {
        case .certificateUnreadable: "certificate_unreadable"
        case .notACertificateAuthority: "not_an_authority"
        case .selfIssuedWithoutAuthority: "root_not_an_authority"
        case .keyNotUsable: "key_not_usable"
        case .anchorKeyUsage: "root_key_usage"
        case .anchorNameConstraints: "root_name_constraints"
        case .anchorUnknownExtension: "root_unknown_extension"
        case .anchorTwice: "anchor_twice"
        case .anchorProfile: "anchor_profile"
        case .anchorNotYetValid: "anchor_not_yet_valid"
        case .anchorExpired: "anchor_expired"
        case .anchorExpiresSoon: "anchor_expires_soon"
        case .vicalRefused: "vical_refused"
        case .vical: "vical_entry"
        case .vicalSigner: "vical_signer"
        case .vicalWithoutNextUpdate: "vical_no_next_update"
        case .revocationListUnreadable: "crl_unreadable"
        case .revocationListIssuerUnknown: "crl_issuer_unknown"
        case .revocationListSignatureInvalid: "crl_signature_invalid"
        case .statusListUnreadable: "status_unreadable"
        case .statusListSignerUnknown: "status_signer_unknown"
        case .statusListSubjectWrong: "status_subject_wrong"
        case .listNotYetValid: "list_not_yet_valid"
        case .listStale: "list_stale"
        }
    }

    /// Whether the source, or a part of it, is of no use as it is; else it is only worth knowing.
    var isFault: Bool {
        switch self {
        case .anchorTwice, .anchorProfile, .anchorExpiresSoon, .vical, .vicalSigner, .vicalWithoutNextUpdate,
            .statusListSignerUnknown:
            false
        default: true
        }
    }

    /// In plain words. Names from certificates are made fit for a terminal.
    var explanation: String {
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
        case .revocationListIssuerUnknown(let issuer):
            "no trusted root issued this CRL: \(Terminal.safe(issuer))"
        case .revocationListSignatureInvalid(let issuer):
            "roots with this name are trusted, but none of them signed the CRL: \(Terminal.safe(issuer))"
        case .statusListUnreadable(let error): error.explanation
        case .statusListSignerUnknown:
            "no trusted root issued the certificate that signed the list: if documents name its signer, give that certificate with --signer"
        case .statusListSubjectWrong:
            "the address in the list (claim sub) is not the one that it was imported under"
        case .listNotYetValid: "the list is dated in the future"
        case .listStale(let overdue): "the list should have been renewed \(overdue.spanText) ago"
        }
    }
}

extension TrustCondition {
    /// The explanation, with the issuer of an end certificate, whose root is to be imported instead (Q178).
    func explanation(of certificate: Certificate?) -> String {
        guard case .notACertificateAuthority = self, let certificate else { return explanation }
        return "\(explanation): \(Terminal.safe(certificate.issuer.description))"
    }
}

extension [ProfileFinding] {
    /// The ids of the rules, each with what it is about.
    var text: String {
        map { finding in
            let details = (finding.oid.map { ["\($0)"] } ?? []) + finding.encoding.descriptions
            let id = finding.rule.rawValue
            return details.isEmpty ? id : "\(id) (\(details.joined(separator: ", ")))"
        }.joined(separator: ", ")
    }
}

extension AdmissionRefusal {
    var id: String {
        switch self {
        case .unusable(let condition): condition.id
        case .otherIssuer: "other_issuer"
        case .older: "older"
        case .shrunken: "shrunken"
        }
    }

    var explanation: String {
        switch self {
        case .unusable(let condition): condition.explanation
        case .otherIssuer:
            "the store has a list with this name from another issuer and keeps it: `countersign trust remove` it first if this one is right"
        case .older(let own, let present):
            "it is \(own.text), before the present list, \(present.text), which is kept;"
                + " if its publisher restarted the numbering, `countersign trust remove` the present list and import this one again"
        case .shrunken(let from, let to):
            "it has only \(to) entries, but the present list has \(from) and is kept:"
                + " --accept-shrunken imports it anyway"
        }
    }
}

extension ListIssueName {
    fileprivate var text: String { number.map { "issue \($0) of \(date)" } ?? "of \(date)" }
}

extension Int64 {
    /// A span of so many seconds, in the unit that fits.
    var spanText: String {
        switch Swift.max(0, self) {
        case ..<120: "\(Swift.max(0, self)) seconds"
        case ..<7200: "\(self / 60) minutes"
        case ..<172_800: "\(self / 3600) hours"
        default: "\(self / 86_400) days"
        }
    }
}
