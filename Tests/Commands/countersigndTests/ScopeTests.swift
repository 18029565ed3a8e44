import Foundation
import OpenSSLCrypto
import OtherPrograms
import PresentationService
import ReaderAPI
import Testing

/// Every operation of the document, asked by a token of each scope.
@Suite("Each route by each scope")
struct ScopeTests {
    private static func token(_ scope: Scope) -> String { "token-of-\(scope.rawValue)" }

    private static var tokens: String {
        let tokens = Scope.allCases.map { scope in
            let digest = Digest(.sha256, of: Array(token(scope).utf8)[...]).bytes
                .map { String(format: "%02x", $0) }.joined()
            let name = scope.rawValue
            return #"{"name": "\#(name)", "sha256": "\#(digest)", "scopes": ["\#(name)"]}"#
        }
        return "[\(tokens.joined(separator: ", "))]"
    }

    @Test("A token does what the document says of its scope, and nothing else")
    func scopes() async throws {
        let reader = try await ReaderDaemon(lanes: [nil], members: ["tokens": Self.tokens])
        let document = try await reader.asNobody.call("GET", "/v1/openapi.json").json()
        let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
        var counts = (allowed: 0, forbidden: 0)
        for (path, methods) in paths.sorted(by: { $0.key < $1.key }) {
            let target = path.replacing(/\{[a-z]+\}/, with: "x")
            for (method, operation) in methods {
                let isOpen = (operation["security"] as? [Any])?.isEmpty == true
                guard !isOpen, let description = operation["description"] as? String else { continue }
                let name = "\(method.uppercased()) \(path)"
                #expect(
                    try await reader.asNobody.call(method.uppercased(), target).problem == "unauthorized",
                    "\(name)")
                for scope in Scope.allCases {
                    let client = PlainHTTP(.tcp(port: reader.port), token: Self.token(scope))
                    // The stream of accessories does not end, and so is not read to its end.
                    if scope == .accessory, target == "/v1/accessories/events" { continue }
                    let reply = try await client.call(method.uppercased(), target)
                    let isAllowed = description.contains("`\(scope.rawValue)`")
                    #expect(
                        (reply.problem == "forbidden") == !isAllowed,
                        "\(name) by \(scope.rawValue): \(reply.status) \(reply.text.prefix(200))")
                    if isAllowed { counts.allowed += 1 } else { counts.forbidden += 1 }
                }
            }
        }
        #expect(counts.allowed >= 20 && counts.forbidden >= 100, "\(counts)")
    }
}
