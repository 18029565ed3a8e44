/// The revocation status of a document, its signer and its root, as far as it is known.
///
/// - The status of the signer is taken from the CRLs of its IACA.
/// - The status of the document is taken from the status list to which its MSO refers (ISO/IEC 18013-5 second
///   edition 12.3.6).
/// - The status of the root is taken from the VICALs that list it.
///
/// If a list is not available, nothing counts as revoked for that reason (Q182).
package enum RevocationFinding: Equatable, Sendable {
    /// Not revoked, according to current lists. `ageSeconds` is the age of the oldest of these lists.
    case good(ageSeconds: Int64)
    case revoked(RevokedCause, ageSeconds: Int64)
    /// The revocation status of the subject is unknown. `ageSeconds` is the age of the list from which the
    /// status could not be determined; `nil` if no list was consulted.
    case undetermined(UndeterminedCause, about: RevocationSubject, ageSeconds: Int64?)

    package enum State: String, Sendable { case good, revoked, undetermined }

    package var state: State {
        switch self {
        case .good: .good
        case .revoked: .revoked
        case .undetermined: .undetermined
        }
    }

    /// The id of the cause; `nil` for the finding `good`.
    package var cause: String? {
        switch self {
        case .good: nil
        case .revoked(let cause, _): cause.rawValue
        case .undetermined(let cause, let subject, _): "\(subject.rawValue).\(cause.id)"
        }
    }

    /// The age in seconds of the list from which the finding was made; `nil` if there is none.
    package var ageSeconds: Int64? {
        switch self {
        case .good(let age), .revoked(_, let age): age
        case .undetermined(_, _, let age): age
        }
    }
}

/// The subject of a finding about revocation: the signer, the document or the root.
package enum RevocationSubject: String, Sendable {
    /// The document signer's certificate.
    case signer
    case document
    /// The IACA. A finding concerns the IACA only if the operator did not name it as a root, and every VICAL
    /// that lists it is overdue (Q217).
    case root
}

/// The reason that a signer or document counts as revoked.
package enum RevokedCause: String, CaseIterable, Sendable {
    case signerRevoked = "signer_revoked"
    /// A CRL puts the certificate on hold. A hold may be lifted later.
    case signerOnHold = "signer_on_hold"
    case documentRevoked = "document_revoked"
    case documentSuspended = "document_suspended"
}

/// The reason that it is not known whether a document, signer or root is revoked.
package enum UndeterminedCause: Error, Equatable, Sendable {
    /// No list was consulted, because another check failed first.
    case notChecked
    /// The issuer publishes no list that covers the signer or the document.
    case nothingPublished
    /// The reference to the issuer's list cannot be read, or is of an unknown kind.
    case referenceUnreadable
    /// The store does not have the list.
    case listAbsent
    /// The list should have been renewed this many seconds ago.
    case listStale(overdueSeconds: Int64)
    case listNotYetValid
    /// The list is truncated or malformed.
    case listMalformed
    /// The list is not signed by an authority that may sign it.
    case listSignerWrong
    /// The certificate of the list's signer is revoked, or not valid now.
    case listSignerInvalid
    /// The list states another URI than the document's reference.
    case listSubjectWrong
    /// The list has no entry for the document's index.
    case indexOutOfRange
    /// The list gives a status whose meaning only the issuer knows.
    case statusNotDefined
    /// Every VICAL that lists the root is overdue. The least overdue VICAL is overdue by this many seconds
    /// (Q217).
    case trustListOverdue(seconds: Int64)

    /// The id that reports show.
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

    /// The tolerance for overdue lists, in seconds, that a policy needs to accept this cause; `Int64.max` if
    /// no tolerance suffices.
    var requiredTolerance: Int64 {
        switch self {
        case .listStale(let overdue), .trustListOverdue(let overdue): overdue
        default: .max
        }
    }
}

extension RevocationFinding {
    /// Combines two findings into one. Usually the findings are about the signer and about the document. They
    /// may also come from two references of one document. `signer` may also be the combined finding about
    /// signer and document; `document` is then the finding about the root.
    ///
    /// Revoked outweighs undetermined, and undetermined outweighs good. If the cause of one finding is
    /// `nothingPublished`, the other finding is the result. If both findings are undetermined for other
    /// causes, the result is the finding with the higher `requiredTolerance`.
    static func combine(signer: RevocationFinding, document: RevocationFinding) -> RevocationFinding {
        switch (signer, document) {
        case (.revoked, _): signer
        case (_, .revoked): document
        case (.undetermined(.nothingPublished, _, _), _): document
        case (_, .undetermined(.nothingPublished, _, _)): signer
        case (.undetermined(let one, _, _), .undetermined(let other, _, _)):
            // A stale list that a policy tolerates must not hide an absent list that the policy does not
            // tolerate.
            one.requiredTolerance > other.requiredTolerance ? signer : document
        case (_, .undetermined): document
        case (.undetermined, _): signer
        case (.good(let one), .good(let other)): .good(ageSeconds: max(one, other))
        }
    }
}

extension RevokedCause {
    /// The cause in words, for messages to users.
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
    /// The cause in words, for messages to users.
    package var explanation: String {
        switch self {
        case .notChecked: "revocation was not checked, since another check failed"
        case .nothingPublished: "the issuer publishes no revocation list for this document"
        case .referenceUnreadable: "the reference to the issuer's revocation list cannot be read"
        case .listAbsent: "the issuer's revocation list is not available"
        case .listStale(let overdue): "the issuer's revocation list is out of date by \(overdue / 3600) hours"
        case .listNotYetValid: "the issuer's revocation list is dated in the future"
        case .listMalformed: "the issuer's revocation list in the store is truncated or malformed"
        case .listSignerWrong: "the issuer's revocation list is not signed by an authorised signer"
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
