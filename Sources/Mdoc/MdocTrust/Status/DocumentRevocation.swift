internal import CBOR
internal import MdocModel
internal import OpenSSLCrypto
internal import PKIX

/// The status and identifier lists of a store, by the URI that documents know them by.
struct StatusLists: Sendable {
    private let byURI: [String: [PublishedStatusList]]
    private let revocationLists: RevocationLists

    /// - Parameter revocationLists: the CRLs that may list a signer of one of the lists.
    init(_ lists: [PublishedStatusList], revokedBy revocationLists: RevocationLists) {
        self.revocationLists = revocationLists
        byURI = Dictionary(grouping: lists, by: \.uri)
    }

    /// Of which document a status is asked.
    struct Subject {
        /// The root that its signer led to.
        let anchor: TrustAnchor
        let docType: String
        /// All roots, for another of the same name may have issued the list's signer.
        let roots: TrustRoots
    }

    /// What the lists say about a document. Each reference is asked on its own (Q228): revoked by any of them is revoked, and
    /// one that cannot be read leaves the document undetermined at best.
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

    private func references(_ status: Result<DocumentStatus, CBORError>) -> [Reference] {
        guard case .success(let status) = status else { return [] }
        let entry = status.statusList.map { (try? $0.get()).map(Reference.entry) ?? .unreadable }
        let name = status.identifierList.map { (try? $0.get()).map(Reference.identifier) ?? .unreadable }
        return [entry, name].compactMap(\.self)
    }

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
            // Who else may sign is not known. A list that a signer of the document's own root signed still revokes.
            let finding = finding(reference, of: subject, naming: nil, at: now, clockSkew: clockSkew)
            return finding.state == .revoked ? finding : .referenceUnreadable
        }
        let finding = finding(reference, of: subject, naming: named, at: now, clockSkew: clockSkew)
        guard named != nil, finding.state != .revoked else { return finding }
        // A list that a signer of the document's own root signed revokes, whoever else the reference names.
        let own = self.finding(reference, of: subject, naming: nil, at: now, clockSkew: clockSkew)
        return own.state == .revoked ? own : finding
    }

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

    /// The finding of the newest complete list of the URI that `issuer` signed, or of the newest at all. Neither a list from the
    /// future nor one that does not tell takes away what another revokes.
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
        // Of one time, a list with gaps comes first: the complete one is not the later issue.
        opened.sort { $0.issued == $1.issued ? !$0.isComplete && $1.isComplete : $0.issued > $1.issued }
        let ahead = opened.prefix { $0.issued > latest }
        var findings = ahead.map { list in list.finding(at: now, clockSkew: clockSkew) { verdict(list) } }
        let present = opened.dropFirst(ahead.count)
        // A newer list that does not tell takes nothing away from what an older one revokes.
        var decided: Timestamp?
        for list in present {
            // A list of the same time is asked too: neither is the later issue.
            if let decided, list.issued < decided { break }
            findings.append(list.finding(at: now, clockSkew: clockSkew) { verdict(list) })
            if findings.last?.state != .undetermined { decided = decided ?? list.issued }
        }
        if let revoked = findings.first(where: { $0.state == .revoked }) { return revoked }
        // A list with gaps shows nobody to be good, and leaves that to the complete one beside it (Q240).
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

    fileprivate func verdict(on index: UInt64) -> Verdict {
        guard case .statuses(let list) = content else { return .failure(.listMalformed) }
        return list[index].map(Verdict.success) ?? .failure(.indexOutOfRange)
    }

    /// An identifier that the list has is revoked.
    fileprivate func verdict(on identifier: ArraySlice<UInt8>) -> Verdict {
        guard case .identifiers(let list) = content else { return .failure(.listMalformed) }
        if list.identifiers.contains(Array(identifier)) { return .success(.invalid) }
        return .success(.valid)
    }

    /// A revocation outlasts the list that says so, and holds before a clock that is slow reaches the list's date; all else
    /// holds while the list is in time.
    fileprivate func finding(
        at now: Timestamp, clockSkew: Int64, _ verdict: () -> Verdict
    ) -> RevocationFinding {
        let age = now.secondsSince1970 - issued.secondsSince1970
        let overdue = expires.map { now.secondsSince1970 - $0.secondsSince1970 } ?? 0
        guard !signer.isRevoked(at: now, clockSkew: clockSkew) else {
            return .undetermined(.listSignerInvalid, about: .document, ageSeconds: max(0, age))
        }
        let said = verdict()
        if case .success(.invalid) = said { return .revoked(.documentRevoked, ageSeconds: max(0, age)) }
        guard age >= -clockSkew else {
            return .undetermined(.listNotYetValid, about: .document, ageSeconds: nil)
        }
        guard overdue <= 0 else {
            return .undetermined(.listStale(overdueSeconds: overdue), about: .document, ageSeconds: age)
        }
        guard signer.isValid(at: now) else {
            return .undetermined(.listSignerInvalid, about: .document, ageSeconds: max(0, age))
        }
        switch said {
        case .success(.valid):
            guard isComplete else {
                return .undetermined(.listMalformed, about: .document, ageSeconds: max(0, age))
            }
            return .good(ageSeconds: max(0, age))
        case .success(.suspended): return .revoked(.documentSuspended, ageSeconds: max(0, age))
        case .success: return .undetermined(.statusNotDefined, about: .document, ageSeconds: max(0, age))
        case .failure(let cause): return .undetermined(cause, about: .document, ageSeconds: max(0, age))
        }
    }
}
