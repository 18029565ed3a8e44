internal import Foundation
package import MdocTrust
internal import PKIX

/// The lists to fetch for a trust snapshot: the lists in the snapshot, and the CRLs at the distribution
/// points in its anchors' certificates.
package struct FetchPlan: Sendable {
    /// A location in the snapshot that must not be requested.
    package struct Refusal: Hashable, Sendable {
        package let identity: TrustSource.Identity
        package let fault: LocationFault
    }

    /// The lists to request, each once, in the order of kind and name.
    package let targets: [FetchTarget]
    /// The refused locations, in the order of kind and name.
    package let refused: [Refusal]

    /// Plans the renewal of a snapshot.
    ///
    /// VICALs, issuers' roots, CRLs, status lists and identifier lists are renewed if their URL is known. The
    /// CRLs at the distribution points in the anchors' certificates are added. The roots of VICAL providers
    /// are pinned by hand and never fetched.
    package init(renewing snapshot: TrustSnapshot) {
        var locations: [TrustSource.Identity: String] = [:]
        for source in snapshot.sources where source.kind != .provider {
            guard let url = source.url else { continue }
            // The lists of several issuers may have the same URI, and therefore the same identity. They share
            // one entry, so that the URI is requested once.
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
                // `FetchTarget` throws only `locationRefused`.
                guard case .locationRefused(let fault) = error else { continue }
                refused.append(Refusal(identity: identity, fault: fault))
            }
        }
        self.targets = targets
        self.refused = refused
    }
}

extension TrustSource {
    /// The URL from which the source can be fetched again: the source's name if the name is a URL, otherwise
    /// the URL from which the source was fetched before. `nil` for a source that was read from a file.
    fileprivate var url: String? {
        if name.contains("://") { return name }
        guard case .fetched(let url) = provenance else { return nil }
        return url
    }
}

/// A list to request.
package struct FetchTarget: Hashable, Sendable {
    /// The identity that the list has in a snapshot.
    package let identity: TrustSource.Identity
    let location: FetchLocation

    package var url: String { location.text }

    /// Creates a target.
    ///
    /// - Parameters:
    ///   - name: the name of the list in a snapshot. For a status list or an identifier list, the URI by
    ///     which documents refer to it.
    ///   - url: the location of the list; `nil` if the name is the location.
    /// - Throws: `locationRefused` if the location must not be requested.
    package init(
        _ kind: TrustSource.Kind, name: String, url: String? = nil
    ) throws(TrustFetchError) {
        guard kind != .provider else { throw .locationRefused(.pinned) }
        location = try FetchLocation(url ?? name, for: kind)
        identity = TrustSource.Identity(kind: kind, name: name)
    }
}

/// The result of fetching one target.
package struct FetchResult: Sendable {
    package let target: FetchTarget
    /// The list as the server sent it, before any check, or the error.
    package let outcome: Result<TrustSource, TrustFetchError>
}

/// A URL from which a list of one kind may be fetched.
///
/// Lists are fetched over `https:`. Only a CRL may also be fetched over `http:`: the distribution points of
/// CRLs commonly use `http:`, because the certificate of a TLS server would need a CRL too. The issuer's
/// signature is checked before a CRL is used.
///
/// An attacker on a connection without TLS can read which issuer's CRL is requested, and can withhold a CRL
/// or send an older one. The dates and the number of an older CRL show its age. The other kinds of lists do
/// not need `http:`. For a root it would be unsafe, because no other certificate signs a root.
struct FetchLocation: Hashable, Sendable {
    /// The maximum length of a URL in bytes.
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

    /// Reads a URL, which may be relative to `base`; `nil` if the text is too long or contains characters
    /// that are not allowed in a URL.
    private static func url(_ text: String, from base: URL?) -> URL? {
        guard text.utf8.count <= maximumLength, text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            return nil
        }
        // Without a base URL, the text is used as it is.
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
        // A redirect may name the default port or leave it out, so a missing port is replaced by the default.
        port = url.port ?? (scheme == "https" ? 443 : 80)
    }

    /// Returns the location to which a redirect leads. A redirect has to stay at the same host and port. From
    /// `http:` it may also lead to `https:` at the same host.
    func redirected(to location: String, for kind: TrustSource.Kind) throws(TrustFetchError) -> FetchLocation
    {
        guard let target = Self.url(location, from: url) else { throw .redirectedElsewhere }
        if scheme == "https", target.scheme?.lowercased() == "http" { throw .redirectedToPlaintext }
        guard let next = try? FetchLocation(target, for: kind) else { throw .redirectedElsewhere }
        // From `http:` to `https:` the port changes too.
        guard next.host == host, next.port == port || next.scheme != scheme else {
            throw .redirectedElsewhere
        }
        return next
    }
}
