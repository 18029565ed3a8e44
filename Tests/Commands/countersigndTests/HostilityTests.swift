import Deadlines
import Foundation
import OtherPrograms
import Testing

@Suite("What countersignd refuses, by name")
struct HostilityTests {
    private static let order = #"{"kind": "display", "intent": "age over 21"}"#

    @Test("A caller without a valid token can do nothing")
    func unauthorized() async throws {
        let reader = try await ReaderDaemon(lanes: [nil])
        for (method, path) in [
            ("POST", "/v1/presentations"), ("GET", "/v1/lanes"), ("GET", "/metrics"), ("GET", "/v1/trust"),
            ("GET", "/v1/lanes/lane-1/events"), ("DELETE", "/v1/presentations/x"),
        ] {
            let nobody = try await reader.asNobody.call(method, path, method == "POST" ? Self.order : nil)
            #expect(nobody.status == 401 && nobody.problem == "unauthorized", "\(path)")
            #expect(nobody.headers["www-authenticate"] == "Bearer")
            let stranger = PlainHTTP(.tcp(port: reader.port), token: "guessed")
            #expect(try await stranger.call(method, path).problem == "unauthorized", "\(path)")
        }
        let twice = try await reader.asNobody.send(
            "GET /v1/lanes HTTP/1.1\r\nHost: 127.0.0.1:\(reader.port)\r\nConnection: close\r\n"
                + "Authorization: Bearer \(ReaderDaemon.app)\r\nAuthorization: Bearer x\r\n\r\n")
        #expect(try PlainHTTP.Reply(twice).problem == "unauthorized")
    }

    @Test("A token can do only what its scope allows")
    func scopes() async throws {
        let reader = try await ReaderDaemon(lanes: [nil])
        let order = Self.order
        #expect(try await reader.asClerk.call("POST", "/v1/presentations", order).problem == "forbidden")
        #expect(try await reader.asAdmin.call("POST", "/v1/presentations", order).problem == "forbidden")
        #expect(try await reader.asApp.call("GET", "/metrics").problem == "forbidden")
        #expect(try await reader.asClerk.call("GET", "/metrics").problem == "forbidden")
        #expect(try await reader.asAdmin.call("GET", "/metrics").status == 200)
        #expect(try await reader.atSocket.call("GET", "/v1/lanes").status == 200)
        #expect(try await reader.atSocket.call("GET", "/metrics").problem == "forbidden")
    }

    @Test("The socket refuses a user who is not in the list")
    func user() async throws {
        let folder = FileManager.default.temporaryDirectory.path
        let socket = "\(folder)/cs-\(UUID().uuidString.prefix(8)).sock"
        let reader = try await ReaderDaemon(
            lanes: [nil],
            members: ["socket": #"{"path": "\#(socket)", "users": [{"uid": 4242, "scopes": ["app"]}]}"#])
        let stranger = PlainHTTP(.unix(path: socket))
        #expect(try await stranger.call("GET", "/v1/lanes").problem == "unauthorized")
        #expect(try await stranger.call("GET", "/healthz").status == 200)
        _ = reader
    }

    @Test("A page from elsewhere does not drive the reader, whatever it calls itself")
    func pages() async throws {
        let reader = try await ReaderDaemon(lanes: [nil])
        let (app, port) = (reader.asApp, reader.port)
        for origin in [
            "https://evil.example", "null", "http://localhost:1", "http://127.0.0.1", "http://[::1]:\(port)",
        ] {
            let refused = try await app.call(
                "POST", "/v1/presentations", Self.order, headers: ["Origin": origin])
            #expect(refused.problem == "originRefused", "\(origin)")
            #expect(refused.headers["access-control-allow-origin"] == nil)
        }
        for host in [
            "evil.example", "evil.example:\(port)", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.evil:\(port)",
        ] {
            let refused = try await app.call("GET", "/healthz", headers: ["Host": host])
            #expect(refused.status == 421 && refused.problem == "hostRefused", "\(host)")
        }
        for site in ["cross-site", "same-site"] {
            let refused = try await app.call("GET", "/v1/lanes", headers: ["Sec-Fetch-Site": site])
            #expect(refused.problem == "originRefused")
        }
        let proxied = try await reader.atSocket.call(
            "GET", "/v1/lanes", headers: ["Origin": "http://127.0.0.1:\(port)"])
        #expect(proxied.problem == "originRefused")
        let preflight = try await app.call(
            "OPTIONS", "/v1/presentations", headers: ["Origin": "http://127.0.0.1:\(port)"])
        #expect(preflight.problem == "methodNotAllowed" && preflight.headers["allow"] == "POST, GET")
        let own = try await app.call(
            "GET", "/v1/lanes",
            headers: ["Origin": "http://127.0.0.1:\(port)", "Sec-Fetch-Site": "same-origin"])
        #expect(own.status == 200)
        #expect(try await app.call("GET", "/v1/lanes", headers: ["Host": "localhost:\(port)"]).status == 200)
    }

    @Test(
        "A body that is not what it should be is refused by the name of what is wrong",
        arguments: [
            ("", "bodyMissing"), ("{", "bodyRefused"), ("[]", "bodyRefused"), ("null", "bodyRefused"),
            (#"{"kind": "display"}"#, "bodyRefused"),
            (#"{"kind": "show", "intent": "age over 21"}"#, "bodyRefused"),
            (#"{"kind": "display", "intent": "age over 21", "lane": 1}"#, "bodyRefused"),
            (#"{"kind": "display", "intent": "age over 21", "lanes": "x"}"#, "bodyRefused"),
            (#"{"kind": "display", "kind": "data", "intent": "age over 21"}"#, "bodyRefused"),
            (#"{"kind": "display", "intent": "age over 21"} x"#, "bodyRefused"),
            (#"{"kind": "display", "intent": ""}"#, "bodyRefused"),
            (#"{"kind": "display", "intent": "age over 21", "reference": "\ud800"}"#, "bodyRefused"),
            (#"{"kind": "display", "intent": "give me everything"}"#, "intentRefused"),
            (#"{"kind": "display", "intent": "age over 21, birth date"}"#, "intentRefused"),
            (#"{"kind": "display", "intent": "age over 21", "retention": "forever"}"#, "bodyRefused"),
            (#"{"kind": "display", "intent": "age over 21", "retention": "days(3)"}"#, "retentionRefused"),
            (
                #"{"kind": "display", "intent": "age over 21", "webhook": "https://x.example/"}"#,
                "webhookRefused"
            ),
            (#"{"kind": "display", "intent": "age over 21", "identity": "nobody"}"#, "identityRefused"),
            (String(repeating: "[", count: 40) + String(repeating: "]", count: 40), "bodyRefused"),
            (String(repeating: " ", count: 1 << 16) + "{}", "bodyTooLong"),
        ])
    func bodies(_ body: String, _ problem: String) async throws {
        let reader = try await ReaderDaemon()
        let reply = try await reader.asApp.call("POST", "/v1/presentations", body)
        #expect(reply.problem == problem, "\(reply.text)")
        #expect((400..<500).contains(reply.status))
        #expect(try await reader.asApp.call("GET", "/v1/lanes/lane-1").json()["presentation"] is NSNull)
    }

    @Test("A refusal names the line and the member, and repeats no value")
    func named() async throws {
        let reader = try await ReaderDaemon(lanes: [nil])
        let reply = try await reader.asApp.call(
            "POST", "/v1/presentations",
            "{\"kind\": \"display\",\n\"intent\": \"age over 21\",\n\"lane\": 4711}")
        #expect(reply.text.contains("line 3: lane: "))
        #expect(!reply.text.contains("4711"))
    }

    @Test("A body of another type is refused, and what is no engagement too")
    func types() async throws {
        let reader = try await ReaderDaemon(lanes: [["--consent-time", "30000"]])
        for type in ["text/plain", "", ";", "; charset=utf-8", "application/jsonp"] {
            let form = try await reader.asApp.call(
                "POST", "/v1/presentations", Self.order, headers: ["Content-Type": type])
            #expect(form.status == 415 && form.problem == "contentTypeRefused", "\(type)")
        }
        let id = try await reader.order()
        let path = "/v1/presentations/\(id)/engagement"
        for uri in ["mdoc:AAAA", "https://x.example", "mdoc:!!"] {
            let reply = try await reader.asApp.call("POST", path, #"{"uri": "\#(uri)"}"#)
            #expect(reply.problem == "engagementMalformed", "\(uri)")
        }
        let fourth = try await reader.asApp.call("POST", path, #"{"uri": "mdoc:"}"#)
        #expect(fourth.status == 429 && fourth.problem == "tooManyEngagements")
        #expect(
            try await reader.asApp.call("POST", "/v1/presentations/0/engagement", #"{"uri": "mdoc:AAAA"}"#)
                .status >= 400)
    }

    @Test("What is not there is told apart from what is asked by another method")
    func unknown() async throws {
        let reader = try await ReaderDaemon(lanes: [nil])
        #expect(try await reader.asApp.call("GET", "/v1/nothing").problem == "notFound")
        #expect(try await reader.asApp.call("PUT", "/v1/presentations").problem == "methodNotAllowed")
        #expect(try await reader.asApp.call("PUT", "/v1/presentations/x").problem == "methodNotAllowed")
        #expect(try await reader.asApp.call("GET", "/v1/presentations/x").problem == "presentationUnknown")
        #expect(try await reader.asApp.call("GET", "/kiosk/../../etc/passwd").problem == "notFound")
        #expect(try await reader.asApp.call("GET", "/kiosk/%2e%2e%2fetc%2fpasswd").problem == "notFound")
    }

    @Test("A request that never ends is closed, and others are served meanwhile")
    func slow() async throws {
        let reader = try await ReaderDaemon(lanes: [nil])
        var slow: [PlainHTTP.Stream] = []
        for _ in 0..<50 {
            slow.append(
                try await reader.asApp.open("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:\(reader.port)\r\nX: "))
        }
        let body = try await reader.asApp.open(
            "POST /v1/presentations HTTP/1.1\r\nHost: 127.0.0.1:\(reader.port)\r\n"
                + "Authorization: Bearer \(ReaderDaemon.app)\r\nContent-Type: application/json\r\n"
                + "Content-Length: 100\r\n\r\n{", timeout: 120)
        #expect(try await reader.asNobody.call("GET", "/healthz").status == 200)
        let late = try await body.next()
        #expect(late.map { String(decoding: $0, as: UTF8.self).contains("bodyTooSlow") } ?? true)
        for stream in slow {
            try? stream.write("x")
            #expect(try await stream.next() == nil)
        }
    }

    @Test("Headers without end and bytes that are no HTTP are refused, and the daemon goes on")
    func malformed() async throws {
        let reader = try await ReaderDaemon(lanes: [nil])
        for text in [
            "GET / HTTP/1.1\r\nHost: 127.0.0.1:\(reader.port)\r\nX: \(String(repeating: "x", count: 1 << 15))\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\n" + (0..<200).map { "X-\($0): y\r\n" }.joined() + "\r\n",
            "\u{16}\u{3}\u{1}\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
            "POST /v1/presentations HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
            "POST /v1/presentations HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        ] {
            let reply = try await reader.asApp.send(text)
            #expect(!String(decoding: reply, as: UTF8.self).hasPrefix("HTTP/1.1 2"))
        }
        #expect(try await reader.asNobody.call("GET", "/healthz").status == 200)
    }

    @Test("More connections than are taken do not keep the till's socket from working")
    func connections() async throws {
        let reader = try await ReaderDaemon(lanes: [nil], members: ["limits": #"{"connections": 64}"#])
        var held: [PlainHTTP.Stream] = []
        for _ in 0..<300 { if let stream = try? await reader.asNobody.open("GET ") { held.append(stream) } }
        #expect(held.count >= 64)
        #expect(try await reader.atSocket.call("GET", "/v1/lanes").status == 200)
        held = []
        try await until("room for connections") {
            (try? await reader.asApp.call("GET", "/v1/lanes").status) == 200
        }
    }
}
