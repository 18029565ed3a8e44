internal import COSE
package import MdocModel
internal import OpenSSLCrypto
internal import PKIX

/// Why a source does not replace what is there. A bad, older or shrunken list never replaces a good one silently.
package enum AdmissionRefusal: Error, Equatable, Sendable {
    /// It cannot be used, or is not believed.
    case unusable(TrustCondition)
    /// It was issued before the one that is there: an old list that came back (Q176), or a publisher that restarted its numbering (Q217).
    case older(ListIssueName, than: ListIssueName)
    /// It has another issuer than the present one: two lists under one name are not issues of one list.
    case otherIssuer
    /// It is so much smaller than the present one that something may be wrong.
    case shrunken(from: Int, to: Int)
    /// There are so many incomplete lists of its name and issuer, and none that could be left out (Q240).
    case tooManyIncomplete(Int)
}

extension AdmissionRefusal {
    package var id: String {
        switch self {
        case .unusable(let condition): condition.id
        case .otherIssuer: "trust.other_issuer"
        case .older: "trust.older"
        case .shrunken: "trust.shrunken"
        case .tooManyIncomplete: "trust.too_many_incomplete"
        }
    }

    package var explanation: String {
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
        case .tooManyIncomplete(let count):
            "it is incomplete, and the store has \(count) incomplete lists of its name and issuer already:"
                + " import the complete list, or `countersign trust remove` those that are out of use"
        }
    }
}

extension ListIssueName {
    fileprivate var text: String { number.map { "issue \($0) of \(date)" } ?? "of \(date)" }
}

/// What a source was found to be before it is let in.
package enum Admission: Equatable, Sendable {
    /// There was none of its kind and name.
    case new
    case renewed
    /// The bytes that are there already.
    case unchanged
}

/// The proof that a source may take its place in a snapshot. Only `TrustSnapshot` makes one. A `TrustChange` lets sources join by it
/// and lists it among its outcomes, so that a report can say what was admitted.
package struct AdmittedSource: Sendable {
    package let source: TrustSource
    package let admission: Admission
    /// The list behind its provider's signature; nil for other kinds, and for a list that is new with a bundle.
    package let list: VerifiedVICAL?

    fileprivate init(_ source: TrustSource, _ admission: Admission, _ list: VerifiedVICAL? = nil) {
        self.source = source
        self.admission = admission
        self.list = list
    }
}

extension TrustSnapshot {
    /// By how many seconds a VICAL may be past its nextUpdate: AAMVA's lives a day, and what comes on a USB stick is older
    /// (Q217).
    package static let longestOverdue: Int64 = 30 * 86_400
    /// The age in days beyond which the newest list needs attention: most lists are issued again within a month.
    package static let oldListDays: Int64 = 30

    /// Checks whether `candidate` may take its place in this snapshot.
    package func admission(
        of candidate: TrustSource, by rules: TrustRules
    ) throws(AdmissionRefusal) -> AdmittedSource {
        let (issue, list) = try usableIssue(of: candidate, by: rules)
        let current = source(candidate.identity)
        guard current?.sha256 != candidate.sha256 else { return AdmittedSource(candidate, .unchanged, list) }
        // Unreadable present lists must not keep out a readable one.
        let before = current?.issue(in: self, signers: rules.signers)
        guard !candidate.isIncomplete else {
            // It stands beside all others, of which nothing is lost, however little of it can be read.
            try requirePlace(for: candidate, issue)
            return AdmittedSource(candidate, .new, list)
        }
        if let before { try issue.requireSuccession(to: before) }
        do throws(AdmissionRefusal) {
            for beside in incompleteLists(like: candidate) where candidate.replacesIncomplete(beside) {
                if let beside = beside.issue(in: self) { try issue.requireNoLoss(of: beside) }
            }
            if let before { try issue.requireNoLoss(of: before) }
        } catch {
            guard rules.acceptsShrunken else { throw error }
            return AdmittedSource(candidate, .renewed, list)
        }
        return AdmittedSource(candidate, current == nil ? .new : .renewed, list)
    }

    /// Checks whether `candidate`, a source of `other`, may follow what is here where `other` takes the place of this whole snapshot.
    /// Sources that are new are believed by the signature of the bundle that `other` comes from.
    ///
    /// - Parameter both: The sources of both snapshots; of one identity the one that is here.
    func admission(
        of candidate: TrustSource, of other: TrustSnapshot, joining both: TrustSnapshot, by rules: TrustRules
    ) throws(AdmissionRefusal) -> AdmittedSource {
        try requireNothingLost(by: candidate, in: other)
        for lost in completeLists(like: candidate) where other.source(lost.identity) == nil {
            // One of them does not say which key is its issuer's: they may be issues of one list.
            try requireSuccession(of: candidate, to: lost, in: both, by: rules)
        }
        guard let there = source(candidate.identity) else { return AdmittedSource(candidate, .new) }
        guard there.sha256 != candidate.sha256 else { return AdmittedSource(candidate, .unchanged) }
        do throws(AdmissionRefusal) {
            return try both.admission(of: candidate, by: rules)
        } catch .unusable(.vicalRefused(.expired)) {
            // Its time is over; whether it is older or has less than the one before shows at the time of its issue.
            guard case .vical(let held) = candidate.content, let list = try? held.list() else {
                throw .unusable(.vicalRefused(.expired))
            }
            return try both.admission(of: candidate, by: rules.at(list.date))
        }
    }

    /// Throws unless the complete `candidate` may be the next issue of `lost`, a list of this snapshot that goes.
    private func requireSuccession(
        of candidate: TrustSource, to lost: TrustSource, in both: TrustSnapshot, by rules: TrustRules
    ) throws(AdmissionRefusal) {
        guard !candidate.isIncomplete, let issue = candidate.issue(in: both),
            let before = lost.issue(in: both)
        else { return }
        try issue.requireSuccession(to: before)
        if !rules.acceptsShrunken { try issue.requireNoLoss(of: before) }
    }

    /// Throws where an incomplete list would be dropped at once: by the complete list, or because there are too many.
    private func requirePlace(for candidate: TrustSource, _ issue: ListIssue) throws(AdmissionRefusal) {
        let complete = completeLists(like: candidate)
        if complete.allSatisfy({ $0.replacesIncomplete(candidate) }),
            let beside = complete.first?.issue(in: self)
        {
            throw .older(issue.order.name, than: beside.order.name)
        }
        let list = candidate.identity.complete
        let present = sources.filter { $0.isIncomplete && $0.identity.complete == list }
        let kept = (present + [candidate]).withoutSurplus
        guard kept.count <= TrustSource.mostIncomplete, kept.contains(candidate) else {
            throw .tooManyIncomplete(present.count)
        }
    }

    /// Throws where `other`, which is to take the place of this whole snapshot, has `source` in place of a list that says more: an
    /// incomplete list in place of another one, or a complete list that is not later than an incomplete one (Q240).
    package func requireNothingLost(
        by source: TrustSource, in other: TrustSnapshot
    ) throws(AdmissionRefusal) {
        guard source.kind.isList else { return }
        let present = completeLists(like: source) + incompleteLists(like: source)
        // Nothing of its name and issuer is here that could be lost; lists are not opened for that.
        guard !present.isEmpty else { return }
        guard let issue = source.issue(in: other) else {
            // Bytes that cannot be read take the place of no list that says something.
            let isLost = present.contains { other.source($0.identity) == nil }
            if isLost, let fault = source.unreadability { throw .unusable(fault) }
            return
        }
        if let gap = issue.incompleteness,
            present.contains(where: { !$0.isIncomplete && other.completeLists(like: $0).isEmpty })
        {
            throw .unusable(gap)
        }
        // Where there is a complete list, it is to be asked about the incomplete ones.
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

    /// The issue that a source is, with the list if it is a VICAL. Throws where it cannot be used.
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
            throw .unusable(.certificateUnreadable(.valueMalformed(at: 0)))
        }
        return (issue, nil)
    }

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
            guard source.kind == .provider || roots.areTrusting(anchor, for: nil, at: now) else {
                return [TrustCondition(notLinked: anchor)]
            }
            return []
        } catch {
            return [TrustCondition(error)]
        }
    }

    private func verified(
        _ held: HeldVICAL, by rules: TrustRules
    ) throws(AdmissionRefusal) -> VerifiedVICAL {
        do throws(VICALError) {
            let (list, now) = (try held.list(), rules.now)
            // A clock that is slow is excused.
            let isJustAhead = list.date > now && list.date <= now.advanced(bySeconds: rules.clockSkew)
            return try list.verify(
                by: providers, at: isJustAhead ? list.date : now, revokedBy: RevocationLists(of: sources),
                overdueBy: Self.longestOverdue)
        } catch {
            throw .unusable(.vicalRefused(error))
        }
    }
}

/// What is compared of two issues of one list.
private struct ListIssue {
    let order: IssueOrder
    /// How much it has.
    let count: Int
    /// Whoever answers for it; nil if nobody is known to.
    let issuer: Issuer?
    /// Why what the list does not name may be revoked all the same; nil if the list is complete.
    var incompleteness: TrustCondition?

    /// Whoever answers for all issues of a list.
    enum Issuer: Equatable {
        /// A root, by its name: roots are re-keyed.
        case root(DistinguishedName)
        /// The signer's certificate, by its SHA-256, where no root answers for it.
        case signer([UInt8])
    }

    /// The share of its entries that a list may lose from one issue to the next, in percent.
    private static let largestLoss = 20

    /// Throws unless this may follow `other`: of the same issuer, and not older.
    func requireSuccession(to other: ListIssue) throws(AdmissionRefusal) {
        if let issuer, let before = other.issuer, issuer != before { throw .otherIssuer }
        guard !order.isOlder(than: other.order) else { throw .older(order.name, than: other.order.name) }
    }

    /// Throws if this has far fewer entries than `other`, which it would replace.
    func requireNoLoss(of other: ListIssue) throws(AdmissionRefusal) {
        guard count * 100 >= other.count * (100 - Self.largestLoss) else {
            throw .shrunken(from: other.count, to: count)
        }
    }
}

extension TrustSource {
    /// Nil if the source cannot be read.
    ///
    /// - Parameter signers: certificates, in DER, that documents name for the signers of status lists.
    fileprivate func issue(in snapshot: TrustSnapshot, signers: [ArraySlice<UInt8>] = []) -> ListIssue? {
        switch content {
        case .certificate(let held):
            return (try? held.certificate()).map {
                ListIssue(
                    order: IssueOrder(number: nil, date: $0.notBefore), count: 1,
                    issuer: .root($0.subject))
            }
        case .vical(let held):
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
            // Identifiers may leave their list when their documents end; statuses have their places for good.
            return ListIssue(
                order: IssueOrder(token),
                count: kind == .statusList ? opened.count : 0,
                issuer: token.issuer(among: snapshot.anchors.map(\.anchor), signers),
                incompleteness: opened.gaps.first.map(TrustCondition.statusListIncomplete))
        }
    }
}

extension TrustSource {
    /// The fault of a CRL or of a status or identifier list that cannot be read; nil for other sources.
    fileprivate var unreadability: TrustCondition? {
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
    /// The certificates, in DER, of signers of the status and identifier lists here whom no anchor issued: lists that only documents
    /// which name such a signer believe.
    package func strangersAmongListSigners(at now: Timestamp) -> [ArraySlice<UInt8>] {
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
    /// Whether a list in this condition is let in all the same: a revocation in it counts for good, also where the list is
    /// overdue (Q230), and what it does not name is not better for it.
    fileprivate var leavesListUsable: Bool {
        switch self {
        case .listStale, .revocationListIncomplete, .statusListIncomplete: true
        default: false
        }
    }
}

extension StatusToken {
    /// The root that its signer led to when it was issued; nil if that was one whom an MSO named, who may be anybody.
    fileprivate func root(among anchors: [TrustAnchor], _ named: [Certificate] = []) -> TrustAnchor? {
        try? StatusListIssuer(anyOf: anchors, named: named).verifySigner(of: self, at: issued).root
    }

    /// The certificate, in DER, whose key signed the token, by its word alone; nil if it cannot be read or did not sign.
    fileprivate func ownSigner(at now: Timestamp) -> ArraySlice<UInt8>? {
        guard let leaf = try? signature.headers.x5chain(maximum: 4).first,
            let signer = try? Certificate(der: leaf),
            (try? StatusListIssuer(anyOf: [], named: [signer]).verifySigner(of: self, at: now)) != nil
        else { return nil }
        return leaf
    }

    /// Whoever answers for the list: the root of its signer, else the signer itself.
    fileprivate func issuer(among anchors: [TrustAnchor], _ signers: [ArraySlice<UInt8>]) -> ListIssue.Issuer?
    {
        if let root = root(among: anchors) { return .root(root.certificate.subject) }
        let named = signers.compactMap { try? Certificate(der: Array($0)[...]) }
        if !named.isEmpty, let root = root(among: anchors, named) { return .root(root.certificate.subject) }
        return ownSigner(at: issued).map { .signer(Digest(.sha256, of: $0).bytes) }
    }
}

extension UInt64 {
    fileprivate var bigEndianBytes: ArraySlice<UInt8> {
        (0..<8).reversed().map { UInt8(truncatingIfNeeded: self >> (8 * $0)) }.drop { $0 == 0 }
    }
}
