internal import Foundation
internal import MdocTrust

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
