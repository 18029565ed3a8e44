import Foundation
import Glibc
import OtherPrograms
import Testing

@Suite("Presentations over HTTP, with the daemon and a wallet as programs of their own")
struct PresentationTests {
    @Test("An order arms the lane, and its events lead to a verified answer")
    func verified() async throws {
        let reader = try await ReaderDaemon()
        let id = try await reader.order()
        let states = try await reader.end(of: id)
        #expect(states.last == "verified")
        let result = try await reader.result(of: id)
        #expect(result["verdict"] as? String == "mock" && result["test"] as? Bool == true)
        let answers = try #require(result["answers"] as? [[String: String]])
        #expect(answers == [["ask": "age_over_21", "answer": "yes"]])
        #expect((result["issuer"] as? [String: Any])?["country"] as? String == "UT")
    }

    @Test("A test document is a mock, and not accepted unless the configuration says so, from the next on")
    func testDocument() async throws {
        let reader = try await ReaderDaemon(members: ["acceptTestDocuments": "false"])
        let file = reader.folder.appending(path: "countersignd.json")
        let text = try String(contentsOf: file, encoding: .utf8)
        for (number, isAccepted) in [false, true, false].enumerated() {
            if number > 0 {
                let changed = text.replacing(
                    "\"acceptTestDocuments\": false", with: "\"acceptTestDocuments\": \(isAccepted)")
                try Data(changed.utf8).write(to: file)
                reader.daemon.signal(SIGHUP)
                try await reader.daemon.said("read its configuration file again", times: number)
            }
            let id = try await reader.order(
                #", "retention": "receipt""#, intent: "age over 21 with portrait for a human to compare")
            #expect(try await reader.end(of: id).last == (isAccepted ? "awaitingDecision" : "rejected"))
            let result = try await reader.result(of: id, as: reader.asClerk)
            #expect(result["verdict"] as? String == "mock" && result["test"] as? Bool == true)
            #expect((result["issuer"] as? [String: Any])?["test"] as? Bool == true)
            let answers = try #require(result["answers"] as? [[String: String]])
            #expect(answers.allSatisfy { $0["answer"] == (isAccepted ? "yes" : "unknown") })
            let reasons = (result["reasons"] as? [[String: String]])?.map { $0["id"] }
            #expect(reasons == (isAccepted ? [] : ["document.test"]))
            #expect(result["portrait"] is NSNull == !isAccepted)
            let over =
                isAccepted
                ? try await reader.decide(id)
                : try await reader.asApp.call("GET", "/v1/presentations/\(id)").json()
            #expect(over["outcome"] as? String == (isAccepted ? "allow" : "unclear"))
            #expect(over["reasons"] as? [String] == (isAccepted ? [] : ["document.test"]))
            let receipt = try await reader.asAdmin.call("GET", "/v1/receipts/\(number + 1)").json()
            let statement = try #require(receipt["statement"] as? [String: Any])
            #expect(statement["verdict"] as? String == "mock" && statement["test"] as? Bool == true)
            let ready = try await reader.asNobody.call("GET", "/readyz").json()
            #expect(ready["acceptsTestDocuments"] as? Bool == isAccepted)
            let lane = try await reader.asApp.call("GET", "/v1/lanes/lane-1").json()
            #expect(lane["acceptsTestDocuments"] as? Bool == isAccepted)
        }
        #expect(reader.daemon.errors.contains("acceptTestDocuments is set"))
    }

    @Test(
        "An answer says no where the document does, and unknown where it says nothing",
        arguments: [("20", "21", "no"), ("40", "30", "unknown")])
    func answers(_ age: String, _ asked: String, _ answer: String) async throws {
        let reader = try await ReaderDaemon(lanes: [["--age", age]])
        let id = try await reader.order(intent: "age over \(asked); else nothing")
        _ = try await reader.end(of: id)
        let answers = try await reader.result(of: id)["answers"] as? [[String: String]]
        #expect(answers?.first?["answer"] == answer)
    }

    @Test(
        "The display sees the portrait until the clerk decides; an app sees neither it nor a display request's data"
    )
    func portrait() async throws {
        let reader = try await ReaderDaemon()
        let id = try await reader.order(
            #", "validation": "confirm""#, intent: "age over 21 with portrait for a human to compare")
        _ = try await reader.end(of: id)
        let path = "/v1/presentations/\(id)"
        #expect(try await reader.result(of: id)["portrait"] == nil)
        #expect(try await reader.result(of: id)["documents"] == nil)
        #expect(try await reader.asApp.call("GET", path + "/portrait").problem == "forbidden")
        #expect(
            try await reader.result(of: id, as: reader.asClerk)["portrait"] as? String == path + "/portrait"
        )
        let portrait = try await reader.asClerk.call("GET", path + "/portrait")
        #expect(portrait.status == 200 && portrait.body.starts(with: [0xff, 0xd8, 0xff]))
        #expect(portrait.headers["cache-control"] == "no-store")
        #expect(portrait.headers["content-type"] == "image/jpeg")
        let decision = path + "/decision"
        #expect(
            try await reader.asApp.call("POST", decision, #"{"decision": "approved"}"#).problem == "forbidden"
        )
        let decided = try await reader.asClerk.call("POST", decision, #"{"decision": "approved"}"#)
        #expect(decided.status == 200)
        #expect(try await reader.asClerk.call("GET", path + "/portrait").problem == "portraitGone")
        #expect(try await reader.result(of: id)["decision"] as? String == "approved")
        #expect(
            try await reader.asClerk.call("POST", decision, #"{"decision": "rejected"}"#).problem
                == "decisionNotDue")
    }

    @Test("A portrait is wiped if nobody decides before the time for the decision is over")
    func wiped() async throws {
        let reader = try await ReaderDaemon(members: ["limits": #"{"decisionSeconds": 5}"#])
        let id = try await reader.order(intent: "age over 21 with portrait for a human to compare")
        #expect(try await reader.end(of: id).last == "awaitingDecision")
        let portrait = "/v1/presentations/\(id)/portrait"
        #expect(try await reader.asClerk.call("GET", portrait).status == 200)
        let events = try await reader.asClerk.events("/v1/presentations/\(id)/events")
        while let event = try await events.next() {
            guard event.data["hint"] == "wiped" else { continue }
            #expect(event.data["outcome"] == "unclear")
            break
        }
        #expect(try await reader.asClerk.call("GET", portrait).problem == "portraitGone")
    }

    @Test("The same reference with the same order is the same presentation, with another order a conflict")
    func reference() async throws {
        let reader = try await ReaderDaemon()
        let order = #"{"kind": "display", "intent": "age over 21", "reference": "till-7/4711"}"#
        let first = try await reader.asApp.call("POST", "/v1/presentations", order)
        let again = try await reader.asApp.call(
            "POST", "/v1/presentations",
            #"{"reference": "till-7/4711", "intent": "age: age over 21", "kind": "display"}"#)
        #expect(first.status == 201 && again.status == 200)
        #expect(try first.json()["id"] as? String == again.json()["id"] as? String)
        #expect(first.headers["location"] == "/v1/presentations/\(try first.json()["id"] ?? "")")
        for changed in [#""intent": "age over 18""#, #""intent": "age over 21", "lane": "lane-1""#] {
            let other = try await reader.asApp.call(
                "POST", "/v1/presentations",
                #"{"kind": "display", \#(changed), "reference": "till-7/4711"}"#)
            #expect(other.status == 409 && other.problem == "referenceTaken", "\(changed)")
        }
    }

    @Test(
        "An order cancelled while the holder decides is cancelled, its phone is notified, and the lane is free again"
    )
    func cancelled() async throws {
        let reader = try await ReaderDaemon(lanes: [["--consent-time", "30000"]])
        let id = try await reader.order()
        let events = try await reader.asClerk.events("/v1/presentations/\(id)/events")
        while let event = try await events.next() { if event.data["state"] == "awaitingConsent" { break } }
        let busy = try await reader.asApp.call(
            "POST", "/v1/presentations", #"{"kind": "display", "intent": "age over 21"}"#)
        #expect(busy.status == 409 && busy.problem == "laneBusy")
        #expect(try busy.json()["presentation"] as? String == id && busy.headers["retry-after"] == "2")
        #expect(busy.text.contains("or DELETE it"))
        let other = try await reader.asOtherApp.call(
            "POST", "/v1/presentations", #"{"kind": "display", "intent": "age over 21"}"#)
        #expect(other.problem == "laneBusy" && !other.text.contains("DELETE"), "\(other.text)")
        #expect(other.text.contains("of another caller"))
        let foreign = try await reader.asOtherApp.call("DELETE", "/v1/presentations/\(id)")
        #expect(foreign.problem == "presentationUnknown")
        let cancelled = try await reader.asApp.call("DELETE", "/v1/presentations/\(id)")
        #expect(try cancelled.json()["state"] as? String == "cancelled")
        #expect(try cancelled.json()["test"] is NSNull)
        let again = try await reader.asApp.call("DELETE", "/v1/presentations/\(id)")
        #expect(try again.json()["state"] as? String == "cancelled")
        _ = try await reader.order()
    }

    @Test(
        "Who declined, or has no such document, shared nothing: declined says both, and no document was judged",
        arguments: [["--decision", "declines"], ["--decision", "returnsNothing"], ["--holds", "pid"]])
    func declined(_ wallet: [String]) async throws {
        let reader = try await ReaderDaemon(lanes: [wallet])
        let id = try await reader.order()
        let last = try await reader.end(of: id).last
        let over = try await reader.asApp.call("GET", "/v1/presentations/\(id)").json()
        let reasons = (over["result"] as? [String: Any])?["reasons"] as? [[String: String]]
        #expect(over["test"] is NSNull)
        #expect(last == "declined" && over["outcome"] as? String == "declined")
        #expect(reasons?.first?["text"]?.contains("has no such document") == true)
    }

    @Test(
        "Once the last root was removed the daemon is not ready and refuses orders, until a root is trusted")
    func noRoots() async throws {
        let reader = try await ReaderDaemon()
        #expect(try await reader.asNobody.call("GET", "/readyz").status == 200)
        let store = reader.folder.path + "/store"
        func trust(_ arguments: String...) async throws -> String {
            let run = try BuiltProgram("countersign", ["trust"] + arguments + ["--store", store])
            #expect(try await run.ended() == 0, "\(run.errors)")
            return run.output
        }
        let root = try await trust("list").split(separator: "\n").first { $0.contains(" root ") }
        _ = try await trust("remove", String(try #require(root?.split(separator: " ").first)))
        let unready = try await reader.asNobody.call("GET", "/readyz")
        #expect(unready.status == 503 && unready.text.contains("trustNotSetUp"), "\(unready.text)")
        #expect(try unready.json()["acceptsTestDocuments"] as? Bool == true)
        let owner = try await reader.asAdmin.call("GET", "/v1/owner").json()
        let faults = owner["faults"] as? [[String: Any]]
        #expect(owner["ready"] as? Bool == false && faults?.first?["id"] as? String == "trustNotSetUp")
        let refused = try await reader.asApp.call(
            "POST", "/v1/presentations", #"{"kind": "display", "intent": "age over 21"}"#)
        #expect(refused.status == 503 && refused.problem == "trustNotSetUp", "\(refused.text)")
        _ = try await trust("import", reader.folder.path + "/root-0.der")
        #expect(try await reader.asNobody.call("GET", "/readyz").status == 200)
        _ = try await reader.order()
    }

    @Test("A lane whose reader is missing says so, fails what is ordered, and recovers")
    func recovery() async throws {
        let reader = try await ReaderDaemon(lanes: [nil, []])
        let id = try await reader.order(#", "lane": "lane-1""#)
        #expect(try await reader.end(of: id).last == "failed")
        let reasons = try await reader.result(of: id)["reasons"] as? [[String: String]]
        #expect(reasons?.first?["id"] == "reader.unavailable")
        let failed = try await reader.asApp.call("GET", "/v1/presentations/\(id)").json()
        #expect(failed["test"] is NSNull)
        let lane = try await reader.asApp.call("GET", "/v1/lanes/lane-1").json()
        #expect(lane["state"] as? String == "stopped")
        #expect((lane["advice"] as? String)?.contains("start the wallet") == true)
        #expect(try await reader.asNobody.call("GET", "/readyz").status == 200)
        let other = try await reader.order(#", "lane": "lane-2""#)
        #expect(try await reader.end(of: other).last == "verified")
    }

    @Test("Eight lanes at once have their own answers")
    func lanes() async throws {
        let ages = ["20", "40", "19", "50", "18", "60", "17", "70"]
        let reader = try await ReaderDaemon(lanes: ages.map { ["--age", $0] })
        let answers = try await withThrowingTaskGroup(of: (Int, String?).self) { group in
            for lane in ages.indices {
                group.addTask {
                    let id = try await reader.order(#", "lane": "lane-\#(lane + 1)""#)
                    _ = try await reader.end(of: id)
                    let answers = try await reader.result(of: id)["answers"] as? [[String: String]]
                    return (lane, answers?.first?["answer"])
                }
            }
            return try await group.reduce(into: [Int: String]()) { $0[$1.0] = $1.1 }
        }
        for (lane, age) in ages.enumerated() {
            #expect(answers[lane] == ((Int(age) ?? 0) >= 21 ? "yes" : "no"), "lane \(lane + 1)")
        }
    }

    @Test("Of several lanes one has to be named, and it has to be there")
    func laneNames() async throws {
        let reader = try await ReaderDaemon(lanes: [nil, nil])
        let order = #"{"kind": "display", "intent": "age over 21""#
        #expect(
            try await reader.asApp.call("POST", "/v1/presentations", order + "}").problem == "laneRequired")
        #expect(
            try await reader.asApp.call("POST", "/v1/presentations", order + #", "lane": "x"}"#).problem
                == "laneUnknown")
    }

    @Test("Without a prepared reader token, no data is requested")
    func data() async throws {
        let reader = try await ReaderDaemon()
        let order = #"{"kind": "data", "intent": "identity: name""#
        let refused = try await reader.asApp.call("POST", "/v1/presentations", order + "}")
        #expect(refused.status == 403 && refused.problem == "readerTokenRequired")
        let token = try await reader.asApp.call(
            "POST", "/v1/presentations", order + #", "readerToken": "a.b.c"}"#)
        #expect(token.status == 403 && token.problem == "readerTokenRefused")
    }

    @Test("A holder who declines is told apart from a fault")
    func declined() async throws {
        let reader = try await ReaderDaemon(lanes: [["--decision", "declines"]])
        let id = try await reader.order()
        #expect(try await reader.end(of: id).last == "declined")
    }
}
