internal import MdocModel
internal import OpenSSLCrypto
internal import PKIX

/// The roots and lists that are trusted at one time, as an immutable value made only from its sources.
///
/// **Responsibility.** A snapshot makes its anchors from the sources: from IACA roots that the operator
/// named, and from IACA roots that VICALs of pinned providers list (ISO/IEC 18013-5 Annex C). A source that
/// cannot be used adds no trust, and `findings` says why.
///
/// **Identity.** `id` is a digest of the sources in their order, so the same sources make the same snapshot
/// on every computer. Results, and the signed receipts of presentations, name the snapshot by this id.
///
/// **Callers.** Commands, the daemon and the fleet read a stored snapshot. They prepare a change of it with
/// `TrustChange`, and make a `TrustStore` from it for verification. `admission(of:by:)` decides whether a
/// source may join, and `lint(at:)` reports on sources.
///
/// **Limits.** A snapshot does not depend on the time. Expired sources stay in it, and `TrustStore` checks
/// validity for each document. The lists are opened and verified when they are first needed, and copies of a
/// source share the result (`SourceContent`). The initialiser does not check sources. They must have been
/// admitted before, except in a temporary snapshot that is made for a check.
package struct TrustSnapshot: Sendable {
    /// The SHA-256 over the kind, name and digest of every source.
    package struct ID: Hashable, Sendable, CustomStringConvertible {
        package let bytes: [UInt8]

        package init(bytes: [UInt8]) { self.bytes = bytes }

        /// The id in lower-case hexadecimal.
        package var description: String { bytes.hexadecimal }
    }

    package let id: ID
    /// The sources, ordered by kind and name. If several sources have the same identity, the last of them is
    /// kept.
    ///
    /// An incomplete list is left out once a newer complete list is present. If there are too many incomplete
    /// lists, the oldest are left out, provided that another list has their revocations (Q240).
    package let sources: [TrustSource]
    /// The anchors from sources of kind `anchor` and from VICALs, one for each certificate.
    package let anchors: [TrustedAnchor]
    /// The roots of VICAL providers.
    package let providers: [TrustAnchor]
    /// The reasons that a source, or a part of it, could not be used. Faults that depend on the time, and
    /// faults of CRLs and status lists, are reported only by `lint(at:)`.
    package let findings: [TrustFinding]

    /// Makes a snapshot of `sources`, which must have been admitted before.
    package init(_ sources: some Sequence<TrustSource>) {
        var byIdentity: [TrustSource.Identity: TrustSource] = [:]
        for source in sources { byIdentity[source.identity] = source }
        let kept = byIdentity.filter { identity, source in
            guard identity.incomplete != nil else { return true }
            let complete = byIdentity.filter { $0.key.incomplete == nil && $0.key.isLike(identity) }
            // An incomplete CRL without a key identifier may be from either of its root's two keys. It is
            // left out only if the complete CRLs of both keys replace it.
            return complete.isEmpty || !complete.values.allSatisfy { $0.replacesIncomplete(source) }
        }.values
        self.sources = Array(kept).withoutSurplus.sorted { $0.identity < $1.identity }
        id = ID(of: self.sources)
        var collection = AnchorCollection()
        for source in self.sources where source.kind == .provider { collection.addProvider(source) }
        for source in self.sources where source.kind == .anchor { collection.addAnchor(source) }
        // CRLs are needed here only to refuse a revoked signer of a VICAL.
        if !collection.providers.isEmpty {
            collection.revocationLists = RevocationLists(of: self.sources)
        }
        for source in self.sources where source.kind == .vical { collection.addList(source) }
        anchors = collection.anchors
        providers = collection.providers
        findings = collection.findings
    }

    /// Returns the source of this identity.
    package func source(_ identity: TrustSource.Identity) -> TrustSource? {
        sources.first { $0.identity == identity }
    }

    /// Returns the incomplete lists of this snapshot that may be editions of the same list as `source`.
    func incompleteLists(like source: TrustSource) -> [TrustSource] {
        let own = source.identity
        return sources.filter { $0.isIncomplete && $0.identity.isLike(own) }
    }

    /// Returns the complete lists of this snapshot that may be editions of the same list as `source`. There
    /// are several if `source` does not name its issuer's key.
    func completeLists(like source: TrustSource) -> [TrustSource] {
        let own = source.identity
        return sources.filter { $0.kind.isList && !$0.isIncomplete && $0.identity.isLike(own) }
    }

    /// Returns a snapshot in which each admitted source replaces the source with the same identity, or is
    /// added.
    func joined(by admitted: [AdmittedSource]) -> TrustSnapshot {
        substituting(admitted.map(\.source))
    }

    /// Returns a snapshot in which each of these sources replaces the source with the same identity, or is
    /// added. The sources are not checked. `joined(by:)` passes admitted sources. A check that needs a
    /// temporary snapshot passes other sources.
    func substituting(_ others: [TrustSource]) -> TrustSnapshot {
        let replaced = Set(others.map(\.identity))
        return TrustSnapshot(sources.filter { !replaced.contains($0.identity) } + others)
    }

    func removing(_ identity: TrustSource.Identity) -> TrustSnapshot {
        TrustSnapshot(sources.filter { $0.identity != identity })
    }
}

extension TrustSnapshot.ID {
    /// Computes the id of sources that are in the order of their identities.
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

/// The anchors and providers that are collected from the sources of one snapshot. The certificate of an
/// anchor is kept once, with the statements of all sources about it.
private struct AnchorCollection {
    private(set) var anchors: [TrustedAnchor] = []
    private(set) var providers: [TrustAnchor] = []
    private(set) var findings: [TrustFinding] = []
    var revocationLists = RevocationLists(of: [])
    private var indexBySHA256: [[UInt8]: Int] = [:]

    mutating func addProvider(_ source: TrustSource) {
        guard let anchor = anchor(source) else { return }
        providers.append(anchor)
    }

    /// Adds an anchor that the operator named, which is trusted for every document type.
    mutating func addAnchor(_ source: TrustSource) {
        guard let anchor = anchor(source) else { return }
        if let place = indexBySHA256[anchor.sha256], let other = anchors[place].sources.first {
            recordFinding(
                of: source, .anchorTwice(subject: anchor.certificate.subject.description, other: other))
        }
        add(anchor, .any, source)
    }

    /// Adds the roots of a VICAL, or records why the VICAL is refused.
    mutating func addList(_ source: TrustSource) {
        guard case .vical(let held) = source.content else { return }
        do throws(VICALError) {
            // Admission checks the time and every rule of the signer's profile, so neither is repeated here.
            // An expired list stays in use until a better list comes (Q176).
            let list = try held.list().verify(
                by: providers, at: nil, .lenient, revokedBy: revocationLists)
            for finding in list.findings { recordFinding(of: source, .vical(finding)) }
            if !list.signerFindings.isEmpty { recordFinding(of: source, .vicalSigner(list.signerFindings)) }
            for entry in list.entries {
                guard let anchor = anchor(entry.certificate, source) else { continue }
                let listing = TrustListing(
                    docTypes: entry.docTypes, issued: list.date, nextUpdate: list.nextUpdate)
                add(anchor, listing, source)
            }
        } catch {
            recordFinding(of: source, .vicalRefused(error))
        }
    }

    private mutating func recordFinding(of source: TrustSource, _ condition: TrustCondition) {
        findings.append(TrustFinding(source: source.identity, condition: condition))
    }

    /// Returns the anchor of a certificate source, or records why the certificate cannot be an anchor.
    private mutating func anchor(_ source: TrustSource) -> TrustAnchor? {
        guard case .certificate(let held) = source.content else { return nil }
        do throws(HeldCertificateError) {
            return try held.anchor(sha256: source.sha256)
        } catch {
            recordFinding(of: source, TrustCondition(error))
            return nil
        }
    }

    /// Returns the anchor of a VICAL's entry, or records why the certificate cannot be an anchor.
    private mutating func anchor(_ certificate: Certificate, _ source: TrustSource) -> TrustAnchor? {
        do throws(TrustAnchorError) {
            return try TrustAnchor(deferringKeyOf: certificate)
        } catch {
            recordFinding(of: source, TrustCondition(error))
            return nil
        }
    }

    /// Adds an anchor that a VICAL lists, or adds the listing to the anchor of the same certificate.
    private mutating func add(_ anchor: TrustAnchor, _ listing: TrustListing, _ source: TrustSource) {
        guard let place = indexBySHA256[anchor.sha256] else {
            indexBySHA256[anchor.sha256] = anchors.count
            return anchors.append(TrustedAnchor(anchor, listing, by: source.identity))
        }
        anchors[place].add(listing, by: source.identity)
    }

    /// Adds an anchor, or adds its document types to the anchor of the same certificate.
    private mutating func add(
        _ anchor: TrustAnchor, _ docTypes: TrustedAnchor.DocTypes, _ source: TrustSource
    ) {
        guard let place = indexBySHA256[anchor.sha256] else {
            indexBySHA256[anchor.sha256] = anchors.count
            return anchors.append(TrustedAnchor(anchor, for: docTypes, by: [source.identity]))
        }
        anchors[place].add(docTypes, by: source.identity)
    }
}

extension TrustSnapshot.ID {
    /// The first 12 hexadecimal digits of the id, by which people distinguish snapshots.
    package var shortText: String { String(description.prefix(12)) }
}
