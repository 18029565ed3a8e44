/// A change of trust in preparation: the one engine of what may replace what.
///
/// `countersign trust` and a kiosk of a fleet prepare every change with it. Only `countersign trust rollback` does without: it makes a
/// stored snapshot current again.
///
/// - `admit` checks each source against the snapshot that it is to join. The source joins as an `AdmittedSource`, the proof of that
///   check. A refused source changes nothing, and the other sources still join.
/// - `replaceAll` checks every source of another snapshot, and takes that snapshot as a whole only if none was refused.
/// - `reinstate` checks nothing: its snapshot was let in before.
/// - `remove` takes one source away.
///
/// Nothing of the change is current: whoever began it stores `snapshot`, or drops it.
package struct TrustChange: Sendable {
    package let before: TrustSnapshot
    /// The snapshot with the sources that were let in up to now.
    package private(set) var snapshot: TrustSnapshot
    /// In the order in which the sources were looked at.
    package private(set) var outcomes: [Decision] = []
    private let rules: TrustRules

    /// The decision on one source.
    package struct Decision: Sendable {
        package enum Result: Sendable {
            case admitted(AdmittedSource)
            /// The source that is there stays.
            case refused(AdmissionRefusal)
            case removed
        }

        package let source: TrustSource
        package let result: Result
        /// The snapshot that the source joined, and the rules; nil if there is nothing to remark.
        private let joined: (snapshot: TrustSnapshot, rules: TrustRules)?

        fileprivate init(
            _ source: TrustSource, _ result: Result,
            joined: (snapshot: TrustSnapshot, rules: TrustRules)? = nil
        ) {
            self.source = source
            self.result = result
            self.joined = joined
        }

        /// The remarks for whoever lets the source in, such as entries that were left out. Lists are opened for them, and so they are
        /// worked out only when somebody asks.
        package var remarks: [TrustCondition] {
            joined.map { $0.snapshot.remarks(on: source, by: $0.rules) } ?? []
        }
    }

    /// - Parameter before: The snapshot that is current, or nil if nothing is trusted yet.
    package init(from before: TrustSnapshot?, by rules: TrustRules) {
        self.before = before ?? TrustSnapshot([])
        snapshot = self.before
        self.rules = rules
    }

    /// Whether anything was refused.
    package var isRefused: Bool { firstRefused != nil }

    /// The first source that was refused.
    package var firstRefused: TrustSource? {
        outcomes.first { if case .refused = $0.result { true } else { false } }?.source
    }

    /// The lists that were there and of whose name and issuer none is left, neither complete nor incomplete: what they revoke is
    /// forgotten.
    package var forgottenLists: [TrustSource.Identity] {
        let kept = snapshot.sources.map(\.identity).filter(\.kind.isList)
        return before.sources.map(\.identity).filter { lost in
            lost.kind.isList && !kept.contains { $0.isLike(lost) }
        }
    }

    /// Lets in what can be let in: roots before the lists that they or their providers sign.
    package mutating func admit(_ sources: [TrustSource]) {
        for kind in TrustSource.Kind.allCases {
            // The snapshot is rebuilt once for each kind, not for each source.
            var admitted: [TrustSource.Identity: AdmittedSource] = [:]
            // A link certificate is let in after the root that signed it.
            let ofKind = sources.filter { $0.kind == kind }
            let links = kind == .anchor ? ofKind.filter(\.isLinkCertificate) : []
            let others = links.isEmpty ? ofKind : ofKind.filter { !$0.isLinkCertificate }
            for (place, source) in (others + links).enumerated() {
                if place >= others.count { put(&admitted) }
                if admitted[source.identity] != nil || kind.isList && admitted.has(likeOf: source) {
                    put(&admitted)
                }
                if let proof = admit(source) { admitted[source.identity] = proof }
            }
            put(&admitted)
        }
    }

    /// Replaces all sources by those of `other`, which somebody who is trusted for that has signed. If one source may not follow the
    /// one that is there, nothing is replaced. An expired list may follow: the one that is there is not better.
    package mutating func replaceAll(by other: TrustSnapshot) {
        // With the issuers and providers of before and after, so that an issue before can be compared with the one after.
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

    /// Brings back a snapshot that was let in before and is still wanted, whatever has come since.
    package mutating func reinstate(_ other: TrustSnapshot) {
        snapshot = other
    }

    /// Takes a source away (Q184).
    package mutating func remove(_ source: TrustSource) {
        snapshot = snapshot.removing(source.identity)
        outcomes.append(Decision(source, .removed))
    }

    /// The proof that the source takes its place; nil if it is refused, or is there already.
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

    private mutating func put(_ admitted: inout [TrustSource.Identity: AdmittedSource]) {
        guard !admitted.isEmpty else { return }
        let sources = snapshot.sources.filter { admitted[$0.identity] == nil }
        snapshot = snapshot.joined(by: Array(admitted.values))
        for source in sources + admitted.values.map(\.source)
        where source.isIncomplete && snapshot.source(source.identity) == nil {
            outcomes.append(Decision(source, .removed))
        }
        admitted = [:]
    }
}

extension [TrustSource.Identity: AdmittedSource] {
    /// Whether there is a list of the name and issuer of `source`.
    fileprivate func has(likeOf source: TrustSource) -> Bool {
        let own = source.identity
        return keys.contains { $0.isLike(own) }
    }
}
