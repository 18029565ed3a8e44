package import Hummingbird

/// The reason why a request is not accepted as coming from this computer or from the server's own page.
package enum HostRefusal: Error, Equatable, Sendable {
    /// The request has several Host headers.
    case severalHosts
    /// The Host header does not name this computer.
    case otherHost
    /// A page of another origin sent the request.
    case otherOrigin
}

/// The rules for the Host and Origin headers of requests over TCP.
///
/// A foreign web page could send requests through the browser of this computer. Such a request has the origin
/// of that page, or a host name that the page's owner has pointed to this computer (DNS rebinding). The rules
/// refuse both.
package struct HostRules: Equatable, Sendable {
    /// The values of `Host` for this computer: its names and addresses with the listener's port, IPv6 in
    /// brackets.
    private let own: Set<String>
    /// The values of `Host` that a proxy may send: each name as configured, and with the daemon's port.
    private let named: Set<String>
    /// The origins of pages that are served through a proxy over HTTPS.
    private let proxied: Set<String>

    private let scheme: String
    /// The origin that a browser should use for the server's pages: with the first configured name of the
    /// daemon as its host, or with this computer's loopback address if no name is configured. `nil` without a
    /// TCP listener.
    package let origin: String?

    /// Creates the rules of a listener.
    ///
    /// - Parameters:
    ///   - port: the port of the listener; 0 if there is no TCP listener.
    ///   - address: the address of the listener.
    ///   - names: further names under which browsers reach the daemon, with a port if it is not the port of
    ///     HTTPS.
    ///   - isSecure: whether the listener itself has a certificate.
    package init(
        port: Int, address: String = "127.0.0.1", names: [String] = [], isSecure: Bool = false
    ) {
        scheme = isSecure ? "https" : "http"
        let first = names.first.map { name in
            // A name without a port means the port of HTTPS if a proxy has the certificate, and the
            // listener's port if the listener has it.
            Self.host(of: name) == name && isSecure && port != 443 ? "\(name):\(port)" : name
        }
        origin =
            if port == 0 { nil } else if let first { "https://\(first.lowercased())" } else {
                "\(scheme)://\(address == "::1" ? "[::1]" : "127.0.0.1"):\(port)"
            }
        let names = Set(names.map { $0.lowercased() })
        own = Set(["127.0.0.1", "localhost", "[::1]"].map { "\($0):\(port)" })
        named = names.union(names.map { "\(Self.host(of: $0)):\(port)" })
        proxied = Set(names.map { "https://\($0)" })
    }

    /// Refuses a browser's request on a Unix socket. Browsers cannot use Unix sockets. Such a request came
    /// through a program that forwards requests.
    package static func checkNoBrowser(_ request: Request) throws(HostRefusal) {
        guard request.headers[values: .origin].isEmpty, request.headers.first("sec-fetch-site") == nil else {
            throw .otherOrigin
        }
    }

    /// Checks the headers Host, Origin and Sec-Fetch-Site of a request over TCP.
    package func check(_ request: Request) throws(HostRefusal) {
        // NIO moves the first Host header to `authority`. A Host header that is still here is a second one.
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
        // Sec-Fetch-Site is set by the browser itself. With the value `none`, the user opened the address. A
        // foreign page may link to our pages, but may make no other request.
        let site = request.headers.first("sec-fetch-site")
        guard let site, site != "same-origin", site != "none" else { return }
        guard request.headers.first("sec-fetch-mode") == "navigate", request.method == .get else {
            throw .otherOrigin
        }
    }

    /// Whether `origin` is the origin of the daemon's own pages in a browser that reaches the daemon under
    /// the name `host`.
    private func isOwn(_ origin: String, at host: String) -> Bool {
        if origin == "\(scheme)://\(host)" { return true }
        // A proxy may omit the port in `Host`, or send the daemon's port.
        return named.contains(host) && proxied.contains(origin)
            && Self.host(of: String(origin.dropFirst("https://".count))) == Self.host(of: host)
    }

    /// The host of `host:port`, without the port.
    private static func host(of authority: String) -> String {
        // An IPv6 address without a port ends in `]`, and none of its colons begins a port.
        guard let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") else { return authority }
        return String(authority[..<colon])
    }
}
