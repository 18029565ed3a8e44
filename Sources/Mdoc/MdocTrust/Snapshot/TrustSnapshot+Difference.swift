internal import PKIX
internal import OpenSSLCrypto

/// The difference between two snapshots.
package struct TrustDifference: Sendable {
    /// An anchor, by its subject for people and its SHA-256 for programs.
    package struct Anchor: Hashable, Sendable {
        package let subject: String
        package let sha256: [UInt8]
    }

    package let added: [TrustSource]
    package let removed: [TrustSource]
    /// The sources that both snapshots have with the same identity but with different bytes.
    package let changed: [(from: TrustSource, to: TrustSource)]
    package let anchorsAdded: [Anchor]
    package let anchorsRemoved: [Anchor]
    /// The anchors that are trusted for other document types than before.
    package let anchorsChanged: [Anchor]

    package var isEmpty: Bool {
        added.isEmpty && removed.isEmpty && changed.isEmpty && anchorsAdded.isEmpty && anchorsRemoved.isEmpty
            && anchorsChanged.isEmpty
    }
}

extension TrustSnapshot {
    /// Compares this snapshot with an earlier snapshot.
    package func difference(from earlier: TrustSnapshot) -> TrustDifference {
        let old = Dictionary(uniqueKeysWithValues: earlier.sources.map { ($0.identity, $0) })
        let new = Dictionary(uniqueKeysWithValues: sources.map { ($0.identity, $0) })
        let oldAnchors = earlier.anchorsByName
        let newAnchors = anchorsByName
        return TrustDifference(
            added: sources.filter { old[$0.identity] == nil },
            removed: earlier.sources.filter { new[$0.identity] == nil },
            changed: sources.compactMap { source in
                guard let before = old[source.identity], before.sha256 != source.sha256 else { return nil }
                return (from: before, to: source)
            },
            anchorsAdded: orderedAnchors.filter { oldAnchors[$0] == nil },
            anchorsRemoved: earlier.orderedAnchors.filter { newAnchors[$0] == nil },
            anchorsChanged: orderedAnchors.filter { name in
                oldAnchors[name].map { $0 != newAnchors[name] } ?? false
            })
    }

    private var orderedAnchors: [TrustDifference.Anchor] { anchors.map(\.name) }

    private var anchorsByName: [TrustDifference.Anchor: TrustedAnchor.DocTypes] {
        Dictionary(anchors.map { ($0.name, $0.docTypes) }, uniquingKeysWith: { first, _ in first })
    }
}

extension TrustedAnchor {
    fileprivate var name: TrustDifference.Anchor {
        TrustDifference.Anchor(subject: anchor.certificate.subject.description, sha256: anchor.sha256)
    }
}
