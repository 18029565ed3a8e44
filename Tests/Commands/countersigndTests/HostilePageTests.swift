import OtherPrograms
import Testing

@Suite("What a page from elsewhere can send without being asked, even with a token that it stole")
struct HostilePageTests {
    /// A request as browsers make it for a page that is not the daemon's own.
    struct Attempt: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let method: String
        let path: String
        var body: String?
        /// With `PORT` for the daemon's port; an empty one is not sent.
        let headers: [String: String]
        let problem: String

        init(
            _ name: String, _ method: String, _ path: String, _ headers: [String: String],
            body: String? = nil, _ problem: String = "originRefused"
        ) {
            testDescription = name
            (self.method, self.path, self.headers, self.body) = (method, path, headers, body)
            self.problem = problem
        }
    }

    private static let order = #"{"kind": "display", "intent": "age over 21"}"#
    private static let evil = "http://evil.example:8000"
    private static let rebound = "evil.example:PORT"

    static let attempts = [
        Attempt(
            "a form, a beacon and fetch without cors: a simple POST", "POST", "/v1/presentations",
            [
                "Origin": evil, "Content-Type": "text/plain;charset=UTF-8", "Sec-Fetch-Site": "cross-site",
                "Sec-Fetch-Mode": "no-cors",
            ], body: order),
        Attempt(
            "a form with a type of forms", "POST", "/v1/presentations",
            [
                "Origin": evil, "Content-Type": "application/x-www-form-urlencoded",
                "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate",
            ], body: order),
        Attempt(
            "a form in a frame without an origin", "POST", "/v1/presentations",
            [
                "Origin": "null", "Content-Type": "text/plain", "Sec-Fetch-Site": "cross-site",
                "Sec-Fetch-Mode": "navigate",
            ], body: order),
        Attempt(
            "a browser that names no site", "POST", "/v1/presentations", ["Origin": evil], body: order),
        Attempt(
            "an image or a script: no-cors without Origin", "GET", "/v1/lanes",
            ["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"]),
        Attempt(
            "another port of this computer, as the same site", "GET", "/v1/lanes",
            ["Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors", "Origin": "http://localhost:1"]),
        Attempt(
            "the preflight of fetch with JSON or a token", "OPTIONS", "/v1/presentations",
            [
                "Origin": evil, "Access-Control-Request-Method": "POST",
                "Access-Control-Request-Headers": "authorization,content-type",
                "Access-Control-Request-Private-Network": "true", "Sec-Fetch-Site": "cross-site",
                "Sec-Fetch-Mode": "cors",
            ]),
        Attempt(
            "the preflight of a DELETE", "OPTIONS", "/v1/presentations/x",
            ["Origin": evil, "Access-Control-Request-Method": "DELETE", "Sec-Fetch-Mode": "cors"]),
        Attempt(
            "an event stream", "GET", "/v1/lanes/lane-1/events",
            [
                "Origin": evil, "Accept": "text/event-stream", "Sec-Fetch-Site": "cross-site",
                "Sec-Fetch-Mode": "cors",
            ]),
        Attempt(
            "a web socket, which asks for no leave", "GET", "/v1/lanes/lane-1/events",
            [
                "Origin": evil, "Upgrade": "websocket",
                "Sec-WebSocket-Version": "13",
                "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
            ]),
        Attempt(
            "a name that was pointed here meanwhile", "POST", "/v1/presentations",
            [
                "Host": rebound, "Origin": "http://\(rebound)", "Sec-Fetch-Site": "same-origin",
                "Sec-Fetch-Mode": "cors",
            ], body: order, "hostRefused"),
        Attempt(
            "such a name, for what everybody may have", "GET", "/healthz", ["Host": rebound], "hostRefused"),
        Attempt(
            "such a name, for the page", "GET", "/kiosk",
            ["Host": rebound, "Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate"], "hostRefused"),
        Attempt(
            "the daemon's host with another's origin", "POST", "/v1/reader-tokens",
            ["Origin": "http://\(rebound)"], body: order),
    ]

    @Test(
        "A request by a hostile page is refused by name, with or without a token; it orders and reads nothing"
    )
    func attempts() async throws {
        let reader = try await ReaderDaemon(lanes: [nil])
        for attempt in Self.attempts {
            let headers = attempt.headers.mapValues { $0.replacing("PORT", with: "\(reader.port)") }
            for client in [reader.asNobody, reader.asApp, reader.asClerk] {
                let reply = try await client.call(
                    attempt.method, attempt.path, attempt.body, headers: headers)
                #expect(reply.problem == attempt.problem, "\(attempt.testDescription): \(reply.text)")
                #expect(!reply.headers.keys.contains { $0.hasPrefix("access-control-") })
            }
        }
        #expect(try await reader.asApp.call("GET", "/v1/lanes/lane-1").text.contains(#""presentation":null"#))
    }

    @Test(
        "A link or a frame elsewhere leads to a page, never to what needs a token, and no page stands in a frame"
    )
    func navigation() async throws {
        let reader = try await ReaderDaemon(lanes: [nil])
        for destination in ["document", "iframe"] {
            let headers = [
                "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": destination,
            ]
            #expect(
                try await reader.asNobody.call("GET", "/v1/lanes", headers: headers).problem == "unauthorized"
            )
            let page = try await reader.asNobody.call("GET", "/healthz", headers: headers)
            #expect(page.status == 200)
            #expect(page.headers["content-security-policy"]?.contains("frame-ancestors 'none'") == true)
        }
    }
}
