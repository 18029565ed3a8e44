internal import Foundation
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

/// A URL that may be asked for a list of one kind.
///
/// Lists come over `https:`. A CRL alone may come over `http:` too: distribution points are commonly plain, since a server
/// for TLS certificates would need CRLs itself, and its issuer's signature is checked before a CRL counts. Whoever sits on
/// such a line can hold a CRL back or give an older one, which is found by its dates and number, and reads which issuer is
/// asked for. The other kinds have no such excuse, and a root has no signature but its own.
struct FetchLocation: Hashable, Sendable {
    /// The longest that is asked, in bytes.
    private static let maximumLength = 2048

    private let url: URL
    private let scheme: String
    private let host: String
    private let port: Int

    var text: String { url.absoluteString }

    init(_ text: String, for kind: TrustSource.Kind) throws(TrustFetchError) {
        guard let url = Self.url(text, from: nil) else { throw .locationRefused(.unreadable) }
        try self.init(url, for: kind)
    }

    private static func url(_ text: String, from base: URL?) -> URL? {
        guard text.utf8.count <= maximumLength, text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            return nil
        }
        // Without a base, the text is used as it is.
        return URL(string: text, relativeTo: base)?.absoluteURL
    }

    private init(_ url: URL, for kind: TrustSource.Kind) throws(TrustFetchError) {
        let scheme = url.scheme?.lowercased() ?? ""
        guard scheme == "https" || scheme == "http" && kind == .revocationList else {
            throw .locationRefused(.schemeRefused)
        }
        guard url.user == nil, url.password == nil else { throw .locationRefused(.credentials) }
        guard let host = url.host()?.lowercased(), !host.isEmpty else { throw .locationRefused(.unreadable) }
        self.url = url
        self.scheme = scheme
        self.host = host
        port = url.port ?? (scheme == "https" ? 443 : 80)
    }

    /// Where a redirect leads to; only to the same host and port, or from `http:` to `https:` of the same host.
    func redirected(to location: String, for kind: TrustSource.Kind) throws(TrustFetchError) -> FetchLocation
    {
        guard let target = Self.url(location, from: url) else { throw .redirectedElsewhere }
        if scheme == "https", target.scheme?.lowercased() == "http" { throw .redirectedToPlaintext }
        guard let next = try? FetchLocation(target, for: kind) else { throw .redirectedElsewhere }
        guard next.host == host, next.port == port || next.scheme != scheme else {
            throw .redirectedElsewhere
        }
        return next
    }
}
