internal import Glibc
internal import MdocModel
internal import MdocTrust
package import OpenSSLCrypto
package import ReaderIdentityStore

extension IdentityStoreError {
    /// As reports name it.
    package var id: String {
        switch self {
        case .fileRefused: "identity.file_refused"
        case .notAFile: "identity.not_a_file"
        case .exposed: "identity.exposed"
        case .ownedByOther: "identity.owned_by_other"
        case .busy: "identity.busy"
        case .tooLong: "identity.too_long"
        case .nameTaken: "identity.name_taken"
        case .unknown: "identity.unknown"
        case .keyUnusable(.tpmProviderMissing), .keyUnusable(.tpmUnreachable), .keyUnusable(.tpmRefused):
            "identity.tpm"
        case .keyUnusable: "identity.key_unusable"
        case .noCertificates: "identity.no_certificates"
        case .certificatesUnreadable: "identity.certificates_unreadable"
        case .keyNotCertified: "identity.key_not_certified"
        case .chainUnusable: "identity.chain_unusable"
        case .notYetValid: "identity.not_yet_valid"
        case .expired: "identity.expired"
        case .profileBroken: "identity.profile_broken"
        case .rulesMisshapen: "identity.rules_misshapen"
        case .noSuchRule: "identity.no_such_rule"
        }
    }

    /// Whether the explanation says which identity it is about.
    package var namesIdentity: Bool {
        switch self {
        case .nameTaken, .unknown: true
        default: false
        }
    }

    /// In plain words: what is, and what to do.
    package var explanation: String {
        switch self {
        case .fileRefused(let path, let code):
            "\(Terminal.safe(path)): \(unsafe String(cString: strerror(code)))"
        case .notAFile(let path):
            "\(Terminal.safe(path)) is not what should stand there, but a link or another thing"
        case .exposed(let path, let mode):
            "others may use \(Terminal.safe(path)) (mode \(String(mode, radix: 8))). If nobody did: "
                + "chmod go= \(Terminal.safe(path)); else make a new one"
        case .ownedByOther(let path):
            "\(Terminal.safe(path)) belongs to another user: run this as that user, or chown it"
        case .busy(let path):
            "another countersign is changing the identities (\(Terminal.safe(path))): try again"
        case .tooLong(let path): "\(Terminal.safe(path)) is too long to be what it should be"
        case .nameTaken(let name):
            "there is an identity \(name.text) already, and it is not overwritten: take another name"
        case .unknown(let name):
            "there is no identity \(Terminal.safe(name, limit: 64)): countersign identity list shows those there are"
        case .keyUnusable(let error) where id == "identity.tpm": error.explanation
        case .keyUnusable(let error): "the key cannot be used: \(error.explanation)"
        case .noCertificates:
            "no certificate yet: countersign identity csr, and import what the authority returns"
        case .certificatesUnreadable(let error): "the certificates cannot be read: \(error.explanation)"
        case .keyNotCertified: "none of the certificates is for this key: they were made from another request"
        case .chainUnusable(let error): error.explanation
        case .notYetValid(let subject, let from):
            "the certificate of \(Terminal.safe(subject)) is valid from \(Self.instant(from)) on: is the clock right?"
        case .expired(let subject, let since):
            "the certificate of \(Terminal.safe(subject)) expired at \(Self.instant(since)): "
                + "countersign identity csr, and import what the authority returns"
        case .profileBroken(let rules):
            "the certificate breaks rules of the reader's profile; ask the authority for another:\n"
                + rules.map(\.line).joined(separator: "\n")
        case .rulesMisshapen(let line, let fault):
            "choice.json\(line.map { ", line \($0)" } ?? ""): \(fault.explanation): "
                + "correct it, or remove it and choose anew"
        case .noSuchRule:
            "there is no rule with these conditions: countersign identity list shows those there are"
        }
    }

    private static func instant(_ seconds: Int64) -> String {
        "\(Timestamp(secondsSince1970: seconds))"
    }
}

extension RulesFault {
    fileprivate var explanation: String {
        switch self {
        case .form(let error): error.explanation
        case .identityNameMisshapen: "\"identity\" is no name of one"
        case .tooMany(let limit): "there are more than \(limit) rules"
        case .notWritten: "it cannot be written"
        }
    }
}

extension CertificateChainError {
    /// In plain words.
    package var explanation: String {
        switch self {
        case .empty: "there is no certificate"
        case .tooLong(let limit): "there are more than \(limit) certificates"
        case .notSignedByNext(let index): "certificate \(index + 1) is not signed by the next one"
        case .leafSelfSigned:
            "the certificate vouches for itself: an authority that wallets know has to issue it"
        case .keyNotOfLeaf: "the certificate is not for this key"
        case .keyCannotSign: "the key makes no signatures"
        }
    }
}

extension ProfileRule {
    /// For a list below what it is about.
    package var line: String {
        "  \(finding.rule.rawValue): \(explanation)" + (isEnforcedByWallets ? " (wallets refuse this)" : "")
    }

    package var json: JSONValue {
        [
            "rule": .string(finding.rule.rawValue), "detail": .string(explanation),
            "enforcedByWallets": .boolean(isEnforcedByWallets),
        ]
    }

    /// What is wrong, in plain words.
    private var explanation: String {
        switch finding.rule {
        case .version: "it is not of version 3"
        case .encoding: "it is encoded in a way that RFC 5280 forbids"
        case .serialNumber: "its serial number has fewer than 8 octets or more than 20, or is not positive"
        case .signatureAlgorithm: "it is not signed with ECDSA and SHA-256, SHA-384 or SHA-512"
        case .publicKey: "its key is not on a curve of the profile, or is compressed"
        case .validityPeriod: "it is valid for more than 1187 days"
        case .commonName: "its subject has no common name"
        case .forbiddenExtension: "it has extension \(oidText), which has no place in it"
        case .unknownCriticalExtension: "it has critical extension \(oidText), which nobody understands"
        case .noAuthority: "it is an authority's"
        case .keyUsage: "its key usage does not allow digital signatures"
        case .keyUsageOnly: "its key usage allows more than digital signatures"
        case .keyUsageCritical: "its key usage is not critical"
        case .extendedKeyUsage: "it is not for readers (1.0.18013.5.1.6)"
        case .extendedKeyUsageOnly: "it is for other purposes too"
        case .extendedKeyUsageCritical: "its extended key usage is not critical"
        case .authorityKeyIdentifier: "it does not point to the key of its issuer"
        case .subjectKeyIdentifier: "it has no subject key identifier"
        case .subjectKeyIdentifierDigest: "its subject key identifier is not the SHA-1 of its key"
        case .distributionPoint: "it names neither a CRL nor an OCSP responder by a plain URI"
        case .selfSigned, .country, .countryForm, .issuerCountry, .countryOfIssuer, .stateOfIssuer,
            .authority,
            .basicConstraintsCritical, .pathLength, .issuerAlternativeName:
            "a rule for other certificates"
        }
    }

    private var oidText: String { finding.oid?.description ?? "" }
}
