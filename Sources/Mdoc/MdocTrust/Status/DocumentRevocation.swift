internal import CBOR
internal import MdocModel
internal import OpenSSLCrypto
internal import PKIX

/// The status and identifier lists of a `TrustStore`, by the URI with which documents refer to them.
struct StatusLists: Sendable {
    private let byURI: [String: [PublishedStatusList]]
    private let revocationLists: RevocationLists

    /// Groups `lists` by their URI.
    ///
    /// - Parameter revocationLists: The CRLs that may revoke the signer of a list.
    init(_ lists: [PublishedStatusList], revokedBy revocationLists: RevocationLists) {
        self.revocationLists = revocationLists
        byURI = Dictionary(grouping: lists, by: \.uri)
    }

    /// The document whose status is looked up.
    struct Subject {
        /// The root to which the path from the document's signer leads.
        let anchor: TrustAnchor
        let docType: String
        /// All roots of the store. Another root with the name of `anchor` may have issued the list's signer
        /// (Q177).
        let roots: TrustRoots
    }

    /// Returns the finding about a document from all lists to which its MSO refers.
    ///
    /// Each reference is evaluated separately (Q228). A document is revoked if one of the lists revokes it.
    /// If a reference cannot be read, and no list revokes the document, the finding is undetermined.
    func finding(
        _ status: Result<DocumentStatus, CBORError>?, of subject: Subject, at now: Timestamp, clockSkew: Int64
    ) -> RevocationFinding {
        guard let status else { return .undetermined(.nothingPublished, about: .document, ageSeconds: nil) }
        let findings = references(status).map { reference in
            finding(reference, of: subject, at: now, clockSkew: clockSkew)
        }
        guard let first = findings.first else { return .referenceUnreadable }
        return findings.dropFirst().reduce(first) { .combine(signer: $0, document: $1) }
    }

    /// A reference of the MSO to a list.
    private enum Reference {
        case entry(DocumentStatus.ListEntry)
        case identifier(DocumentStatus.Identifier)
        case unreadable

        var signer: DocumentStatus.ListSigner {
            switch self {
            case .entry(let entry): entry.signer
            case .identifier(let name): name.signer
            case .unreadable: .unreadable
            }
        }
    }

    /// Returns the references of the MSO; empty if its `status` cannot be read at all.
    private func references(_ status: Result<DocumentStatus, CBORError>) -> [Reference] {
        guard case .success(let status) = status else { return [] }
        let entry = status.statusList.map { (try? $0.get()).map(Reference.entry) ?? .unreadable }
        let name = status.identifierList.map { (try? $0.get()).map(Reference.identifier) ?? .unreadable }
        return [entry, name].compactMap(\.self)
    }

    /// Returns the finding from the list of one reference. The list may be signed by the signer that the
    /// reference names, or by a signer that the document's root certified.
    private func finding(
        _ reference: Reference, of subject: Subject, at now: Timestamp, clockSkew: Int64
    ) -> RevocationFinding {
        let named: Certificate?
        switch reference.signer {
        case .unnamed: named = nil
        case .certificate(let der):
            named = try? Certificate(der: Array(der)[...])
            if named == nil { fallthrough }
        case .unreadable:
            // The certificate that the reference names cannot be read, so a list of that signer cannot be
            // checked. A list whose signer the document's own root certified may still revoke the document
            // (Q228).
            let finding = finding(reference, of: subject, naming: nil, at: now, clockSkew: clockSkew)
            return finding.state == .revoked ? finding : .referenceUnreadable
        }
        let finding = finding(reference, of: subject, naming: named, at: now, clockSkew: clockSkew)
        guard named != nil, finding.state != .revoked else { return finding }
        // A list whose signer the document's own root certified may revoke the document, even if the
        // reference names another signer.
        let own = self.finding(reference, of: subject, naming: nil, at: now, clockSkew: clockSkew)
        return own.state == .revoked ? own : finding
    }

    /// Returns the finding from the list of one reference. `certificate` is the certificate that the MSO
    /// names, either the certificate of the list's signer or of the signer's issuer. It is `nil` for a list
    /// of the document's own root.
    private func finding(
        _ reference: Reference, of subject: Subject, naming certificate: Certificate?, at now: Timestamp,
        clockSkew: Int64
    ) -> RevocationFinding {
        let issuer = StatusListIssuer(
            of: subject.anchor, among: subject.roots, for: subject.docType, naming: certificate,
            revokedBy: revocationLists)
        do throws(UndeterminedCause) {
            switch reference {
            case .entry(let entry):
                return try finding(
                    .statusList, uri: entry.uri, signedFor: issuer, at: now, clockSkew: clockSkew
                ) { $0.verdict(on: entry.index) }
            case .identifier(let name):
                return try finding(
                    .identifierList, uri: name.uri, signedFor: issuer, at: now, clockSkew: clockSkew
                ) { $0.verdict(on: name.identifier) }
            case .unreadable: return .referenceUnreadable
            }
        } catch {
            return .undetermined(error, about: .document, ageSeconds: nil)
        }
    }

    /// Returns the finding from the lists of this URI that `issuer` signed.
    ///
    /// All lists dated in the future are read. The other lists are read from the newest on, until one list
    /// gives the status of the document. If a list that was read revokes the document, the finding of that
    /// list counts. Otherwise the finding of the newest complete list counts, or of the newest list if none
    /// is complete.
    private func finding(
        _ kind: StatusToken.Kind, uri: String, signedFor issuer: StatusListIssuer, at now: Timestamp,
        clockSkew: Int64, _ verdict: (OpenedStatusList) -> OpenedStatusList.Verdict
    ) throws(UndeterminedCause) -> RevocationFinding {
        var opened: [OpenedStatusList] = []
        var failure = UndeterminedCause.listAbsent
        for token in byURI[uri] ?? [] {
            do throws(UndeterminedCause) {
                opened.append(try token.opened(kind, signedFor: issuer, at: now))
            } catch {
                failure = error
            }
        }
        let latest = now.advanced(bySeconds: clockSkew)
        // Of two lists with the same date, the incomplete list comes first, because the complete list is not
        // a later edition that could replace it (Q240).
        opened.sort { $0.issued == $1.issued ? !$0.isComplete && $1.isComplete : $0.issued > $1.issued }
        let future = opened.prefix { $0.issued > latest }
        var findings = future.map { list in list.finding(at: now, clockSkew: clockSkew) { verdict(list) } }
        let present = opened.dropFirst(future.count)
        // Older lists are read until one of them gives the document's status. A newer list without the status
        // must not hide a revocation in an older list.
        var decided: Timestamp?
        for list in present {
            // A list with the same date as the list that gave the status is read too, since neither of the
            // two is the later edition.
            if let decided, list.issued < decided { break }
            findings.append(list.finding(at: now, clockSkew: clockSkew) { verdict(list) })
            if findings.last?.state != .undetermined { decided = decided ?? list.issued }
        }
        if let revoked = findings.first(where: { $0.state == .revoked }) { return revoked }
        // Only a complete list shows that a document is not revoked (Q240). `findings` and `opened` have the
        // same indices, but `findings` has no entries for lists that were not read.
        let deciding = present.firstIndex(where: \.isComplete) ?? present.startIndex
        guard let last = findings.last else { throw failure }
        return findings.indices.contains(deciding) ? findings[deciding] : last
    }
}

extension RevocationFinding {
    fileprivate static let referenceUnreadable =
        RevocationFinding.undetermined(.referenceUnreadable, about: .document, ageSeconds: nil)
}

extension OpenedStatusList {
    fileprivate typealias Verdict = Result<StatusList.Value, UndeterminedCause>

    /// Returns the status at `index`.
    fileprivate func verdict(on index: UInt64) -> Verdict {
        guard case .statuses(let list) = content else { return .failure(.listMalformed) }
        return list[index].map(Verdict.success) ?? .failure(.indexOutOfRange)
    }

    /// Returns the status of an identifier: revoked if the list has it.
    fileprivate func verdict(on identifier: ArraySlice<UInt8>) -> Verdict {
        guard case .identifiers(let list) = content else { return .failure(.listMalformed) }
        if list.identifiers.contains(Array(identifier)) { return .success(.invalid) }
        return .success(.valid)
    }

    /// Returns the finding of this list at `now`.
    ///
    /// A revocation counts even if the list has expired, and even before the list's date, because this
    /// computer's clock may be slow. Any other status counts only from the date of the list until it expires.
    fileprivate func finding(
        at now: Timestamp, clockSkew: Int64, _ verdict: () -> Verdict
    ) -> RevocationFinding {
        // The age is negative if the clock of this computer is slow.
        let age = now.secondsSince1970 - issued.secondsSince1970
        // A list without an expiry is never overdue.
        let overdue = expires.map { now.secondsSince1970 - $0.secondsSince1970 } ?? 0
        // A list that a revoked signer signed proves nothing, not even that a document is revoked.
        guard !signer.isRevoked(at: now, clockSkew: clockSkew) else {
            return .undetermined(.listSignerInvalid, about: .document, ageSeconds: max(0, age))
        }
        let status = verdict()
        // Checked before the dates, since a revocation counts in a list of any date.
        if case .success(.invalid) = status { return .revoked(.documentRevoked, ageSeconds: max(0, age)) }
        guard age >= -clockSkew else {
            return .undetermined(.listNotYetValid, about: .document, ageSeconds: nil)
        }
        guard overdue <= 0 else {
            return .undetermined(.listStale(overdueSeconds: overdue), about: .document, ageSeconds: age)
        }
        guard signer.isValid(at: now) else {
            return .undetermined(.listSignerInvalid, about: .document, ageSeconds: max(0, age))
        }
        switch status {
        case .success(.valid):
            guard isComplete else {
                // An incomplete list does not show that a document is not revoked (Q240).
                return .undetermined(.listMalformed, about: .document, ageSeconds: max(0, age))
            }
            return .good(ageSeconds: max(0, age))
        case .success(.suspended): return .revoked(.documentSuspended, ageSeconds: max(0, age))
        case .success: return .undetermined(.statusNotDefined, about: .document, ageSeconds: max(0, age))
        case .failure(let cause): return .undetermined(cause, about: .document, ageSeconds: max(0, age))
        }
    }
}
