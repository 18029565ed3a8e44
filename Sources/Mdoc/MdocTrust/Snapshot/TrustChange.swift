/// A change of trust in preparation: the only code that decides whether a source may replace another source.
///
/// **Responsibility.** A change begins with the current snapshot, and ends with another snapshot and a
/// decision on each source. `countersign trust` and the kiosks of a fleet prepare every change with it. The
/// exception is `countersign trust rollback`, which makes a stored snapshot current again.
///
/// **Operations.**
///
/// - `admit(_:)` checks each source against the snapshot that it would join. A source joins as an
///   `AdmittedSource`, the proof of that check. A refused source changes nothing, and the other sources still
///   join.
/// - `replaceAll(by:)` checks every source of another snapshot. The other snapshot replaces the current
///   snapshot as a whole, and only if no source was refused.
/// - `reinstate(_:)` makes a stored snapshot the result. It checks nothing, because the stored snapshot was
///   admitted before.
/// - `remove(_:)` removes one source.
///
/// **State.** `snapshot` is the result up to now, and `outcomes` are the decisions in their order. The struct
/// is a value without I/O; the caller chooses the thread.
///
/// **Limits.** A change stores nothing and has no effect on verification by itself. The caller either stores
/// `snapshot` or discards it. A change reads no clock. The time and the tolerances are in `TrustRules`.
package struct TrustChange: Sendable {
    /// The snapshot from which the change began.
    package let before: TrustSnapshot
    /// The snapshot with all changes made up to now.
    package private(set) var snapshot: TrustSnapshot
    /// The decisions, in the order in which they were made. `replaceAll(by:)` puts the removals first.
    package private(set) var outcomes: [Decision] = []
    private let rules: TrustRules

    /// The decision on one source.
    package struct Decision: Sendable {
        package enum Result: Sendable {
            case admitted(AdmittedSource)
            /// The source was refused. If the snapshot has a source of the same identity, that source stays.
            case refused(AdmissionRefusal)
            case removed
        }

        package let source: TrustSource
        package let result: Result
        /// The snapshot with which the admitted source was checked, and the rules of the check. `remarks` is
        /// computed from both. `nil` if there can be no remarks.
        private let joined: (snapshot: TrustSnapshot, rules: TrustRules)?

        fileprivate init(
            _ source: TrustSource, _ result: Result,
            joined: (snapshot: TrustSnapshot, rules: TrustRules)? = nil
        ) {
            self.source = source
            self.result = result
            self.joined = joined
        }

        /// The remarks on an admitted source, such as entries that were left out.
        ///
        /// The remarks are computed at each access, because every list must be opened for them.
        package var remarks: [TrustCondition] {
            joined.map { $0.snapshot.remarks(on: source, by: $0.rules) } ?? []
        }
    }

    /// Begins a change.
    ///
    /// - Parameter before: The current snapshot, or `nil` if nothing is trusted yet.
    package init(from before: TrustSnapshot?, by rules: TrustRules) {
        self.before = before ?? TrustSnapshot([])
        snapshot = self.before
        self.rules = rules
    }

    /// Whether at least one source was refused.
    package var isRefused: Bool { firstRefused != nil }

    /// The first source that was refused.
    package var firstRefused: TrustSource? {
        outcomes.first { if case .refused = $0.result { true } else { false } }?.source
    }

    /// The lists of `before` that this change loses: `snapshot` has no list of the same name and issuer,
    /// complete or incomplete. The revocations in these lists are lost too.
    package var forgottenLists: [TrustSource.Identity] {
        let kept = snapshot.sources.map(\.identity).filter(\.kind.isList)
        return before.sources.map(\.identity).filter { lost in
            lost.kind.isList && !kept.contains { $0.isLike(lost) }
        }
    }

    /// Admits every source that can be admitted. Roots of issuers and of list providers join before lists,
    /// since a list is checked with the root of its signer.
    package mutating func admit(_ sources: [TrustSource]) {
        for kind in TrustSource.Kind.allCases {
            // The snapshot is rebuilt once for each kind, not for each source.
            var admitted: [TrustSource.Identity: AdmittedSource] = [:]
            // A link certificate is trusted only after the root that signed it has joined (Q231).
            let ofKind = sources.filter { $0.kind == kind }
            let links = kind == .anchor ? ofKind.filter(\.isLinkCertificate) : []
            let others = links.isEmpty ? ofKind : ofKind.filter { !$0.isLinkCertificate }
            for (place, source) in (others + links).enumerated() {
                // Each link certificate joins separately, because it may have signed the next link
                // certificate.
                if place >= others.count { joinAdmitted(&admitted) }
                // Two editions of one list must be compared with each other, so the first must join before
                // the second is checked.
                if admitted[source.identity] != nil || kind.isList && admitted.hasList(like: source) {
                    joinAdmitted(&admitted)
                }
                if let proof = admit(source) { admitted[source.identity] = proof }
            }
            joinAdmitted(&admitted)
        }
    }

    /// Replaces all sources with the sources of `other`, a snapshot from a signed bundle.
    ///
    /// Nothing is replaced if one source of `other` must not replace its counterpart in the present snapshot.
    /// An expired VICAL may replace a present VICAL that is not newer.
    package mutating func replaceAll(by other: TrustSnapshot) {
        // The roots of both snapshots are needed to compare a present list with its successor.
        let both = TrustSnapshot(other.sources + before.sources)
        for source in other.sources {
            do throws(AdmissionRefusal) {
                let proof = try before.admission(of: source, of: other, joining: both, by: rules)
                outcomes.append(Decision(source, .admitted(proof), joined: (both, rules)))
            } catch {
                outcomes.append(Decision(source, .refused(error)))
            }
        }
        guard !isRefused else { return }
        snapshot = other
        let removed = before.sources.filter { other.source($0.identity) == nil }
        outcomes = removed.map { Decision($0, .removed) } + outcomes
    }

    /// Replaces `snapshot` with `other`. Nothing is checked, because `other` was admitted before.
    package mutating func reinstate(_ other: TrustSnapshot) {
        snapshot = other
    }

    /// Removes `source` (Q184).
    package mutating func remove(_ source: TrustSource) {
        snapshot = snapshot.removing(source.identity)
        outcomes.append(Decision(source, .removed))
    }

    /// Checks `source` and records the decision.
    ///
    /// - Returns: The proof with which the source joins, or `nil` if it is refused or already present.
    private mutating func admit(_ source: TrustSource) -> AdmittedSource? {
        do throws(AdmissionRefusal) {
            let proof = try snapshot.admission(of: source, by: rules)
            let isChange = proof.admission != .unchanged
            outcomes.append(
                Decision(source, .admitted(proof), joined: isChange ? (snapshot, rules) : nil))
            return isChange ? proof : nil
        } catch {
            outcomes.append(Decision(source, .refused(error)))
            return nil
        }
    }

    /// Joins the admitted sources to the snapshot, and records the incomplete lists that were thereby removed
    /// from it.
    private mutating func joinAdmitted(_ admitted: inout [TrustSource.Identity: AdmittedSource]) {
        guard !admitted.isEmpty else { return }
        let sources = snapshot.sources.filter { admitted[$0.identity] == nil }
        snapshot = snapshot.joined(by: Array(admitted.values))
        // A complete list that joined has removed the incomplete lists that it replaces (Q240).
        for source in sources + admitted.values.map(\.source)
        where source.isIncomplete && snapshot.source(source.identity) == nil {
            outcomes.append(Decision(source, .removed))
        }
        admitted = [:]
    }
}

extension [TrustSource.Identity: AdmittedSource] {
    /// Whether one of the admitted sources may be an edition of the same list as `source`.
    fileprivate func hasList(like source: TrustSource) -> Bool {
        let own = source.identity
        return keys.contains { $0.isLike(own) }
    }
}
