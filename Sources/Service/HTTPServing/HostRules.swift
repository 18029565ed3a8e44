package import Hummingbird

/// A condition under which a request does not come from a program of this computer or a page of its server.
package enum HostRefusal: Error, Equatable, Sendable {
    /// The request has several Host headers.
    case severalHosts
    /// The Host header does not name this computer.
    case otherHost
    /// A page of another origin sent the request.
    case otherOrigin
}

/// Which hosts and pages a request over TCP may come from. A page elsewhere could send one through the browser of this
/// computer, under its own name (Origin) or under a name that it had pointed here (DNS rebinding).
package struct HostRules: Equatable, Sendable {
    /// `host:port` of this computer, as browsers write it.
    private let own: Set<String>
    /// What a proxy in front may send as `Host`: each further name as the file has it, and with the port of the daemon.
    private let named: Set<String>
    /// The origins of the pages behind such a proxy, which has a certificate.
    private let proxied: Set<String>

    private let scheme: String

    /// - Parameters:
    ///   - names: further names under which browsers reach the daemon, with a port where theirs is not that of HTTPS.
    ///   - isSecure: whether the listener has a certificate itself.
    package init(port: Int, names: [String] = [], isSecure: Bool = false) {
        scheme = isSecure ? "https" : "http"
        let names = Set(names.map { $0.lowercased() })
        own = Set(["127.0.0.1", "localhost", "[::1]"].map { "\($0):\(port)" })
        named = names.union(names.map { "\(Self.host(of: $0)):\(port)" })
        proxied = Set(names.map { "https://\($0)" })
    }

    /// No browser speaks through a Unix socket: one that does came through somebody who should not have let it.
    package static func checkNoBrowser(_ request: Request) throws(HostRefusal) {
        guard request.headers[values: .origin].isEmpty, request.headers.first("sec-fetch-site") == nil else {
            throw .otherOrigin
        }
    }

    package func check(_ request: Request) throws(HostRefusal) {
        guard !request.headers.contains(where: { $0.name.canonicalName == "host" }) else {
            throw .severalHosts
        }
        guard let host = request.head.authority?.lowercased(), own.contains(host) || named.contains(host)
        else {
            throw .otherHost
        }
        for origin in request.headers[values: .origin] where !isOwn(origin.lowercased(), at: host) {
            throw .otherOrigin
        }
        // A browser says itself where a page is from; what is typed or linked may only lead to a page.
        let site = request.headers.first("sec-fetch-site")
        guard let site, site != "same-origin", site != "none" else { return }
        guard request.headers.first("sec-fetch-mode") == "navigate", request.method == .get else {
            throw .otherOrigin
        }
    }

    /// Whether a page of this origin is the daemon's own, where it is reached as `host`.
    private func isOwn(_ origin: String, at host: String) -> Bool {
        if origin == "\(scheme)://\(host)" { return true }
        // The proxy may leave the port out of Host, or put the daemon's there.
        return named.contains(host) && proxied.contains(origin)
            && Self.host(of: String(origin.dropFirst("https://".count))) == Self.host(of: host)
    }

    /// Without the port.
    private static func host(of authority: String) -> String {
        guard let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") else { return authority }
        return String(authority[..<colon])
    }
}
