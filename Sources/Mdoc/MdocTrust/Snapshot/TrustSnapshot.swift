internal import MdocModel
internal import OpenSSLCrypto
internal import PKIX

/// All that is believed at one time: one immutable value, made from its sources alone. What cannot be used of them counts for
/// nothing and is a finding.
package struct TrustSnapshot: Sendable {
    /// The SHA-256 over kind, name and digest of every source: the same sources make the same snapshot.
    package struct ID: Hashable, Sendable, CustomStringConvertible {
        package let bytes: [UInt8]

        package init(bytes: [UInt8]) { self.bytes = bytes }

        /// In lower-case hexadecimal.
        package var description: String { bytes.hexadecimal }
    }

    package let id: ID
    /// In the order of kind and name; of one identity the last that was given. A list with gaps is dropped once a newer complete
    /// one is there, or if there are too many and another has all that it revokes (Q240).
    package let sources: [TrustSource]
    package let anchors: [TrustedAnchor]
    /// The roots of VICAL providers.
    package let providers: [TrustAnchor]
    /// What of the sources could not be used, as far as that shows without the time and without verifying lists.
    package let findings: [TrustFinding]

    package init(_ sources: some Sequence<TrustSource>) {
        var byIdentity: [TrustSource.Identity: TrustSource] = [:]
        for source in sources { byIdentity[source.identity] = source }
        let kept = byIdentity.filter { identity, source in
            guard identity.incomplete != nil else { return true }
            let complete = byIdentity.filter { $0.key.incomplete == nil && $0.key.isLike(identity) }
            // Of two keys' lists nobody knows whose next issue it was: both have to be later.
            return complete.isEmpty || !complete.values.allSatisfy { $0.replacesIncomplete(source) }
        }.values
        self.sources = Array(kept).withoutSurplus.sorted { $0.identity < $1.identity }
        id = ID(of: self.sources)
        var collection = AnchorCollection()
        for source in self.sources where source.kind == .provider { collection.addProvider(source) }
        for source in self.sources where source.kind == .anchor { collection.addAnchor(source) }
        if !collection.providers.isEmpty {
            collection.revocationLists = RevocationLists(of: self.sources)
        }
        for source in self.sources where source.kind == .vical { collection.addList(source) }
        anchors = collection.anchors
        providers = collection.providers
        findings = collection.findings
    }

    /// The source that is known by this kind and name.
    package func source(_ identity: TrustSource.Identity) -> TrustSource? {
        sources.first { $0.identity == identity }
    }

    /// The incomplete lists that may be issues of the list that `source` is.
    func incompleteLists(like source: TrustSource) -> [TrustSource] {
        let own = source.identity
        return sources.filter { $0.isIncomplete && $0.identity.isLike(own) }
    }

    /// The complete lists that may be issues of the list that `source` is: several if it does not say which key is its issuer's.
    func completeLists(like source: TrustSource) -> [TrustSource] {
        let own = source.identity
        return sources.filter { $0.kind.isList && !$0.isIncomplete && $0.identity.isLike(own) }
    }

    /// The snapshot with each admitted source in place of the one of its identity, or as a further one.
    func joined(by admitted: [AdmittedSource]) -> TrustSnapshot {
        substituting(admitted.map(\.source))
    }

    /// A snapshot to try sources in that are not admitted, each in place of the source of its identity.
    func substituting(_ others: [TrustSource]) -> TrustSnapshot {
        let replaced = Set(others.map(\.identity))
        return TrustSnapshot(sources.filter { !replaced.contains($0.identity) } + others)
    }

    func removing(_ identity: TrustSource.Identity) -> TrustSnapshot {
        TrustSnapshot(sources.filter { $0.identity != identity })
    }
}

extension TrustSnapshot.ID {
    /// Of sources in their order.
    init(of sources: [TrustSource]) {
        var parts: [ArraySlice<UInt8>] = []
        for source in sources {
            // The length precedes the name, so that no two sets of sources have the same hash.
            let head = "\(source.kind.rawValue) \(source.name.utf8.count) \(source.name) "
            parts.append(Array(head.utf8)[...])
            parts.append(source.sha256[...])
        }
        self.init(bytes: Digest(.sha256, ofParts: parts).bytes)
    }
}

private struct AnchorCollection {
    private(set) var anchors: [TrustedAnchor] = []
    private(set) var providers: [TrustAnchor] = []
    private(set) var findings: [TrustFinding] = []
    var revocationLists = RevocationLists(of: [])
    private var places: [[UInt8]: Int] = [:]

    mutating func addProvider(_ source: TrustSource) {
        guard let anchor = anchor(source) else { return }
        providers.append(anchor)
    }

    mutating func addAnchor(_ source: TrustSource) {
        guard let anchor = anchor(source) else { return }
        if let place = places[anchor.sha256], let other = anchors[place].sources.first {
            note(source, .anchorTwice(subject: anchor.certificate.subject.description, other: other))
        }
        add(anchor, .any, source)
    }

    mutating func addList(_ source: TrustSource) {
        guard case .vical(let held) = source.content else { return }
        do throws(VICALError) {
            // Its time was looked at when it was let in; an old list is kept until there is a better one (Q176).
            let list = try held.list().verify(
                by: providers, at: nil, .lenient, revokedBy: revocationLists)
            for finding in list.findings { note(source, .vical(finding)) }
            if !list.signerFindings.isEmpty { note(source, .vicalSigner(list.signerFindings)) }
            for entry in list.entries {
                guard let anchor = anchor(entry.certificate, source) else { continue }
                let listing = TrustListing(
                    docTypes: entry.docTypes, issued: list.date, nextUpdate: list.nextUpdate)
                add(anchor, listing, source)
            }
        } catch {
            note(source, .vicalRefused(error))
        }
    }

    private mutating func note(_ source: TrustSource, _ condition: TrustCondition) {
        findings.append(TrustFinding(source: source.identity, condition: condition))
    }

    private mutating func anchor(_ source: TrustSource) -> TrustAnchor? {
        guard case .certificate(let held) = source.content else { return nil }
        do throws(HeldCertificateError) {
            return try held.anchor(sha256: source.sha256)
        } catch {
            note(source, TrustCondition(error))
            return nil
        }
    }

    private mutating func anchor(_ certificate: Certificate, _ source: TrustSource) -> TrustAnchor? {
        do throws(TrustAnchorError) {
            return try TrustAnchor(deferringKeyOf: certificate)
        } catch {
            note(source, TrustCondition(error))
            return nil
        }
    }

    private mutating func add(_ anchor: TrustAnchor, _ listing: TrustListing, _ source: TrustSource) {
        guard let place = places[anchor.sha256] else {
            places[anchor.sha256] = anchors.count
            return anchors.append(TrustedAnchor(anchor, listing, by: source.identity))
        }
        anchors[place].add(listing, by: source.identity)
    }

    private mutating func add(
        _ anchor: TrustAnchor, _ docTypes: TrustedAnchor.DocTypes, _ source: TrustSource
    ) {
        guard let place = places[anchor.sha256] else {
            places[anchor.sha256] = anchors.count
            return anchors.append(TrustedAnchor(anchor, for: docTypes, by: [source.identity]))
        }
        anchors[place].add(docTypes, by: source.identity)
    }
}

extension TrustSnapshot.ID {
    /// Enough of it to distinguish it from others.
    package var shortText: String { String(description.prefix(12)) }
}
