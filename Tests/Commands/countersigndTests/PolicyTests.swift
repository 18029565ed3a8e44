import Foundation
import OtherPrograms
import Testing

/// The software wallet's issuer has no revocation list: whether its documents are revoked is not known.
@Suite("The policy of an order, over HTTP")
struct PolicyTests {
    private static let rental = "rental: categories B"

    @Test("A rental is refused where revocation is not known, and an age check is not")
    func purposes() async throws {
        let reader = try await ReaderDaemon(members: ["policies": "{}"])
        let age = try await reader.order()
        _ = try await reader.end(of: age)
        let accepted = try await reader.result(of: age)
        #expect(accepted["policy"] as? String == "age")
        #expect((accepted["reasons"] as? [Any])?.isEmpty == true)
        let rental = try await reader.order(intent: Self.rental)
        #expect(try await reader.end(of: rental).last == "rejected")
        let refused = try await reader.result(of: rental)
        #expect(refused["policy"] as? String == "rental")
        #expect((refused["reasons"] as? [[String: String]])?.map { $0["id"] } == ["revocation"])
        let trust = try await reader.asApp.call("GET", "/v1/trust").json()
        #expect(
            trust["policies"] as? [String: String]
                == ["age": "age", "rental": "rental", "identity": "rental", "elements": "rental"])
    }

    @Test(
        "An order names another policy only where that accepts no more than its purpose's",
        arguments: [
            (Self.rental, #""age""#, false), (Self.rental, #"{"rental": 4}"#, false),
            (Self.rental, #"{"rental": 3}"#, true), (Self.rental, #""rental""#, true),
            ("age over 21", #""rental""#, true), ("age over 21", #""age""#, true),
        ])
    func order(_ intent: String, _ policy: String, _ isTaken: Bool) async throws {
        let reader = try await ReaderDaemon(members: ["policies": #"{"rental": {"rental": 3}}"#])
        let reply = try await reader.asApp.call(
            "POST", "/v1/presentations",
            #"{"kind": "display", "intent": "\#(intent)", "policy": \#(policy)}"#)
        #expect(reply.status == (isTaken ? 201 : 400), "\(reply.text)")
        #expect(reply.problem == (isTaken ? nil : "policyRefused"))
    }

    @Test("The policy of a lane holds for its orders, and no order weakens it")
    func lane() async throws {
        let reader = try await ReaderDaemon(members: ["policies": "{}"])
        let file = reader.folder.appending(path: "countersignd.json")
        let text = try String(contentsOf: file, encoding: .utf8)
        try Data(text.replacing("\"benchLink\"", with: "\"policy\": \"rental\", \"benchLink\"").utf8)
            .write(to: file)
        reader.daemon.signal(1)
        try await reader.daemon.said("read its configuration file again")
        let refused = try await reader.asApp.call(
            "POST", "/v1/presentations", #"{"kind": "display", "intent": "age over 21", "policy": "age"}"#)
        #expect(refused.problem == "policyRefused")
        let id = try await reader.order()
        #expect(try await reader.end(of: id).last == "rejected")
        #expect(try await reader.result(of: id)["policy"] as? String == "rental")
    }
}
