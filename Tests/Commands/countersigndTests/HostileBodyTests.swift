import Foundation
import OtherPrograms
import PresentationService
import ReaderAPI
import Testing

/// Every route of the document that takes JSON, by a token that may do everything.
private struct BodyRoutes {
    let daemon: ReaderDaemon
    let client: PlainHTTP
    let paths: [String]

    init() async throws {
        let token = "token-with-every-scope"
        let scopes = Scope.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        daemon = try await ReaderDaemon(
            lanes: [nil],
            members: [
                "tokens": #"[{"name": "all", "sha256": "\#(Self.digest)", "scopes": [\#(scopes)]}]"#
            ])
        client = PlainHTTP(.tcp(port: daemon.port), token: token)
        let document = try await client.call("GET", "/v1/openapi.json").json()
        let operations = try #require(document["paths"] as? [String: [String: [String: Any]]])
        paths = operations.compactMap { path, methods in
            let body = methods["post"]?["requestBody"] as? [String: Any]
            let isJSON = (body?["content"] as? [String: Any])?["application/json"] != nil
            return isJSON ? path.replacing(/\{[a-z]+\}/, with: "x") : nil
        }.sorted()
        try #require(Set(paths).isSuperset(of: HostileBodyTests.good.keys))
    }

    /// The SHA-256 of the token, by sha256sum.
    private static let digest = "289c3f99919447415568919b0c32e649b6a7e22f05d0ca53cc1c6f8d37204473"

    /// What begins a POST; the body is to follow.
    func head(_ path: String, _ further: String) -> String {
        "POST \(path) HTTP/1.1\r\nHost: \(client.host)\r\nAuthorization: \(client.headers["Authorization"] ?? "")\r\n"
            + "Connection: close\r\nContent-Type: application/json\r\n\(further)\r\n\r\n"
    }
}

@Suite("Bodies that are not what they should be, at every route that takes one")
struct HostileBodyTests {
    /// What each route takes, with what comes of it where there is nothing else.
    static let good = [
        "/v1/presentations": (
            #"{"kind": "display", "intent": "age over 21", "lane": "nowhere"}"#, "laneUnknown"
        ),
        "/v1/presentations/x/engagement": (#"{"uri": "mdoc:owBjMS4wAYIB2BhBoA"}"#, "presentationUnknown"),
        "/v1/lanes/x/engagement": (
            #"{"accessory": "qr-1", "uri": "mdoc:owBjMS4wAYIB2BhBoA"}"#, "laneUnknown"
        ),
        "/v1/accessories/x/outputs/x": (#"{"state": "given"}"#, "accessoryUnknown"),
        "/v1/accessories/x/tries/x": (#"{"state": "refused"}"#, "accessoryUnknown"),
        "/v1/presentations/x/again": ("{}", "presentationUnknown"),
        "/v1/presentations/x/decision": (#"{"decision": "approved"}"#, "presentationUnknown"),
        "/v1/lanes/x/presentations": (#"{"preset": "Age 18"}"#, "laneUnknown"),
        "/v1/reader-tokens": (
            #"{"brand": "utopia", "instance": "00112233445566778899aabbccddeeff"}"#, "readerTokenNotGranted"
        ),
    ]

    private static let faults: [(name: String, body: String, headers: [String: String], problem: String)] = [
        ("nothing", "", [:], "bodyMissing"),
        ("no JSON", "{", [:], "bodyRefused"), ("no text", "\u{0}\u{1}", [:], "bodyRefused"),
        ("no object", "[]", [:], "bodyRefused"), ("null", "null", [:], "bodyRefused"),
        ("two objects", "{} {}", [:], "bodyRefused"),
        ("an unknown member", #"{"surprise": 1}"#, [:], "bodyRefused"),
        ("a duplicate member", #"{"a": 1, "a": 1}"#, [:], "bodyRefused"),
        ("half a character", #"{"a": "\ud800"}"#, [:], "bodyRefused"),
        ("a number without end", #"{"a": 1e999999}"#, [:], "bodyRefused"),
        (
            "too deep", String(repeating: "[", count: 4000) + String(repeating: "]", count: 4000), [:],
            "bodyRefused"
        ),
        ("another type", "{}", ["Content-Type": "text/plain"], "contentTypeRefused"),
        (
            "the type of forms", "{}", ["Content-Type": "application/x-www-form-urlencoded"],
            "contentTypeRefused"
        ),
        ("a type like JSON's", "{}", ["Content-Type": "application/jsonp"], "contentTypeRefused"),
        ("no type", "{}", ["Content-Type": ""], "contentTypeRefused"),
    ]

    /// The most bytes that a route takes.
    private static func longest(at path: String) -> Int {
        // A sealed answer of an app or a page has portraits in it.
        ["/v1/wallet/presentations", "/v1/web/presentations"].contains(path) ? 3 << 19 : 1 << 16
    }

    @Test("Each fault has its name at each route, and what is right gets further")
    func table() async throws {
        let routes = try await BodyRoutes()
        for path in routes.paths {
            for fault in Self.faults {
                let reply = try await routes.client.call("POST", path, fault.body, headers: fault.headers)
                #expect(reply.problem == fault.problem, "\(path), \(fault.name): \(reply.text)")
                #expect((400..<500).contains(reply.status))
            }
            let long = String(repeating: " ", count: Self.longest(at: path)) + "{}"
            #expect(try await routes.client.call("POST", path, long).problem == "bodyTooLong", "\(path)")
            guard let good = Self.good[path] else { continue }
            let reply = try await routes.client.call("POST", path, good.0)
            #expect(reply.problem == good.1, "\(path): \(reply.text)")
        }
        let figures = try await routes.client.call("GET", "/metrics").text
        #expect(figures.contains(#"refusals_total{id="bodyTooLong"} \#(routes.paths.count)"#))
    }

    @Test(
        "A member of another type is named, whichever it is, and its value is not repeated",
        arguments: good.keys)
    func types(_ path: String) async throws {
        let routes = try await BodyRoutes()
        let right = try #require(Self.good[path]?.0)
        let members = try #require(
            JSONSerialization.jsonObject(with: Data(right.utf8)) as? [String: String])
        for name in members.keys {
            for wrong in [4711, ["4711"], ["x": "4711"], NSNull(), true, "", "4711\u{0}"] as [Any] {
                var body: [String: Any] = members
                body[name] = wrong
                let text = String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self)
                let reply = try await routes.client.call("POST", path, text)
                // An intent, a lane, a preset and a code of a phone may be any text, and are judged after the form.
                let isFree =
                    wrong is String && ["intent", "lane", "preset", "uri", "accessory"].contains(name)
                guard !isFree else { continue }
                #expect(reply.problem == "bodyRefused", "\(path), \(text): \(reply.text)")
                #expect(reply.text.contains(": \(name): "), "\(path), \(text): \(reply.text)")
                #expect(!reply.text.contains("4711"))
            }
            var body = members
            body[name] = nil
            let text = String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self)
            guard name != "lane" else { continue }
            let reply = try await routes.client.call("POST", path, text)
            #expect(reply.problem == "bodyRefused" && reply.text.contains("\"\(name)\\\""), "\(reply.text)")
        }
    }

    @Test("A body that is cut off, or longer than it says it may be, is refused by name")
    func cut() async throws {
        let routes = try await BodyRoutes()
        for path in routes.paths {
            let cut = try await routes.client.open(routes.head(path, "Content-Length: 100") + "{\"a\":")
            cut.finish()
            let answer = try await PlainHTTP.rest(of: cut)
            #expect(try PlainHTTP.Reply(answer).problem == "bodyRefused", "\(path)")
            let longest = Self.longest(at: path)
            let chunk = String(longest, radix: 16) + "\r\n" + String(repeating: " ", count: longest) + "\r\n"
            let endless = try await routes.client.open(
                routes.head(path, "Transfer-Encoding: chunked") + chunk + "1\r\n \r\n0\r\n\r\n")
            #expect(
                try PlainHTTP.Reply(try await PlainHTTP.rest(of: endless)).problem == "bodyTooLong", "\(path)"
            )
        }
        #expect(try await routes.client.call("GET", "/v1/lanes").status == 200)
    }

    @Test("A body that does not come in time is refused by name, and others are served meanwhile")
    func slow() async throws {
        let routes = try await BodyRoutes()
        var waiting: [PlainHTTP.Stream] = []
        for path in routes.paths {
            waiting.append(
                try await routes.client.open(routes.head(path, "Content-Length: 100") + "{", timeout: 120))
        }
        #expect(try await routes.client.call("GET", "/v1/lanes").status == 200)
        for stream in waiting {
            try stream.write(" ")
            #expect(try PlainHTTP.Reply(try await PlainHTTP.rest(of: stream)).problem == "bodyTooSlow")
        }
    }
}
