package import MdocTrust
internal import PKIX

/// What there is to be asked for: the lists that a snapshot has, and those that its certificates name.
package struct FetchPlan: Sendable {
    /// A location that was named and is not asked.
    package struct Refusal: Hashable, Sendable {
        package let identity: TrustSource.Identity
        package let fault: LocationFault
    }

    /// Each list once, in the order of kind and name.
    package let targets: [FetchTarget]
    /// In the same order.
    package let refused: [Refusal]

    /// - Parameter snapshot: its VICALs, roots, CRLs and status lists are renewed where they are known by URL, and the CRLs
    ///   that its anchors name are added. The roots of VICAL providers are pinned by hand and never asked for.
    package init(renewing snapshot: TrustSnapshot) {
        var locations: [TrustSource.Identity: String] = [:]
        for source in snapshot.sources where source.kind != .provider {
            // Lists of several issuers may have one URI, which is asked once.
            guard let url = source.url else { continue }
            locations[TrustSource.Identity(kind: source.kind, name: source.name)] = url
        }
        for name in snapshot.anchors.flatMap(\.anchor.certificate.crlDistributionPointURIs) {
            locations[TrustSource.Identity(kind: .revocationList, name: name)] = name
        }
        var targets: [FetchTarget] = []
        var refused: [Refusal] = []
        for (identity, url) in locations.sorted(by: { $0.key < $1.key }) {
            do throws(TrustFetchError) {
                targets.append(try FetchTarget(identity.kind, name: identity.name, url: url))
            } catch {
                guard case .locationRefused(let fault) = error else { continue }
                refused.append(Refusal(identity: identity, fault: fault))
            }
        }
        self.targets = targets
        self.refused = refused
    }
}

extension TrustSource {
    /// Where the source can be fetched again: its name, or where it came from; nil if it is a file.
    fileprivate var url: String? {
        if name.contains("://") { return name }
        guard case .fetched(let url) = provenance else { return nil }
        return url
    }
}

/// A list to be asked for.
package struct FetchTarget: Hashable, Sendable {
    /// What the list is known by when it has come.
    package let identity: TrustSource.Identity
    let location: FetchLocation

    package var url: String { location.text }

    /// - Parameters:
    ///   - name: what the list is known by; for a status or identifier list the URI that documents know it by.
    ///   - url: where it is, if that is not its name.
    /// - Throws: `locationRefused` where nobody is to be asked.
    package init(
        _ kind: TrustSource.Kind, name: String, url: String? = nil
    ) throws(TrustFetchError) {
        guard kind != .provider else { throw .locationRefused(.pinned) }
        location = try FetchLocation(url ?? name, for: kind)
        identity = TrustSource.Identity(kind: kind, name: name)
    }
}

/// What became of one target.
package struct FetchResult: Sendable {
    package let target: FetchTarget
    /// The list as the server sent it; nothing about it has been judged.
    package let outcome: Result<TrustSource, TrustFetchError>
}
