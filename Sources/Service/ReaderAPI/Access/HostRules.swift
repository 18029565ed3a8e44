internal import Hummingbird

/// Which hosts and pages a request over TCP may come from. A page elsewhere could send one through the browser of this
/// computer, under its own name (Origin) or under a name that it had pointed here (DNS rebinding).
package struct HostRules: Equatable, Sendable {
    /// `host:port`, as browsers write it.
    private let authorities: Set<String>

    /// - Parameter names: further names under which the daemon is reached, without port.
    package init(port: Int, names: [String] = []) {
        authorities = Set(
            (["127.0.0.1", "localhost", "[::1]"] + names.map { $0.lowercased() }).map { "\($0):\(port)" })
    }

    /// No browser speaks through a Unix socket: one that does came through somebody who should not have let it.
    static func checkNoBrowser(_ request: Request) throws(APIProblem) {
        guard request.headers[values: .origin].isEmpty, request.headers.first("sec-fetch-site") == nil else {
            throw .originRefused
        }
    }

    func check(_ request: Request) throws(APIProblem) {
        guard let host = request.head.authority?.lowercased(), authorities.contains(host) else {
            throw .hostRefused
        }
        for origin in request.headers[values: .origin] where origin.lowercased() != "http://\(host)" {
            throw .originRefused
        }
        // A browser says itself where a page is from; what is typed or linked may only lead to a page.
        let site = request.headers.first("sec-fetch-site")
        guard let site, site != "same-origin", site != "none" else { return }
        guard request.headers.first("sec-fetch-mode") == "navigate", request.method == .get else {
            throw .originRefused
        }
    }
}
