import ConfigurationForms
import Fleet
import Foundation
import Logging
import MdocModel
import ReaderTokens
import Testing
import VectorFiles

@testable import countersignd

@Suite("Reader tokens that the hub makes for a kiosk")
struct HubTokenTests {
    static let reader = String(repeating: "0", count: 32)
    static let grants = #""grants": [{"caller": "till", "brand": "utopia", "instances": ["\#(reader)"]}]"#
    static let fleet = #"""
        "fleet": {"chain": "utopia", "kiosk": "till-1", "hubs": ["https://localhost:1"],
                  "authority": "/nonexistent", "keys": ["/nonexistent"]},
        """#

    private static func configuration(
        _ tokens: String, _ fleet: String = fleet
    ) throws(ConfigurationFaults) -> DaemonConfiguration {
        let text = #"""
            {"lanes": [{"name": "a"}], \#(fleet)
             "tokens": [{"name": "till", "sha256": "\#(reader)\#(reader)", "scopes": ["readerTokens"]}],
             "readerTokens": {\#(tokens)}}
            """#
        return try DaemonConfiguration(Array(text.utf8), environment: [:])
    }

    @Test("With from the hub has the keys, and the grants are those of the file")
    func configured() throws {
        let tokens = try Self.configuration(#""from": "hub", \#(Self.grants)"#).readerTokens
        #expect(tokens.isFromHub && tokens.keys.isEmpty && tokens.grants.map(\.caller) == ["till"])
        #expect(try !Self.configuration(#""keys": [], \#(Self.grants)"#).readerTokens.isFromHub)
    }

    @Test(
        "A file that says neither or both, names another source, or has no fleet is refused with the member",
        arguments: [
            (#"\#(grants)"#, fleet, "/readerTokens/keys: "),
            (#""from": "hub", "keys": [], \#(grants)"#, fleet, "/readerTokens/keys: is allowed only without"),
            (#""from": "shop", \#(grants)"#, fleet, "/readerTokens/from: must be one of \"hub\""),
            (#""from": "hub", \#(grants)"#, "", "/readerTokens/from: is allowed only with fleet"),
            (#""from": "hub""#, fleet, "/readerTokens/grants: "),
        ])
    func refused(_ tokens: String, _ fleet: String, _ words: String) throws {
        let faults = #expect(throws: ConfigurationFaults.self) { try Self.configuration(tokens, fleet) }
        let text = try #require(faults).text(of: "file")
        #expect(text.contains(words), "\(text)")
    }

    @Test(
        "What the hub refuses is passed on by name; anything else of it is that no token can be had now",
        arguments: [
            (.refused(status: 403, id: "readerTokenNotGranted"), .notAllowed, ""),
            (.tooMany(retryAfter: 60), .tooMany(retryAfter: 60), ""),
            (.refused(status: 403, id: "kioskRevoked"), nil, "refused the request (kioskRevoked)"),
            (.refused(status: 403, id: "kioskStopped"), nil, "refused the request (kioskStopped)"),
            (.refused(status: 503, id: "brandUnavailable"), nil, "refused the request (brandUnavailable)"),
            (
                .refused(status: 500, id: "readerTokenNotGranted"), nil,
                "refused the request (readerTokenNotGranted)"
            ),
            (.unreachable, nil, "does not answer"), (.malformed, nil, "does not answer"),
        ] as [(HubError, TokenRefusal?, String)])
    func refusals(_ error: HubError, _ expected: TokenRefusal?, _ words: String) {
        let refusal = TokenRefusal(error)
        if let expected {
            #expect(refusal == expected)
        } else if case .brandUnavailable(.hubUnavailable(let why)) = refusal {
            #expect(why.contains(words), "\(why)")
        } else {
            Issue.record("\(refusal)")
        }
    }

    @Test("A kiosk that is not enrolled yet has no token, says so by name, and has its grants")
    func notEnrolled() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "countersign-tokens-\(UUID())")
            .path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let kiosk = try #require(FleetName("till-1"))
        let settings = KioskSettings(
            FleetMembership(
                chain: try #require(FleetName("utopia")), site: nil, group: nil, kiosk: kiosk),
            hubs: ["https://localhost:1"], authority: "\(folder)/authority.pem", keys: [], codeFile: nil,
            store: folder, software: "test", now: { Timestamp(secondsSince1970: 1_790_000_000) })
        let hub = KioskTokens(settings, try FleetFolder(store: folder))
        let issuing = try Self.configuration(#""from": "hub", \#(Self.grants)"#).readerTokens
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let server = try await ReaderTokensInForce(issuing, from: hub, log).server
        func response(_ caller: String) async throws -> TokenResponse {
            let request = TokenRequest(
                caller: caller, brand: try #require(TokenText("utopia")),
                instance: try #require(ReaderInstance(Self.reader)))
            return await server.respond(to: request, believing: BrandRegistry(), at: settings.now()).response
        }
        guard case .refused(.brandUnavailable(.hubUnavailable)) = try await response("till") else {
            Issue.record("a token without a hub")
            return
        }
        #expect(try await response("desk") == .refused(.notAllowed))
    }

    @Test(
        "The sections of a kiosk and of a server beside the hub in the documentation are ones that the daemon takes"
    )
    func documented() throws {
        let page = try String(
            contentsOf: VectorFiles.repository.appending(path: "Documentation/fleet.md"), encoding: .utf8)
        let kiosk = try #require(page.firstMatch(of: /\n    "readerTokens": \{ ("from": .*) \}\n/))
        #expect(try Self.configuration(String(kiosk.1)).readerTokens.grants.map(\.caller) == ["till"])
        let section = try #require(page.components(separatedBy: "## Servers beside the hub").last)
        let lines = try #require(section.firstMatch(of: /\n    \{\n(?:    .*\n)+/)).0
        let server = try DaemonConfiguration(Array(String(lines).utf8), environment: [:])
        let online = try #require(server.online)
        #expect(online.nonces.store == .postgresql(connection: "/etc/countersign/database"))
        #expect(server.lanes.isEmpty && server.http?.tls != nil)
    }
}
