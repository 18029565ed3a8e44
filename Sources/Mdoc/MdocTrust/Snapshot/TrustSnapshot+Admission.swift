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

extension TrustSnapshot {
    /// By how many seconds a VICAL may be past its nextUpdate: AAMVA's lives a day, and what comes on a USB stick is older
    /// (Q217).
    package static let longestOverdue: Int64 = 30 * 86_400

    /// Whether `candidate` may take its place in this snapshot at `now`.
    ///
    /// - Parameters:
    ///   - clockSkew: the seconds by which a list may be from the future.
    ///   - namedIssuers: certificates that MSOs named for the signer of a status list.
    package func admission(
        of candidate: TrustSource, at now: Timestamp, clockSkew: Int64 = 60,
        namedIssuers: [ArraySlice<UInt8>] = []
    ) throws(AdmissionRefusal) -> Admission {
        let issue = try issue(of: candidate, at: now, clockSkew: clockSkew, namedIssuers)
        let current = source(candidate.identity)
        guard current?.sha256 != candidate.sha256 else { return .unchanged }
        // Unreadable present lists must not keep out a readable one.
        let before = current?.issue(in: self)
        guard !candidate.isIncomplete else {
            // It stands beside all others, of which nothing is lost, however little of it can be read.
            try requirePlace(for: candidate, issue)
            return .new
        }
        if let before { try issue.requireSuccession(to: before) }
        for beside in incompleteLists(like: candidate) where candidate.replacesIncomplete(beside) {
            if let beside = beside.issue(in: self) { try issue.requireNoLoss(of: beside) }
        }
        if let before { try issue.requireNoLoss(of: before) }
        return current == nil ? .new : .renewed
    }

    /// Throws where an incomplete list would be dropped at once: by the complete list, or because there are too many.
    private func requirePlace(for candidate: TrustSource, _ issue: ListIssue) throws(AdmissionRefusal) {
        if let complete = source(candidate.identity.complete), complete.replacesIncomplete(candidate),
            let beside = complete.issue(in: self)
        {
            throw .older(issue.order.name, than: beside.order.name)
        }
        let present = incompleteLists(like: candidate)
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
        guard let issue = source.issue(in: other) else { return }
        let complete = other.source(source.identity.complete)
        if let gap = issue.incompleteness, complete == nil, self.source(source.identity.complete) != nil {
            throw .unusable(gap)
        }
        // Where there is a complete list, it is to be asked about the incomplete ones.
        guard complete == nil || complete?.identity == source.identity else { return }
        let kept = other.incompleteLists(like: source)
        for lost in incompleteLists(like: source) where other.source(lost.identity) == nil {
            guard !source.replacesIncomplete(lost), !kept.contains(where: { $0.revokesAll(of: lost) }),
                let before = lost.issue(in: self)
            else { continue }
            if let gap = issue.incompleteness { throw .unusable(gap) }
            throw .older(issue.order.name, than: before.order.name)
        }
    }

    private func issue(
        of source: TrustSource, at now: Timestamp, clockSkew: Int64, _ namedIssuers: [ArraySlice<UInt8>]
    ) throws(AdmissionRefusal) -> ListIssue {
        let conditions: [TrustCondition] =
            switch source.kind {
            case .anchor, .provider: certificateConditions(source, at: now)
            case .vical: vicalConditions(source, at: now, clockSkew: clockSkew)
            case .revocationList: lintRevocationList(source, at: now, clockSkew: clockSkew)
            case .statusList, .identifierList:
                lintStatusList(source, at: now, clockSkew: clockSkew, namedIssuers: namedIssuers)
            }
        if let condition = conditions.first(where: { !$0.leavesListUsable }) { throw .unusable(condition) }
        guard let issue = source.issue(in: self) else {
            throw .unusable(.certificateUnreadable(.valueMalformed(at: 0)))
        }
        return issue
    }

    private func certificateConditions(_ source: TrustSource, at now: Timestamp) -> [TrustCondition] {
        do throws(PKIXError) {
            let certificate = try Certificate(der: source.bytes)
            do throws(TrustAnchorError) {
                let anchor = try TrustAnchor(certificate)
                guard source.kind == .provider || roots.areTrusting(anchor, for: nil, at: now) else {
                    return [TrustCondition(notLinked: anchor)]
                }
                return []
            } catch {
                return [TrustCondition(error)]
            }
        } catch {
            return [.certificateUnreadable(error)]
        }
    }

    private func vicalConditions(
        _ source: TrustSource, at now: Timestamp, clockSkew: Int64
    ) -> [TrustCondition] {
        do throws(VICALError) {
            let list = try UnverifiedVICAL(source.bytes)
            // A clock that is slow is excused.
            let isJustAhead = list.date > now && list.date <= now.advanced(bySeconds: clockSkew)
            _ = try list.verify(
                by: providers, at: isJustAhead ? list.date : now, revokedBy: RevocationLists(of: sources),
                overdueBy: Self.longestOverdue)
            return []
        } catch {
            return [.vicalRefused(error)]
        }
    }
}

/// What is compared of two issues of one list.
private struct ListIssue {
    let order: IssueOrder
    /// How much it has.
    let count: Int
    /// Nil if it does not have to stay the same.
    let issuer: DistinguishedName?
    /// Why what the list does not name may be revoked all the same; nil if the list is complete.
    var incompleteness: TrustCondition?

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
    fileprivate func issue(in snapshot: TrustSnapshot) -> ListIssue? {
        switch kind {
        case .anchor, .provider:
            return (try? Certificate(der: bytes)).map {
                ListIssue(order: IssueOrder(number: nil, date: $0.notBefore), count: 1, issuer: $0.subject)
            }
        case .vical:
            let list = try? UnverifiedVICAL(bytes).verify(by: snapshot.providers, at: nil, .lenient)
            return list.map {
                ListIssue(
                    order: IssueOrder(
                        number: $0.issueID.map(\.bigEndianBytes), date: $0.date.secondsSince1970),
                    count: $0.entries.count, issuer: $0.root.certificate.subject)
            }
        case .revocationList:
            let list = try? CertificateRevocationList(der: bytes)
            return list.map {
                ListIssue(
                    order: IssueOrder($0), count: $0.count, issuer: $0.issuer,
                    incompleteness: $0.incompleteness.map(TrustCondition.revocationListIncomplete))
            }
        case .statusList, .identifierList:
            guard let token = try? StatusToken(bytes), let opened = try? token.open() else { return nil }
            // Identifiers may leave their list when their documents end; statuses have their places for good.
            return ListIssue(
                order: IssueOrder(token),
                count: kind == .statusList ? opened.count : 0,
                issuer: token.root(among: snapshot.anchors.map(\.anchor))?.certificate.subject,
                incompleteness: opened.gaps.first.map(TrustCondition.statusListIncomplete))
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
    fileprivate func root(among anchors: [TrustAnchor]) -> TrustAnchor? {
        try? StatusListIssuer(anyOf: anchors).verifySigner(of: self, at: issued).root
    }
}

extension UInt64 {
    fileprivate var bigEndianBytes: ArraySlice<UInt8> {
        (0..<8).reversed().map { UInt8(truncatingIfNeeded: self >> (8 * $0)) }.drop { $0 == 0 }
    }
}
