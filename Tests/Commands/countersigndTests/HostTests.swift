import OtherPrograms
import Testing

@Suite("Hosts and origins, as clients and proxies write them")
struct HostTests {
    private static func names(_ names: String) async throws -> ReaderDaemon {
        try await ReaderDaemon(lanes: [nil], http: #""names": [\#(names)]"#)
    }

    @Test("A request with several Host headers is refused, even if one of them is right")
    func twice() async throws {
        let reader = try await ReaderDaemon(lanes: [nil])
        let right = "127.0.0.1:\(reader.port)"
        for hosts in [[right, "evil.example"], ["evil.example", right], [right, right]] {
            let fields = hosts.map { "Host: \($0)\r\n" }.joined()
            for target in ["/healthz", "http://\(right)/healthz"] {
                let reply = try PlainHTTP.Reply(
                    await reader.asNobody.send("GET \(target) HTTP/1.1\r\n\(fields)Connection: close\r\n\r\n")
                )
                #expect(reply.status == 400 && reply.problem == "hostRefused", "\(hosts) \(target)")
            }
        }
    }

    @Test("If the request target has an absolute form, its host counts and the Host header does not")
    func absolute() async throws {
        let reader = try await ReaderDaemon(lanes: [nil])
        let right = "127.0.0.1:\(reader.port)"
        for (target, host, status) in [
            ("http://evil.example/healthz", right, 421),
            ("http://evil.example:\(reader.port)/healthz", right, 421),
            ("http://\(right)/healthz", "evil.example", 200), ("http://\(right)/healthz", right, 200),
            ("http://\(right)@evil.example/healthz", right, 421), ("/healthz", "evil.example", 421),
        ] {
            let reply = try PlainHTTP.Reply(
                await reader.asNobody.send(
                    "GET \(target) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n"))
            #expect(reply.status == status, "\(target) \(host): \(reply.text)")
        }
    }

    @Test(
        "Behind a TLS proxy, a host name is accepted with and without a port, and with the origin of its page"
    )
    func proxy() async throws {
        let reader = try await Self.names(#""Shop.example", "till.example:8443""#)
        for (host, origin, problem) in [
            ("shop.example", "https://shop.example", nil), ("shop.example", nil, nil),
            ("SHOP.example:\(reader.port)", "https://shop.example", nil),
            ("till.example:8443", "https://till.example:8443", nil),
            ("till.example:\(reader.port)", "https://till.example:8443", nil),
            ("shop.example", "http://shop.example", nil),
            ("shop.example", "https://shop.example:8443", "originRefused"),
            ("shop.example", "https://till.example:8443", "originRefused"),
            ("shop.example", "https://evil.example", "originRefused"),
            ("shop.example", "https://shop.example.evil.example", "originRefused"),
            ("till.example:8443", "https://till.example", "originRefused"),
            ("till.example", "https://till.example:8443", "hostRefused"),
            ("shop.example:1", "https://shop.example", "hostRefused"),
            ("127.0.0.1:\(reader.port)", "https://shop.example", "originRefused"),
            ("127.0.0.1:\(reader.port)", "https://127.0.0.1:\(reader.port)", "originRefused"),
        ] as [(String, String?, String?)] {
            var headers = ["Host": host, "Sec-Fetch-Site": "same-origin"]
            headers["Origin"] = origin
            let reply = try await reader.asApp.call("GET", "/v1/lanes", headers: headers)
            #expect(reply.problem == problem, "\(host) \(origin ?? "")")
        }
    }
}
