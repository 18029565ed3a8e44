internal import Glibc
internal import JSON
internal import MdocModel
package import OpenSSLCrypto
package import PKIX

/// The reason why an identity cannot be created, read or used.
package enum IdentityStoreError: Error, Equatable, Sendable {
    // Files

    /// The system refused an operation on this path.
    case fileRefused(path: String, errno: Int32)
    /// The path is not a regular file where a file is needed, or not a folder where a folder is needed.
    case notAFile(path: String)
    /// Other users may read the file, or put another file in its place. `mode` contains the file's permission
    /// bits.
    case exposed(path: String, mode: UInt32)
    /// The file belongs to another user, who may change it.
    case ownedByOther(path: String)
    /// Another process held the lock for too long.
    case busy(path: String)
    /// The file is larger than `PrivateFile.largest`.
    case tooLong(path: String)

    // Identities

    case nameTaken(IdentityName)
    /// There is no identity with this name.
    case unknown(String)
    /// The key cannot be created, or the file has no usable key.
    case keyUnusable(OpenSSLCryptoError)
    case noCertificates
    case certificatesUnreadable(PKIXError)
    /// None of the certificates contains the public half of this key.
    case keyNotCertified
    case chainUnusable(CertificateChainError)
    /// A certificate that requests would carry is not valid yet. `from` is the start of its validity in
    /// seconds since 1970.
    case notYetValid(subject: String, from: Int64)
    /// A certificate that requests would carry has expired. `since` is the end of its validity in seconds
    /// since 1970.
    case expired(subject: String, since: Int64)
    /// The certificate breaks these enforced rules of the reader's certificate profile.
    case profileBroken([ProfileRule])

    // The rules

    /// The file of rules is malformed; `line` is `nil` if the fault has no single position.
    case rulesMalformed(line: Int?, RulesFault)
    case noSuchRule
}

extension IdentityStoreError {
    /// The stable id of the error, as it appears in reports.
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
        case .rulesMalformed: "identity.rules_malformed"
        case .noSuchRule: "identity.no_such_rule"
        }
    }

    /// Whether the explanation names the identity, so that a command need not put the name before it.
    package var namesIdentity: Bool {
        switch self {
        case .nameTaken, .unknown: true
        default: false
        }
    }

    /// A text that says what is wrong, and what to do.
    package var explanation: String {
        switch self {
        case .fileRefused(let path, let code):
            "\(Terminal.safe(path)): \(unsafe String(cString: strerror(code)))"
        case .notAFile(let path):
            "\(Terminal.safe(path)) is of the wrong kind, such as a folder instead of a regular file: name the right one"
        case .exposed(let path, let mode):
            "other users have access to \(Terminal.safe(path)) (mode \(String(mode, radix: 8))): "
                + "run chmod go= \(Terminal.safe(path)); if another user may have read it, make a new key"
        case .ownedByOther(let path):
            "\(Terminal.safe(path)) belongs to another user: run this command as that user, or change the owner with chown"
        case .busy(let path):
            "another countersign process is changing the identities (\(Terminal.safe(path))): try again"
        case .tooLong(let path):
            "\(Terminal.safe(path)) is longer than a file of this kind can be: name another file"
        case .nameTaken(let name):
            "an identity named \(name.text) exists already and is not overwritten: choose another name"
        case .unknown(let name):
            "there is no identity \(Terminal.safe(name, limit: 64)): countersign identity list shows all identities"
        case .keyUnusable(let error) where id == "identity.tpm": error.explanation
        case .keyUnusable(let error): "the key cannot be used: \(error.explanation)"
        case .noCertificates:
            "there is no certificate yet: run countersign identity csr, send the request to the authority, and import the certificate that it returns"
        case .certificatesUnreadable(let error): "the certificates cannot be read: \(error.explanation)"
        case .keyNotCertified:
            "none of the certificates is for this key: import the certificate that an authority made from the key's request"
                + " (countersign identity csr)"
        case .chainUnusable(let error): error.explanation
        case .notYetValid(let subject, let from):
            "the certificate of \(Terminal.safe(subject)) is not valid before \(Self.instant(from)): check this computer's clock"
        case .expired(let subject, let since):
            "the certificate of \(Terminal.safe(subject)) expired at \(Self.instant(since)): "
                + "run countersign identity csr, send the request to the authority, and import the certificate that it returns"
        case .profileBroken(let rules):
            "the certificate breaks rules of the profile for readers; ask the authority for another certificate:\n"
                + rules.map(\.line).joined(separator: "\n")
        case .rulesMalformed(let line, let fault):
            "choice.json\(line.map { ", line \($0)" } ?? ""): \(fault.explanation): "
                + "correct the file, or delete it and run countersign identity choose again"
        case .noSuchRule:
            "there is no rule with these conditions: countersign identity list shows the existing rules"
        }
    }

    private static func instant(_ seconds: Int64) -> String {
        "\(Timestamp(secondsSince1970: seconds))"
    }
}
