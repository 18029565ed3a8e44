/// What is known about revocation: of a document's signer by the CRLs of its IACA, of the document by the list that its MSO
/// points to (ISO/IEC 18013-5 second edition 12.3.6), and of the IACA by the VICALs that list it. A list that is not available never makes
/// anything revoked (Q182).
package enum RevocationFinding: Equatable, Sendable {
    /// Not revoked, by lists that were issued this many seconds ago; by the older of two.
    case good(ageSeconds: Int64)
    case revoked(RevokedCause, ageSeconds: Int64)
    /// The age is that of the list which does not suffice, where there is one.
    case undetermined(UndeterminedCause, about: RevocationSubject, ageSeconds: Int64?)

    package enum State: String, Sendable { case good, revoked, undetermined }

    package var state: State {
        switch self {
        case .good: .good
        case .revoked: .revoked
        case .undetermined: .undetermined
        }
    }

    /// The id of the cause; nil if the state is good.
    package var cause: String? {
        switch self {
        case .good: nil
        case .revoked(let cause, _): cause.rawValue
        case .undetermined(let cause, let subject, _): "\(subject.rawValue).\(cause.id)"
        }
    }

    /// How long ago the list that says so was issued.
    package var ageSeconds: Int64? {
        switch self {
        case .good(let age), .revoked(_, let age): age
        case .undetermined(_, _, let age): age
        }
    }
}

/// What a list is about.
package enum RevocationSubject: String, Sendable {
    /// The document signer's certificate.
    case signer
    case document
    /// The IACA, where VICALs alone name it.
    case root
}

package enum RevokedCause: String, CaseIterable, Sendable {
    case signerRevoked = "signer_revoked"
    /// A CRL holds the certificate back for now.
    case signerOnHold = "signer_on_hold"
    case documentRevoked = "document_revoked"
    case documentSuspended = "document_suspended"
}

/// Why it is not known whether something is revoked.
package enum UndeterminedCause: Error, Equatable, Sendable {
    /// No list was asked: the document is not believed in the first place.
    case notChecked
    /// The issuer publishes nothing about it.
    case nothingPublished
    /// The issuer's pointer to its list cannot be read, or is of a kind not known here.
    case referenceUnreadable
    /// The list is not available.
    case listAbsent
    /// The list's time was over this many seconds ago.
    case listStale(overdueSeconds: Int64)
    case listNotYetValid
    /// The list is truncated or malformed.
    case listMalformed
    /// Nobody who may sign the list did.
    case listSignerWrong
    /// The list's signer is not valid now, or revoked.
    case listSignerInvalid
    /// The list says that it is another.
    case listSubjectWrong
    /// The list has no place of this number.
    case indexOutOfRange
    /// The list has a status whose meaning only the issuer knows.
    case statusNotDefined
    /// Every VICAL that lists the root should have been renewed; the youngest of them so many seconds ago (Q217).
    case trustListOverdue(seconds: Int64)

    /// The id that reports name.
    package var id: String {
        switch self {
        case .notChecked: "not_checked"
        case .nothingPublished: "nothing_published"
        case .referenceUnreadable: "reference_unreadable"
        case .listAbsent: "list_absent"
        case .listStale: "list_stale"
        case .listNotYetValid: "list_not_yet_valid"
        case .listMalformed: "list_malformed"
        case .listSignerWrong: "list_signer_wrong"
        case .listSignerInvalid: "list_signer_invalid"
        case .listSubjectWrong: "list_subject_wrong"
        case .indexOutOfRange: "index_out_of_range"
        case .statusNotDefined: "status_not_defined"
        case .trustListOverdue: "trust_list_overdue"
        }
    }

    /// The tolerance, in seconds, that a policy for stale lists needs to accept this.
    var gravity: Int64 {
        switch self {
        case .listStale(let overdue), .trustListOverdue(let overdue): overdue
        default: .max
        }
    }
}

extension RevocationFinding {
    /// The combined finding: revoked outweighs undetermined, which outweighs good. If nothing is published about
    /// one part, the other decides. If both are undetermined, the one that needs more tolerance decides.
    static func combine(signer: RevocationFinding, document: RevocationFinding) -> RevocationFinding {
        switch (signer, document) {
        case (.revoked, _): signer
        case (_, .revoked): document
        case (.undetermined(.nothingPublished, _, _), _): document
        case (_, .undetermined(.nothingPublished, _, _)): signer
        case (.undetermined(let one, _, _), .undetermined(let other, _, _)):
            one.gravity > other.gravity ? signer : document
        case (_, .undetermined): document
        case (.undetermined, _): signer
        case (.good(let one), .good(let other)): .good(ageSeconds: max(one, other))
        }
    }
}

extension RevokedCause {
    /// In plain words.
    package var explanation: String {
        switch self {
        case .signerRevoked: "the issuer has revoked the document signer's certificate"
        case .signerOnHold: "the issuer has put the document signer's certificate on hold"
        case .documentRevoked: "the issuer has revoked the document"
        case .documentSuspended: "the issuer has suspended the document"
        }
    }
}

extension UndeterminedCause {
    /// In plain words.
    package var explanation: String {
        switch self {
        case .notChecked: "revocation was not checked, since another check failed"
        case .nothingPublished: "the issuer publishes no revocation list for this document"
        case .referenceUnreadable: "the reference to the issuer's revocation list cannot be read"
        case .listAbsent: "the issuer's revocation list is not available"
        case .listStale(let overdue): "the issuer's revocation list is out of date by \(overdue / 3600) hours"
        case .listNotYetValid: "the issuer's revocation list is dated in the future"
        case .listMalformed: "the issuer's revocation list in the store is truncated or malformed"
        case .listSignerWrong: "the issuer's revocation list is not signed by anybody who may sign it"
        case .listSignerInvalid: "the certificate that signed the issuer's revocation list is not valid now"
        case .listSubjectWrong: "the revocation list is not the one that the document refers to"
        case .indexOutOfRange: "the issuer's revocation list has no entry for the document"
        case .statusNotDefined:
            "the issuer's revocation list gives a status whose meaning only the issuer knows"
        case .trustListOverdue(let overdue):
            "the VICAL that lists the issuer is out of date by \(overdue / 3600) hours"
        }
    }
}
