internal import COSE
package import MdocModel
internal import OpenSSLCrypto
internal import PKIX

/// The reason that a source is not admitted to a snapshot. A bad, older or shrunken list never silently
/// replaces a good list.
package enum AdmissionRefusal: Error, Equatable, Sendable {
    /// The source cannot be used, or is not trusted.
    case unusable(TrustCondition)
    /// The source was issued before the present source. Either an old list came back (Q176), or its publisher
    /// restarted the numbering (Q217).
    case older(ListIssueName, than: ListIssueName)
    /// The source has another issuer than the present source, so the two are not editions of one list.
    case otherIssuer
    /// The source has far fewer entries than the present source.
    case shrunken(from: Int, to: Int)
    /// The snapshot has this many incomplete lists of the same name and issuer, and none of them can be left
    /// out (Q240).
    case tooManyIncomplete(Int)
}

extension AdmissionRefusal {
    /// The stable id, listed in `Documentation/command-line.md`.
    package var id: String {
        switch self {
        case .unusable(let condition): condition.id
        case .otherIssuer: "trust.other_issuer"
        case .older: "trust.older"
        case .shrunken: "trust.shrunken"
        case .tooManyIncomplete: "trust.too_many_incomplete"
        }
    }

    /// The reason in words, for messages to users.
    package var explanation: String {
        switch self {
        case .unusable(let condition): condition.explanation
        case .otherIssuer:
            "the store has a list with this name from another issuer and keeps it; if the new list is right, remove the present one with `countersign trust remove` first"
        case .older(let own, let present):
            "the new list is \(own.text), older than the present list, \(present.text), which is kept;"
                + " if the publisher restarted the numbering, remove the present list with `countersign trust remove` and import the new one again"
        case .shrunken(let from, let to):
            "the new list has only \(to) entries, but the present list has \(from) and is kept:"
                + " use --accept-shrunken to import the new list anyway"
        case .tooManyIncomplete(let count):
            "the new list is incomplete, and the store already has \(count) incomplete lists with the same name and issuer:"
                + " import the complete list, or remove old ones with `countersign trust remove`"
        }
    }
}

extension ListIssueName {
    fileprivate var text: String { number.map { "issue \($0) of \(date)" } ?? "of \(date)" }
}

/// The relation of an admitted source to the snapshot that it joins.
package enum Admission: Equatable, Sendable {
    /// The snapshot had no source of this identity.
    case new
    /// The source replaces a source of the same identity.
    case renewed
    /// The snapshot has the same bytes already.
    case unchanged
}

/// The proof that a source may join a snapshot.
///
/// **Responsibility.** Only `TrustSnapshot.admission(of:by:)`, and the function of the same name for whole
/// snapshots, make this value, after they have:
///
/// - verified the source, such as the provider's signature of a VICAL (ISO/IEC 18013-5 Annex C) or the root
///   of a status list's signer;
/// - compared the source with the present edition of the same list, by the issuer, the order and the number
///   of entries (Q176, Q217);
/// - checked that an incomplete list may join beside the present lists (Q240).
///
/// A source of a bundle needs none of this if the present snapshot has no counterpart of it, because the
/// bundle's signature admits the source.
///
/// **Callers.** `TrustChange` uses the proofs to join sources to its snapshot, and stores each proof in its
/// outcomes, so that a report can list the admitted sources. Callers do not check the source again, and do
/// not pass a source on without its proof.
///
/// **Limits.** The proof holds for the snapshot and the time of the check. The proof is never stored. A
/// stored snapshot is trusted because it was admitted before.
package struct AdmittedSource: Sendable {
    package let source: TrustSource
    package let admission: Admission
    /// The verified VICAL; `nil` for other kinds, and for a list of a bundle without a counterpart in the
    /// present snapshot.
    package let list: VerifiedVICAL?

    fileprivate init(_ source: TrustSource, _ admission: Admission, _ list: VerifiedVICAL? = nil) {
        self.source = source
        self.admission = admission
        self.list = list
    }
}

extension TrustSnapshot {
    /// The maximum number of seconds by which a VICAL may be past its nextUpdate. The limit is generous,
    /// because AAMVA's VICAL is current for one day only, and a copy on a USB stick is older (Q217).
    package static let longestOverdue: Int64 = 30 * 86_400
    /// The age in days from which the newest list is reported as old. Most lists are issued again within a
    /// month.
    package static let oldListDays: Int64 = 30

    /// Checks whether `candidate` may join this snapshot.
    ///
    /// - Returns: The proof of the check.
    /// - Throws: `AdmissionRefusal` if the source cannot be used, is older or much smaller than the present
    ///   source, is of another issuer, or is an incomplete list that the new snapshot would leave out (Q240).
    package func admission(
        of candidate: TrustSource, by rules: TrustRules
    ) throws(AdmissionRefusal) -> AdmittedSource {
        let (issue, list) = try usableIssue(of: candidate, by: rules)
        let current = source(candidate.identity)
        guard current?.sha256 != candidate.sha256 else { return AdmittedSource(candidate, .unchanged, list) }
        // `before` is also `nil` if the present list cannot be read. An unreadable list must not prevent a
        // readable list from joining.
        let before = current?.issue(in: self, signers: rules.signers)
        guard !candidate.isIncomplete else {
            // An incomplete list removes no other list, so no revocation can be lost.
            try requirePlace(for: candidate, issue)
            return AdmittedSource(candidate, .new, list)
        }
        if let before { try issue.requireSuccession(to: before) }
        // The incomplete lists that a complete list replaces count as predecessors too, so the complete list
        // must not be much smaller than any of them (Q240).
        do throws(AdmissionRefusal) {
            for old in incompleteLists(like: candidate) where candidate.replacesIncomplete(old) {
                if let replaced = old.issue(in: self) { try issue.requireNoLoss(of: replaced) }
            }
            if let before { try issue.requireNoLoss(of: before) }
        } catch {
            guard rules.acceptsShrunken else { throw error }
            // `requireNoLoss` throws only if the source replaces a larger list, so the source counts as
            // renewed.
            return AdmittedSource(candidate, .renewed, list)
        }
        return AdmittedSource(candidate, current == nil ? .new : .renewed, list)
    }

    /// Checks whether `candidate` may replace its counterpart in this snapshot. `candidate` belongs to the
    /// snapshot `other` of a bundle, which is to replace this whole snapshot.
    ///
    /// The signature of the bundle admits sources that have no counterpart in this snapshot.
    ///
    /// - Parameter both: A snapshot with the sources of this snapshot and of `other`. If this snapshot and
    ///   `other` each have a source with the same identity, `both` has the source of this snapshot.
    func admission(
        of candidate: TrustSource, of other: TrustSnapshot, joining both: TrustSnapshot, by rules: TrustRules
    ) throws(AdmissionRefusal) -> AdmittedSource {
        try requireNothingLost(by: candidate, in: other)
        for lost in completeLists(like: candidate) where other.source(lost.identity) == nil {
            // One of the two CRLs does not name its issuer's key, so they may be editions of one list (Q234).
            try requireSuccession(of: candidate, to: lost, in: both, by: rules)
        }
        guard let present = source(candidate.identity) else { return AdmittedSource(candidate, .new) }
        guard present.sha256 != candidate.sha256 else { return AdmittedSource(candidate, .unchanged) }
        do throws(AdmissionRefusal) {
            return try both.admission(of: candidate, by: rules)
        } catch .unusable(.vicalRefused(.expired)) {
            // An expired list can still be compared by its order and size. Its date of issue is used as the
            // time of the check.
            guard case .vical(let held) = candidate.content, let list = try? held.list() else {
                throw .unusable(.vicalRefused(.expired))
            }
            return try both.admission(of: candidate, by: rules.at(list.date))
        }
    }

    /// Throws if the complete list `candidate` may not be the next edition of `lost`, a list that this change
    /// removes. Does nothing if `candidate` is incomplete.
    private func requireSuccession(
        of candidate: TrustSource, to lost: TrustSource, in both: TrustSnapshot, by rules: TrustRules
    ) throws(AdmissionRefusal) {
        guard !candidate.isIncomplete, let issue = candidate.issue(in: both),
            let before = lost.issue(in: both)
        else { return }
        try issue.requireSuccession(to: before)
        if !rules.acceptsShrunken { try issue.requireNoLoss(of: before) }
    }

    /// Throws if the incomplete `candidate` would be left out of the new snapshot, because a complete list
    /// replaces it or because there are too many incomplete lists.
    private func requirePlace(for candidate: TrustSource, _ issue: ListIssue) throws(AdmissionRefusal) {
        let complete = completeLists(like: candidate)
        // If there is no complete list, `allSatisfy` is true but `first` is `nil`, so nothing is refused
        // here.
        if complete.allSatisfy({ $0.replacesIncomplete(candidate) }),
            let later = complete.first?.issue(in: self)
        {
            throw .older(issue.order.name, than: later.order.name)
        }
        let list = candidate.identity.complete
        let present = sources.filter { $0.isIncomplete && $0.identity.complete == list }
        let kept = (present + [candidate]).withoutSurplus
        guard kept.count <= TrustSource.maximumIncompleteLists, kept.contains(candidate) else {
            throw .tooManyIncomplete(present.count)
        }
    }

    /// Checks that `source` does not replace a list with more revocations. `source` belongs to the snapshot
    /// `other`, which is to replace this whole snapshot.
    ///
    /// An incomplete list must replace neither a complete list nor an incomplete list with other revocations.
    /// A complete list must be later than an incomplete list that it replaces (Q240).
    package func requireNothingLost(
        by source: TrustSource, in other: TrustSnapshot
    ) throws(AdmissionRefusal) {
        guard source.kind.isList else { return }
        let present = completeLists(like: source) + incompleteLists(like: source)
        // If this snapshot has no list of the same name and issuer, nothing can be lost. Then no list is
        // opened, because that is slow.
        guard !present.isEmpty else { return }
        guard let issue = source.issue(in: other) else {
            // Unreadable bytes must not replace a list with revocations.
            let isLost = present.contains { other.source($0.identity) == nil }
            if isLost, let fault = source.readFault { throw .unusable(fault) }
            return
        }
        if let gap = issue.incompleteness,
            present.contains(where: { !$0.isIncomplete && other.completeLists(like: $0).isEmpty })
        {
            throw .unusable(gap)
        }
        // If `other` has a complete list of this name and issuer, only that list is compared with the lost
        // incomplete lists.
        let complete = other.completeLists(like: source)
        guard complete.isEmpty || complete.contains(where: { $0.identity == source.identity }) else {
            return
        }
        let kept = other.incompleteLists(like: source)
        for lost in incompleteLists(like: source) where other.source(lost.identity) == nil {
            guard !source.replacesIncomplete(lost), !kept.contains(where: { $0.revokesAll(of: lost) }),
                let before = lost.issue(in: self)
            else { continue }
            if let gap = issue.incompleteness { throw .unusable(gap) }
            throw .older(issue.order.name, than: before.order.name)
        }
    }

    /// Returns the facts by which `source` is compared with an earlier edition of the same list. For a VICAL,
    /// also returns the verified list.
    ///
    /// - Throws: `AdmissionRefusal.unusable` if the source cannot be used.
    private func usableIssue(
        of source: TrustSource, by rules: TrustRules
    ) throws(AdmissionRefusal) -> (ListIssue, VerifiedVICAL?) {
        let conditions: [TrustCondition]
        switch source.content {
        case .vical(let held):
            let list = try verified(held, by: rules)
            return (ListIssue(list), list)
        case .certificate(let held): conditions = certificateConditions(source, held, at: rules.now)
        case .revocationList(let held): conditions = lintRevocationList(held, by: rules)
        case .statusToken(let held): conditions = lintStatusList(source, held, by: rules)
        }
        if let condition = conditions.first(where: { !$0.leavesListUsable }) { throw .unusable(condition) }
        guard let issue = source.issue(in: self, signers: rules.signers) else {
            // Not expected, because the conditions above include every fault that makes a source unreadable.
            throw .unusable(.certificateUnreadable(.valueMalformed(at: 0)))
        }
        return (issue, nil)
    }

    /// Returns the faults that forbid the use of a root: an issuer's root, or the root of a list's provider.
    private func certificateConditions(
        _ source: TrustSource, _ held: HeldCertificate, at now: Timestamp
    ) -> [TrustCondition] {
        do throws(HeldCertificateError) {
            let anchor = try held.anchor(sha256: source.sha256)
            do throws(TrustAnchorError) {
                try anchor.requireUsableKey()
            } catch {
                return [TrustCondition(error)]
            }
            // A provider's root is trusted directly. Only an issuer's root may be a link certificate, which
            // needs an earlier root.
            guard source.kind == .provider || roots.areTrusting(anchor, for: nil, at: now) else {
                return [TrustCondition(notLinked: anchor)]
            }
            return []
        } catch {
            return [TrustCondition(error)]
        }
    }

    /// Verifies a new VICAL for admission. It may be overdue by `longestOverdue`.
    private func verified(
        _ held: HeldVICAL, by rules: TrustRules
    ) throws(AdmissionRefusal) -> VerifiedVICAL {
        do throws(VICALError) {
            let (list, now) = (try held.list(), rules.now)
            // This computer's clock may be slow, so a list dated slightly ahead is verified at its own date.
            let isJustAhead = list.date > now && list.date <= now.advanced(bySeconds: rules.clockSkew)
            return try list.verify(
                by: providers, at: isJustAhead ? list.date : now, revokedBy: RevocationLists(of: sources),
                overdueBy: Self.longestOverdue)
        } catch {
            throw .unusable(.vicalRefused(error))
        }
    }
}

/// The facts that are compared between two issues (editions) of one list.
private struct ListIssue {
    let order: IssueOrder
    /// The number of entries.
    let count: Int
    /// The authority that is responsible for the list; `nil` if it is not known.
    let issuer: Issuer?
    /// The gap in an incomplete list; `nil` if the list is complete. With a gap, a certificate or document
    /// that is not in the list may still be revoked.
    var incompleteness: TrustCondition?

    /// The authority that is responsible for all editions of a list.
    enum Issuer: Equatable {
        /// A root, by its name, because a root keeps its name when it gets a new key (Q177).
        case root(DistinguishedName)
        /// The signer's certificate, by its SHA-256, if no known root certified the signer.
        case signer([UInt8])
    }

    /// The maximum share of entries that a list may lose from one edition to the next, in percent.
    private static let largestLoss = 20

    /// Throws if this edition must not replace `other`: it is older, or both issuers are known and differ.
    func requireSuccession(to other: ListIssue) throws(AdmissionRefusal) {
        if let issuer, let before = other.issuer, issuer != before { throw .otherIssuer }
        guard !order.isOlder(than: other.order) else { throw .older(order.name, than: other.order.name) }
    }

    /// Throws if this edition has far fewer entries than `other`, which it would replace.
    func requireNoLoss(of other: ListIssue) throws(AdmissionRefusal) {
        guard count * 100 >= other.count * (100 - Self.largestLoss) else {
            throw .shrunken(from: other.count, to: count)
        }
    }
}

extension TrustSource {
    /// Returns the facts by which this source is compared with another edition of the same list; `nil` if the
    /// source cannot be read.
    ///
    /// - Parameter signers: The certificates, in DER, that documents name as the signers of status lists.
    fileprivate func issue(in snapshot: TrustSnapshot, signers: [ArraySlice<UInt8>] = []) -> ListIssue? {
        switch content {
        case .certificate(let held):
            return (try? held.certificate()).map {
                ListIssue(
                    order: IssueOrder(number: nil, date: $0.notBefore), count: 1,
                    issuer: .root($0.subject))
            }
        case .vical(let held):
            // No time is given, because a list that has expired is still compared.
            let list = try? held.list().verify(by: snapshot.providers, at: nil, .lenient)
            return list.map { ListIssue($0) }
        case .revocationList(let held):
            return (try? held.list()).map { list in
                ListIssue(
                    order: IssueOrder(list), count: list.count, issuer: .root(list.issuer),
                    incompleteness: list.incompleteness.map(TrustCondition.revocationListIncomplete))
            }
        case .statusToken(let held):
            guard let token = try? held.token(), let opened = try? held.open() else { return nil }
            // An identifier may leave its list when its document expires, so identifiers are not counted. A
            // status keeps its index, so statuses are counted.
            return ListIssue(
                order: IssueOrder(token),
                count: kind == .statusList ? opened.count : 0,
                issuer: token.issuer(among: snapshot.anchors.map(\.anchor), signers),
                incompleteness: opened.gaps.first.map(TrustCondition.statusListIncomplete))
        }
    }
}

extension TrustSource {
    /// The fault of a CRL, status list or identifier list that cannot be read; `nil` for other sources.
    fileprivate var readFault: TrustCondition? {
        switch content {
        case .certificate, .vical: return nil
        case .revocationList(let held):
            do throws(PKIXError) { _ = try held.list() } catch { return .revocationListUnreadable(error) }
        case .statusToken(let held):
            do throws(StatusTokenError) { _ = try held.open() } catch { return .statusListUnreadable(error) }
        }
        return nil
    }
}

extension ListIssue {
    fileprivate init(_ list: VerifiedVICAL) {
        self.init(
            order: IssueOrder(
                number: list.issueID.map(\.bigEndianBytes), date: list.date.secondsSince1970),
            count: list.entries.count, issuer: .root(list.root.certificate.subject))
    }
}

extension TrustSnapshot {
    /// Returns the certificates, in DER, that signed the status and identifier lists of this snapshot but
    /// that no anchor issued.
    ///
    /// Such a list counts only for documents that name its signer.
    package func unanchoredListSigners(at now: Timestamp) -> [ArraySlice<UInt8>] {
        let anchors = anchors.map(\.anchor)
        return sources.compactMap { source in
            guard case .statusToken(let held) = source.content, let token = try? held.token(),
                token.root(among: anchors) == nil
            else { return nil }
            return token.ownSigner(at: now)
        }
    }
}

extension TrustCondition {
    /// Whether a list with this condition is admitted nevertheless.
    ///
    /// A revocation counts even in a list that is overdue (Q230) or incomplete. Absence from such a list
    /// proves nothing.
    fileprivate var leavesListUsable: Bool {
        switch self {
        case .listStale, .revocationListIncomplete, .statusListIncomplete: true
        default: false
        }
    }
}

extension StatusToken {
    /// Returns the root at the end of the path from the token's signer, as of the time when the token was
    /// issued; `nil` for an unknown signer, and for a signer that only an MSO names.
    fileprivate func root(among anchors: [TrustAnchor], _ named: [Certificate] = []) -> TrustAnchor? {
        try? StatusListIssuer(anyOf: anchors, named: named).verifySigner(of: self, at: issued).root
    }

    /// Returns the certificate, in DER, that the token names as its signer, if the key of that certificate
    /// did sign it. The certificate itself is not verified.
    fileprivate func ownSigner(at now: Timestamp) -> ArraySlice<UInt8>? {
        guard let leaf = try? signature.headers.x5chain(maximum: 4).first,
            let signer = try? Certificate(der: leaf),
            (try? StatusListIssuer(anyOf: [], named: [signer]).verifySigner(of: self, at: now)) != nil
        else { return nil }
        return leaf
    }

    /// Returns the authority that is responsible for the list: the root of its signer, else the signer
    /// itself.
    fileprivate func issuer(among anchors: [TrustAnchor], _ signers: [ArraySlice<UInt8>]) -> ListIssue.Issuer?
    {
        if let root = root(among: anchors) { return .root(root.certificate.subject) }
        let named = signers.compactMap { try? Certificate(der: Array($0)[...]) }
        if !named.isEmpty, let root = root(among: anchors, named) { return .root(root.certificate.subject) }
        return ownSigner(at: issued).map { .signer(Digest(.sha256, of: $0).bytes) }
    }
}

extension UInt64 {
    /// The bytes of the number, most significant first, without leading zeros.
    fileprivate var bigEndianBytes: ArraySlice<UInt8> {
        (0..<8).reversed().map { UInt8(truncatingIfNeeded: self >> (8 * $0)) }.drop { $0 == 0 }
    }
}
