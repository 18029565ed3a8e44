import Foundation
import OtherPrograms
import Testing

@Suite("Whose presentations are whose")
struct OwnershipTests {
    private static let order =
        #"{"kind": "display", "intent": "age over 21 with portrait for a human to compare", "reference": "r", "retention": "receipt"}"#

    private func ordered(_ reader: ReaderDaemon, decided: Bool = true) async throws -> String {
        let reply = try await reader.asApp.call("POST", "/v1/presentations", Self.order)
        let id = try #require(try reply.json()["id"] as? String, "\(reply.text)")
        #expect(try await reader.end(of: id).last == "awaitingDecision")
        if decided { try await reader.decide(id) }
        return id
    }

    @Test("Another till, identified by token or user, can neither see nor change a presentation")
    func anotherTill() async throws {
        let reader = try await ReaderDaemon()
        let id = try await ordered(reader)
        let path = "/v1/presentations/\(id)"
        for other in [reader.asOtherApp, reader.atSocket] {
            for (method, end, body) in [
                ("GET", "", nil), ("DELETE", "", nil), ("GET", "/events", nil),
                ("POST", "/engagement", #"{"uri": "mdoc:owBjMS4wAYIB2BhBoA"}"#),
            ] as [(String, String, String?)] {
                let reply = try await other.call(method, path + end, body)
                let isRefused = ["presentationUnknown", "engagementMalformed"].contains(reply.problem)
                #expect(isRefused, "\(method) \(end): \(reply.text)")
            }
            let listed = try await other.call("GET", "/v1/presentations?reference=r")
            #expect((try listed.json()["presentations"] as? [Any])?.isEmpty == true)
            #expect(try await other.call("GET", "/v1/receipts/1").problem == "receiptUnknown")
            let lane = try await other.call("GET", "/v1/lanes/lane-1").json()
            #expect(lane["presentation"] is NSNull && lane["presentationState"] is NSNull)
            // The same reference is another's, and a presentation of its own.
            let own = try await other.call("POST", "/v1/presentations", Self.order)
            #expect(own.status == 201 && own.headers["location"] != path)
            _ = try await other.call("DELETE", own.headers["location"] ?? "")
        }
        #expect(try await reader.result(of: id)["verdict"] as? String == "mock")
        #expect(try await reader.asApp.call("GET", "/v1/receipts/1").status == 200)
        let listed = try await reader.asApp.call("GET", "/v1/presentations?reference=r").json()
        #expect((listed["presentations"] as? [[String: Any]])?.map { $0["id"] as? String } == [id])
    }

    @Test("Events of a lane are for a till those of what it ordered, and for the pages of the lane all")
    func events() async throws {
        let reader = try await ReaderDaemon()
        let heard = try await reader.asOtherApp.events("/v1/lanes/lane-1/events")
        #expect(try await heard.next()?.kind == "laneChanged")
        let page = try await reader.asScreen.events("/v1/lanes/lane-1/events")
        #expect(try await page.next()?.kind == "laneChanged")
        let id = try await ordered(reader)
        #expect(try await page.next()?.data["presentation"] == id)
        reader.daemon.signal(SIGTERM)
        while let event = try await heard.next() { #expect(event.data["presentation"] == nil) }
    }

    @Test("The customer's page sees what is shown there; the clerk's page has portrait, name and decision")
    func pages() async throws {
        let reader = try await ReaderDaemon()
        let id = try await ordered(reader, decided: false)
        let path = "/v1/presentations/\(id)"
        let screen = try await reader.result(of: id, as: reader.asScreen)
        #expect((screen["answers"] as? [Any])?.isEmpty == false)
        #expect(screen["portrait"] == nil && screen["name"] == nil && screen["receipt"] is NSNull)
        #expect((screen["reasons"] as? [Any])?.isEmpty == true && screen["parts"] is NSNull)
        let clerk = try await reader.result(of: id, as: reader.asClerk)
        #expect(clerk["portrait"] as? String == path + "/portrait")
        for (method, end, body) in [
            ("GET", "/portrait", nil), ("DELETE", "", nil),
            ("POST", "/decision", #"{"decision": "approved"}"#), ("POST", "/again", "{}"),
            ("POST", "/engagement", #"{"uri": "mdoc:x"}"#),
        ] as [(String, String, String?)] {
            #expect(
                try await reader.asScreen.call(method, path + end, body).problem == "forbidden",
                "\(method) \(end)")
        }
        #expect(try await reader.asClerk.call("GET", path + "/portrait").status == 200)
        try await reader.decide(id)
        // Once the lane shows another, the pages have no more of this one.
        let next = try await reader.order()
        for client in [reader.asScreen, reader.asClerk] {
            #expect(try await client.call("GET", path).problem == "presentationUnknown")
            #expect(try await client.call("GET", "/v1/presentations/\(next)").status == 200)
        }
        #expect(try await reader.asApp.call("GET", path).status == 200)
    }

    @Test("A page's token is for its lanes alone")
    func lanes() async throws {
        let reader = try await ReaderDaemon(
            lanes: [[], []],
            members: [
                "tokens": #"""
                [{"name": "app", "scopes": ["app"],
                  "sha256": "087d685b238eeaf155d9d90b40642466559a5df63c6d4e79501de9fe0f9faf53"},
                 {"name": "clerk", "scopes": ["clerk"], "lanes": ["lane-2"],
                  "sha256": "405c71dfae8b1bcff0bd1226dc40bac7241ac92bd1dab86bf5b703af99a9894b"}]
                """#
            ])
        var ids: [String] = []
        for lane in 1...2 {
            let id = try await reader.order(#", "lane": "lane-\#(lane)""#)
            _ = try await reader.end(of: id)
            ids.append(id)
        }
        #expect(try await reader.asClerk.call("GET", "/v1/presentations/\(ids[0])").status == 404)
        #expect(try await reader.asClerk.call("GET", "/v1/presentations/\(ids[1])").status == 200)
        #expect(try await reader.asClerk.call("GET", "/v1/lanes/lane-1").problem == "laneUnknown")
        #expect(try await reader.asClerk.call("GET", "/v1/lanes/lane-1/events").problem == "laneUnknown")
        let lanes = try await reader.asClerk.call("GET", "/v1/lanes").json()["lanes"] as? [[String: Any]]
        #expect(lanes?.map { $0["lane"] as? String } == ["lane-2"])
    }

    @Test("The administrator lists all presentations, and what came of none")
    func administrator() async throws {
        let reader = try await ReaderDaemon()
        let id = try await ordered(reader)
        let list = try await reader.asAdmin.call("GET", "/v1/presentations").json()["presentations"]
        let all = try #require(list as? [[String: Any]])
        #expect(all.map { $0["id"] as? String } == [id])
        #expect(all[0]["state"] as? String == "verified" && all[0]["result"] == nil)
        let one = try await reader.asAdmin.call("GET", "/v1/presentations/\(id)").json()
        #expect(one["result"] == nil)
        #expect(try await reader.asAdmin.call("DELETE", "/v1/presentations/\(id)").problem == "forbidden")
        #expect(try await reader.asAdmin.call("GET", "/v1/receipts").json()["count"] as? Int == 1)
        #expect(try await reader.asApp.call("GET", "/v1/receipts").problem == "forbidden")
    }

    @Test(
        "Only the caller who ordered a record can export it; another caller who guesses the reference cannot"
    )
    func exports() async throws {
        let desk = try await RentalDesk()
        _ = try await desk.rent("days(1)", reference: "booking-4711")
        let record = try #require(try await desk.retained().first)
        let body = #"{"reference": "booking-4711"}"#
        for other in [desk.reader.asOtherApp, desk.reader.atSocket] {
            #expect(try await other.call("POST", "/v1/exports", body).problem == "nothingRetained")
        }
        #expect(desk.isAnywhere(record))
        #expect(try await desk.export("booking-4711").json()["handedOutBefore"] is NSNull)
    }
}
