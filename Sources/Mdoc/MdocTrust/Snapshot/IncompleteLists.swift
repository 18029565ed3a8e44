internal import PKIX

/// A CRL, status list or identifier list, read so that its revocations can be compared with the revocations
/// of another list (Q240).
enum RevokingList {
    case certificates(CertificateRevocationList)
    case statuses(StatusList, IssueOrder)
    case identifiers(RevokedIdentifiers, IssueOrder)

    /// Reads the list of `source`; `nil` for a source of another kind, and for bytes that cannot be read.
    init?(_ source: TrustSource) {
        switch source.content {
        case .certificate, .vical: return nil
        case .revocationList(let held):
            guard let list = try? held.list() else { return nil }
            self = .certificates(list)
        case .statusToken(let held):
            guard let token = try? held.token(), token.kind == source.statusKind,
                let content = try? held.content()
            else { return nil }
            switch content {
            case .statuses(let list): self = .statuses(list, IssueOrder(token))
            case .identifiers(let list): self = .identifiers(list, IssueOrder(token))
            }
        }
    }

    /// The number and date by which editions of the list are ordered.
    var order: IssueOrder {
        switch self {
        case .certificates(let list): IssueOrder(list)
        case .statuses(_, let order), .identifiers(_, let order): order
        }
    }

    /// Whether this list revokes everything that `other` revokes.
    func revokesAll(of other: RevokingList) -> Bool {
        switch (self, other) {
        case (.certificates(let own), .certificates(let other)):
            // Serial numbers in CRLs of two keys mean different certificates (Q234).
            own.authorityKeyIdentifier == other.authorityKeyIdentifier && own.revokesAll(of: other)
        case (.statuses(let own, _), .statuses(let other, _)):
            own.revokesAll(of: other)
        case (.identifiers(let own, _), .identifiers(let other, _)):
            own.identifiers.isSuperset(of: other.identifiers)
        default: false
        }
    }

    /// Whether this list, which is complete, replaces the incomplete list `other`.
    ///
    /// This list must be a later edition. If this list possibly covers fewer certificates than `other`, it
    /// must also revoke everything that `other` revokes.
    func replacesIncomplete(_ other: RevokingList) -> Bool {
        guard other.order.isOlder(than: order) else { return false }
        guard case .certificates(let own) = self, case .certificates(let before) = other else { return true }
        // CRLs that were signed with different keys of one root are separate lists, not editions of one list
        // (Q234).
        if let key = own.authorityKeyIdentifier, let other = before.authorityKeyIdentifier, key != other {
            return false
        }
        // A CRL without a scope covers every certificate of its issuer.
        return own.scope == nil || own.scope == before.scope || own.revokesAll(of: before)
    }
}

extension TrustSource {
    /// The maximum number of incomplete lists of one name and issuer in a snapshot.
    static let maximumIncompleteLists = 16

    /// Whether this source is a complete list that replaces the incomplete list `other` of the same name and
    /// issuer.
    func replacesIncomplete(_ other: TrustSource) -> Bool {
        guard !isIncomplete, let own = RevokingList(self), let before = RevokingList(other) else {
            return false
        }
        return own.replacesIncomplete(before)
    }

    /// Whether this list revokes everything that the list `other` revokes.
    func revokesAll(of other: TrustSource) -> Bool {
        guard let own = RevokingList(self), let other = RevokingList(other) else { return false }
        return own.revokesAll(of: other)
    }
}

extension [TrustSource] {
    /// These sources without surplus incomplete lists.
    ///
    /// If more than `maximumIncompleteLists` incomplete lists have the same name and issuer, the oldest of
    /// them are left out. A list is left out only if another list revokes everything that it revokes.
    var withoutSurplus: [TrustSource] {
        let groups = Dictionary(grouping: filter(\.isIncomplete), by: \.identity.complete)
        let surplus = groups.values.reduce(into: Set<TrustSource.Identity>()) { $0.formUnion($1.surplus) }
        return surplus.isEmpty ? self : filter { !surplus.contains($0.identity) }
    }

    /// The identities of the surplus lists. `self` holds all incomplete lists of one name and issuer.
    private var surplus: Set<TrustSource.Identity> {
        guard count > TrustSource.maximumIncompleteLists else { return [] }
        var kept = compactMap { source in RevokingList(source).map { (identity: source.identity, list: $0) } }
        // The oldest lists are dropped first. Lists of one date have a fixed order, so that every computer
        // drops the same list.
        kept.sort {
            let (one, other) = ($0.list.order.date, $1.list.order.date)
            return one == other ? $0.identity < $1.identity : one < other
        }
        var dropped: Set<TrustSource.Identity> = []
        for (identity, list) in kept where count - dropped.count > TrustSource.maximumIncompleteLists {
            let others = kept.filter { $0.identity != identity && !dropped.contains($0.identity) }
            if others.contains(where: { $0.list.revokesAll(of: list) }) { dropped.insert(identity) }
        }
        return dropped
    }
}
