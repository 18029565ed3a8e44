import Foundation
import OpenSSLCrypto
import OtherPrograms
import Testing

/// A daemon with a brand, presets that ask for data, and the tokens of two desks.
struct DeskStage {
    static let presets = #"""
        [{"name": "Rental", "names": {"de": "Miete"}, "intent": "age over 21", "brand": "utopia",
          "then": {"intent": "rental: name, licence number", "retention": "days(2)"}},
         {"name": "Data", "kind": "data", "intent": "identity: name", "retention": "days(2)", "brand": "utopia"},
         {"name": "Agreed", "kind": "data", "intent": "identity: name", "retention": "consented(3)", "brand": "utopia"},
         {"name": "Age 18", "intent": "age over 18"}]
        """#

    let reader: ReaderDaemon
    /// The token of the desk at `lane-1`.
    let desk: PlainHTTP
    /// The token of another desk, which has both lanes.
    let branch: PlainHTTP

    init(lanes: [[String]?] = [[], []], members: [String: String] = [:]) async throws {
        reader = try await ReaderDaemon(lanes: lanes, members: members)
        desk = PlainHTTP(.tcp(port: reader.port), token: "desk-token-of-the-tests")
        branch = PlainHTTP(.tcp(port: reader.port), token: "branch-token-of-the-tests")
        _ = try await countersign("brand", "add", "utopia", "--name", "Utopia Rentals")
        _ = try await countersign("brand", "key", "add", "utopia", "--kid", "k1", "--generate", keyPath)
        try await reload()
    }

    private var keyPath: String { reader.folder.path + "/utopia.pem" }

    func countersign(_ arguments: String...) async throws -> String {
        try await TokenChain.run(arguments + ["--store", reader.folder.path + "/store"])
    }

    /// Adds presets, key and tokens to the daemon's file.
    private func reload() async throws {
        try await change { members in
            members["presets"] = try JSONSerialization.jsonObject(with: Data(Self.presets.utf8))
            members["readerTokens"] = [
                "keys": [["brand": "utopia", "kid": "k1", "keyFile": keyPath]], "grants": [] as [Any],
            ]
            let tokens = try #require(members["tokens"] as? [[String: Any]])
            members["tokens"] =
                tokens + [
                    Self.token("desk", ["scopes": ["desk"], "lanes": ["lane-1"]]),
                    Self.token("branch", ["scopes": ["desk"]]),
                    Self.token("both", ["scopes": ["app", "desk"]]),
                    Self.token("button", ["scopes": ["order"]]),
                ]
        }
    }

    /// Changes the daemon's file, and has the daemon read it.
    func change(_ body: (inout [String: Any]) throws -> Void) async throws {
        let file = reader.folder.appending(path: "countersignd.json")
        var members = try #require(
            JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
        try body(&members)
        try JSONSerialization.data(withJSONObject: members).write(to: file)
        let words = "read its configuration file again"
        let count = reader.daemon.errors.components(separatedBy: words).count
        reader.daemon.signal(SIGHUP)
        try await reader.daemon.said(words, times: count)
    }

    private static func token(_ name: String, _ rights: [String: Any]) -> [String: Any] {
        let digest = Digest(.sha256, of: Array("\(name)-token-of-the-tests".utf8)[...]).bytes
        let members: [String: Any] = [
            "name": name, "sha256": digest.map { String(format: "%02x", $0) }.joined(),
        ]
        return members.merging(rights) { _, new in new }
    }

    func start(
        _ preset: String, _ further: String = #", "reference": "b-1""#, at lane: Int = 1,
        by client: PlainHTTP? = nil
    ) async throws -> PlainHTTP.Reply {
        try await (client ?? desk).call(
            "POST", "/v1/lanes/lane-\(lane)/presentations", #"{"preset": "\#(preset)"\#(further)}"#)
    }

    /// Starts a preset and waits for its end; the presentation's id.
    func run(
        _ preset: String, _ further: String = #", "reference": "b-1""#, at lane: Int = 1,
        by client: PlainHTTP? = nil
    ) async throws -> String {
        let reply = try await start(preset, further, at: lane, by: client)
        let id = try #require(try reply.json()["id"] as? String, "\(reply.text)")
        _ = try await reader.end(of: id, as: client ?? desk)
        return id
    }

    /// Orders data at `lane-1` as a program with a reader token, and waits for the end; the presentation's id.
    func order(_ reference: String, holder: Int, by client: PlainHTTP) async throws -> String {
        let instance = try await countersign("token", "instance").trimmingCharacters(in: .newlines)
        let token = try await TokenChain.run([
            "token", "sign", "--brand", "utopia", "--kid", "k1", "--key", keyPath, "--instance", instance,
        ]).trimmingCharacters(in: .newlines)
        let reply = try await client.call(
            "POST", "/v1/presentations",
            #"{"kind": "data", "lane": "lane-1", "intent": "identity: name", "retention": "days(2)", "#
                + #""reference": "\#(reference)", "holder": \#(holder), "readerToken": "\#(token)"}"#)
        let id = try #require(try reply.json()["id"] as? String, "\(reply.text)")
        _ = try await reader.end(of: id, as: client)
        return id
    }

    /// A page of the desk of a lane, which this token let in.
    func page(at lane: Int, by client: PlainHTTP) async throws -> PlainHTTP {
        let code = try await client.call(
            "POST", "/v1/page-codes", #"{"page": "desk", "lane": "lane-\#(lane)"}"#)
        let text = try #require(try code.json()["code"] as? String, "\(code.text)")
        let entered = try await reader.asNobody.call("POST", "/v1/page-sessions", #"{"code": "\#(text)"}"#)
        let cookie = try #require(entered.headers["set-cookie"])
        var page = reader.asNobody
        page.headers = ["Cookie": "\(cookie.prefix { $0 != ";" })", "Countersign-Page": "desk-lane-\(lane)"]
        return page
    }

    static func post(_ path: String, _ reference: String, by client: PlainHTTP) async throws
        -> PlainHTTP.Reply
    {
        try await client.call("POST", path, #"{"reference": "\#(reference)"}"#)
    }

    /// The ids of the presentations that a caller has under a reference.
    func listed(_ reference: String, by client: PlainHTTP) async throws -> [String] {
        let list = try await client.call("GET", "/v1/presentations?reference=\(reference)").json()
        return (list["presentations"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
    }

    func retained() async throws -> Int {
        let list = try await countersign("retained", "list", "--json")
        let members = try #require(JSONSerialization.jsonObject(with: Data(list.utf8)) as? [String: Any])
        return (members["records"] as? [Any])?.count ?? 0
    }
}

@Suite("A desk: presets that ask for data, and the scope that may start them")
struct DeskTests {
    private static func elements(_ presentation: [String: Any], _ part: String? = nil) -> String {
        let holder = part.flatMap { presentation[$0] as? [String: Any] } ?? presentation
        return "\((holder["result"] as? [String: Any])?["documents"] ?? "nothing")"
    }

    @Test("A desk asks, reads the data, finds it by its booking, exports it and deletes it with one request")
    func booking() async throws {
        let stage = try await DeskStage()
        let lane = try await stage.desk.call("GET", "/v1/lanes/lane-1")
        let presets = try lane.json()["dataPresets"] as? [[String: Any]]
        #expect(presets?.map { $0["preset"] as? String } == ["Rental", "Data", "Agreed"], "\(lane.text)")
        #expect(presets?.map { $0["needsConsent"] as? Bool } == [false, false, true])
        #expect(presets?.map { $0["names"] as? [String: String] } == [["de": "Miete"], [:], [:]])
        #expect(try await SchemaCheck(stage.reader).faults(of: lane, to: "GET", "/v1/lanes/{lane}").isEmpty)
        let page = try await stage.page(at: 1, by: stage.desk)
        let first = try await stage.run("Rental", #", "reference": "b-1", "holder": 1"#, by: page)
        let seen = try await page.call("GET", "/v1/presentations/\(first)").json()
        #expect(
            seen["outcome"] as? String == "allow"
                && (seen["brand"] as? [String: Any])?["name"] as? String == "Utopia Rentals")
        #expect(Self.elements(seen) == "nothing" && Self.elements(seen, "then").contains("Testrup"))
        let second = try await stage.run("Data", #", "reference": "b-1", "holder": 2"#, by: page)
        #expect(
            Self.elements(try await page.call("GET", "/v1/presentations/\(second)").json()).contains(
                "Testrup"))
        let list = try await page.call("GET", "/v1/presentations?reference=b-1").json()
        let ids = (list["presentations"] as? [[String: Any]])?.compactMap { $0["id"] as? String }
        #expect(ids == [first, second])
        // Another request of the same order is the same presentation, although the token may be another.
        let again = try await stage.start("Data", #", "reference": "b-1", "holder": 2"#, by: page)
        #expect(try again.status == 200 && again.json()["id"] as? String == second, "\(again.text)")
        #expect(try await stage.retained() == 2)
        let export = try await DeskStage.post("/v1/exports", "b-1", by: page)
        #expect(try (export.json()["records"] as? [Any])?.count == 2, "\(export.text)")
        #expect(try await stage.retained() == 2)
        #expect(try await Self.deadlines(of: [first, second], by: page) == 2)
        let deleted = try await DeskStage.post("/v1/deletions", "b-1", by: page)
        #expect(try deleted.json()["removed"] as? Int == 2, "\(deleted.text)")
        #expect(try await stage.retained() == 0)
        // The deletion removed the elements in memory too, and the export cannot be confirmed any more.
        for id in [first, second] {
            let wiped = try await page.call("GET", "/v1/presentations/\(id)")
            #expect(!wiped.text.contains("Testrup"), "\(wiped.text)")
        }
        #expect(try await Self.deadlines(of: [first, second], by: page) == 0)
        let late = try await page.call("DELETE", "/v1/exports/\(export.json()["id"] as? String ?? "")")
        #expect(late.problem == "exportUnknown")
        #expect(try await DeskStage.post("/v1/deletions", "b-1", by: page).problem == "nothingRetained")
        #expect(!stage.reader.daemon.errors.contains("Testrup"))
    }

    @Test("After a confirmed export, no presentation of the export names a deadline of retained data")
    func confirmed() async throws {
        let stage = try await DeskStage()
        let exported = try await stage.run("Data", #", "reference": "b-1", "holder": 1"#)
        let export = try await DeskStage.post("/v1/exports", "b-1", by: stage.desk).json()
        // The twin: data that is retained after the export is in no export, and stays.
        let later = try await stage.run("Data", #", "reference": "b-1", "holder": 2"#)
        #expect(try await Self.deadlines(of: [exported, later], by: stage.desk) == 2)
        let path = "/v1/exports/\(try #require(export["id"] as? String))"
        #expect(try await stage.desk.call("DELETE", path).json()["removed"] as? Int == 1)
        #expect(try await Self.deadlines(of: [exported], by: stage.desk) == 0)
        #expect(try await Self.deadlines(of: [later], by: stage.desk) == 1)
        #expect(try await stage.retained() == 1)
    }

    /// The number of presentations with a deadline of retained data in one of their results.
    private static func deadlines(of ids: [String], by client: PlainHTTP) async throws -> Int {
        var count = 0
        for id in ids {
            let seen = try await client.call("GET", "/v1/presentations/\(id)").json()
            let results = [seen, seen["then"] as? [String: Any]].map { $0?["result"] as? [String: Any] }
            count += results.contains { $0?["retainedUntil"] is String } ? 1 : 0
        }
        return count
    }

    @Test("No clerk, app, button or other desk may start, see, export or delete a desk's presentation")
    func others() async throws {
        let stage = try await DeskStage()
        let id = try await stage.run("Data")
        let button = PlainHTTP(.tcp(port: stage.reader.port), token: "button-token-of-the-tests")
        for client in [button, stage.reader.asClerk] {
            #expect(try await stage.start("Data", by: client).problem == "presetUnknown")
            #expect(
                try await stage.start("Age 18", #", "consent": "given""#, by: client).problem == "bodyRefused"
            )
            let lane = try await client.call("GET", "/v1/lanes/lane-1").json()
            #expect(lane["presets"] as? [String] == ["Age 18"] && lane["dataPresets"] == nil)
        }
        #expect(try await stage.start("Data", by: stage.reader.asApp).problem == "forbidden")
        for client in [stage.branch, stage.reader.asApp, button] {
            #expect(try await client.call("GET", "/v1/presentations/\(id)").problem == "presentationUnknown")
        }
        let clerk = try await stage.reader.asClerk.call("GET", "/v1/presentations/\(id)")
        #expect(clerk.status == 200 && !clerk.text.contains("Testrup"))
        for client in [stage.branch, stage.reader.asApp] {
            for path in ["/v1/exports", "/v1/deletions"] {
                #expect(try await DeskStage.post(path, "b-1", by: client).problem == "nothingRetained")
            }
            let list = try await client.call("GET", "/v1/presentations?reference=b-1").json()
            #expect((list["presentations"] as? [Any])?.isEmpty == true)
        }
        #expect(try await stage.retained() == 1)
    }

    @Test(
        "A desk has no right but its own: no free order, no receipt, no token, no other preset, no other lane"
    )
    func limits() async throws {
        let stage = try await DeskStage()
        #expect(try await stage.start("Age 18").problem == "presetUnknown")
        #expect(try await stage.start("Data", at: 2).problem == "laneUnknown")
        for path in ["/v1/lanes/lane-2", "/v1/lanes/lane-2/events"] {
            #expect(try await stage.desk.call("GET", path).problem == "laneUnknown")
        }
        for path in [
            "/v1/receipts", "/v1/receipts/1", "/v1/receipt-chain", "/v1/receipt-keys", "/v1/owner",
            "/v1/trust",
        ] {
            #expect(try await stage.desk.call("GET", path).problem == "forbidden", "\(path)")
        }
        for path in ["/v1/presentations", "/v1/reader-tokens"] {
            #expect(try await stage.desk.call("POST", path, "{}").problem == "forbidden", "\(path)")
        }
        let codes = [
            #""page": "clerk", "lane": "lane-1""#, #""page": "desk", "lane": "lane-2""#, #""page": "owner""#,
        ]
        for place in codes {
            #expect(
                try await stage.desk.call("POST", "/v1/page-codes", "{\(place)}").problem == "forbidden",
                "\(place)")
        }
        let id = try await stage.run("Data")
        #expect(
            try await stage.desk.call("GET", "/v1/presentations/\(id)/documents/portrait").problem
                == "forbidden")
    }

    @Test("A page of one lane sees nothing of another lane, even if one token signed both pages in")
    func lanes() async throws {
        let stage = try await DeskStage()
        let (one, two) = (
            try await stage.page(at: 1, by: stage.branch), try await stage.page(at: 2, by: stage.branch)
        )
        let id = try await stage.run("Data", #", "reference": "shared""#, by: one)
        #expect(try await two.call("GET", "/v1/presentations/\(id)").problem == "presentationUnknown")
        let list = try await two.call("GET", "/v1/presentations?reference=shared").json()
        #expect((list["presentations"] as? [Any])?.isEmpty == true)
        for path in ["/v1/exports", "/v1/deletions"] {
            #expect(try await DeskStage.post(path, "shared", by: two).problem == "nothingRetained")
        }
        let export = try await DeskStage.post("/v1/exports", "shared", by: one).json()
        let path = "/v1/exports/\(try #require(export["id"] as? String))"
        #expect(try await two.call("DELETE", path).problem == "exportUnknown")
        #expect(try await one.call("DELETE", path).json()["removed"] as? Int == 1)
    }

    @Test("After a lane is renamed, its data is available at each desk of its caller, and to no other caller")
    func renamedLane() async throws {
        let stage = try await DeskStage()
        _ = try await stage.run("Data")
        let id = try await stage.run("Data", #", "reference": "b-2""#, by: stage.branch)
        let page = try await stage.page(at: 2, by: stage.branch)
        #expect(try await DeskStage.post("/v1/exports", "b-2", by: page).problem == "nothingRetained")
        try await stage.change { members in
            var lanes = try #require(members["lanes"] as? [[String: Any]])
            lanes[0]["name"] = "front"
            members["lanes"] = lanes
        }
        for client in [stage.desk, stage.reader.asApp, stage.reader.asOtherApp] {
            for path in ["/v1/exports", "/v1/deletions"] {
                #expect(try await DeskStage.post(path, "b-2", by: client).problem == "nothingRetained")
            }
        }
        #expect(try await DeskStage.post("/v1/deletions", "b-1", by: page).problem == "nothingRetained")
        let export = try await DeskStage.post("/v1/exports", "b-2", by: page)
        #expect(try (export.json()["records"] as? [Any])?.count == 1, "\(export.text)")
        let path = "/v1/exports/\(try #require(try export.json()["id"] as? String))"
        #expect(try await stage.desk.call("DELETE", path).problem == "exportUnknown")
        #expect(try await page.call("DELETE", path).json()["removed"] as? Int == 1)
        let deleted = try await DeskStage.post("/v1/deletions", "b-1", by: stage.desk)
        #expect(try deleted.json()["removed"] as? Int == 1, "\(deleted.text)")
        #expect(try await stage.retained() == 0)
        #expect(try await page.call("GET", "/v1/presentations/\(id)").problem == "presentationUnknown")
    }

    @Test("Data is deleted only while nothing is asked under its reference, and else nothing is deleted")
    func deletionWhileAsked() async throws {
        let stage = try await DeskStage(lanes: [["--consent-time", "1500"], []])
        let first = try await stage.run("Data")
        let reply = try await stage.start("Data", #", "reference": "b-1", "holder": 2"#)
        let second = try #require(try reply.json()["id"] as? String, "\(reply.text)")
        let refused = try await DeskStage.post("/v1/deletions", "b-1", by: stage.desk)
        #expect(refused.status == 409 && refused.problem == "referenceBusy", "\(refused.text)")
        #expect(try refused.json()["presentation"] as? String == second)
        #expect(try await stage.retained() > 0)
        #expect(try await stage.desk.call("GET", "/v1/presentations/\(first)").text.contains("Testrup"))
        // Another reference, and another caller with the same reference, are not concerned.
        for (reference, client) in [("b-2", stage.desk), ("b-1", stage.branch)] {
            let other = try await DeskStage.post("/v1/deletions", reference, by: client)
            #expect(other.problem == "nothingRetained", "\(other.text)")
        }
        #expect(try await stage.reader.end(of: second, as: stage.desk).last == "verified")
        let deleted = try await DeskStage.post("/v1/deletions", "b-1", by: stage.desk)
        #expect(try deleted.json()["removed"] as? Int == 2, "\(deleted.text)")
        #expect(try await stage.retained() == 0)
    }

    @Test("Data without a reference is deleted by its presentation's id, once that is over, in memory too")
    func deletionByID() async throws {
        let stage = try await DeskStage(lanes: [["--consent-time", "1500"]])
        let first = try await stage.run("Data", "")
        let reply = try await stage.start("Data", "")
        let second = try #require(try reply.json()["id"] as? String, "\(reply.text)")
        let refused = try await DeskStage.post("/v1/deletions", second, by: stage.desk)
        #expect(refused.status == 409 && refused.problem == "referenceBusy", "\(refused.text)")
        #expect(try await stage.reader.end(of: second, as: stage.desk).last == "verified")
        let deleted = try await DeskStage.post("/v1/deletions", first, by: stage.desk)
        #expect(try deleted.json()["removed"] as? Int == 1, "\(deleted.text)")
        #expect(try await !stage.desk.call("GET", "/v1/presentations/\(first)").text.contains("Testrup"))
        #expect(try await stage.desk.call("GET", "/v1/presentations/\(second)").text.contains("Testrup"))
        #expect(try await stage.retained() == 1)
    }

    @Test("What a desk's page deletes are its own elements, not those of a program with the same token")
    func ownElements() async throws {
        let stage = try await DeskStage()
        let both = PlainHTTP(.tcp(port: stage.reader.port), token: "both-token-of-the-tests")
        let page = try await stage.page(at: 1, by: both)
        let own = try await stage.run("Data", by: page)
        let ordered = try await stage.order("b-1", holder: 2, by: both)
        #expect(try await DeskStage.post("/v1/deletions", "b-1", by: page).json()["removed"] as? Int == 1)
        #expect(try await !both.call("GET", "/v1/presentations/\(own)").text.contains("Testrup"))
        #expect(try await both.call("GET", "/v1/presentations/\(ordered)").text.contains("Testrup"))
        #expect(try await stage.retained() == 1)
        let deleted = try await DeskStage.post("/v1/deletions", "b-1", by: both)
        #expect(try deleted.json()["removed"] as? Int == 1, "\(deleted.text)")
        #expect(try await !both.call("GET", "/v1/presentations/\(ordered)").text.contains("Testrup"))
    }

    @Test(
        "Data that needs the holder's consent is not asked for without it, and not asked for again without it"
    )
    func consent() async throws {
        let stage = try await DeskStage(lanes: [["--decision", "declines"]])
        let reference = #", "reference": "b-1""#
        #expect(try await stage.start("Agreed", reference).problem == "retentionRefused")
        #expect(
            try await stage.start("Agreed", reference + #", "consent": "not-given""#).problem
                == "retentionRefused")
        let id = try await stage.run("Agreed", reference + #", "consent": "given""#)
        let path = "/v1/presentations/\(id)/again"
        #expect(try await stage.desk.call("POST", path, "{}").problem == "retentionRefused")
        #expect(
            try await stage.reader.asClerk.call("POST", path, #"{"consent": "given"}"#).problem
                == "forbidden")
        let again = try await stage.desk.call("POST", path, #"{"consent": "given"}"#)
        let members = try again.json()
        #expect(again.status == 201 && members["repeats"] as? String == id, "\(again.text)")
        // The desk finds both attempts, and what the second one retains, under the booking.
        #expect(members["reference"] as? String == "b-1" && members["holder"] as? Int == 1)
        _ = try await stage.reader.end(of: try #require(members["id"] as? String), as: stage.desk)
        let list = try await stage.desk.call("GET", "/v1/presentations?reference=b-1").json()
        #expect((list["presentations"] as? [Any])?.count == 2)
    }

    @Test("What a repeated order retains is under the booking, as what the first attempt would have retained")
    func retainedAgain() async throws {
        let stage = try await DeskStage(lanes: [["--consent-time", "1500"]])
        let reply = try await stage.start("Data")
        let id = try #require(try reply.json()["id"] as? String, "\(reply.text)")
        let states = try await stage.reader.end(of: id, as: stage.desk) { state in
            guard state == "awaitingConsent" else { return }
            _ = try await stage.desk.call("DELETE", "/v1/presentations/\(id)")
        }
        #expect(states.last == "cancelled")
        #expect(try await DeskStage.post("/v1/exports", "b-1", by: stage.desk).problem == "nothingRetained")
        let again = try await stage.desk.call("POST", "/v1/presentations/\(id)/again", "{}").json()
        let second = try #require(again["id"] as? String, "\(again)")
        #expect(try await stage.reader.end(of: second, as: stage.desk).last == "verified")
        let deleted = try await DeskStage.post("/v1/deletions", "b-1", by: stage.desk)
        #expect(try deleted.json()["removed"] as? Int == 1, "\(deleted.text)")
        let wiped = try await stage.desk.call("GET", "/v1/presentations/\(second)")
        #expect(wiped.status == 200 && !wiped.text.contains("Testrup"))
    }

    @Test("A preset that was changed or removed is not asked again, and one that is still there is")
    func removedPreset() async throws {
        let stage = try await DeskStage(lanes: [["--decision", "declines"]])
        let page = try await stage.page(at: 1, by: stage.desk)
        func start(_ preset: String, by client: PlainHTTP) async throws -> String {
            let id = try await stage.run(preset, "", by: client)
            return "/v1/presentations/\(id)/again"
        }
        let (data, rental) = (try await start("Data", by: page), try await start("Rental", by: page))
        try await stage.change { members in
            var presets = try #require(members["presets"] as? [[String: Any]])
            presets.removeAll { $0["name"] as? String == "Data" }
            members["presets"] = presets
        }
        #expect(try await page.call("POST", data, "{}").problem == "presetUnknown")
        let again = try await page.call("POST", rental, "{}")
        let id = try #require(try again.json()["id"] as? String, "\(again.text)")
        _ = try await stage.reader.end(of: id, as: page)
        let age = try await start("Age 18", by: stage.reader.asClerk)
        try await stage.change { members in
            var presets = try #require(members["presets"] as? [[String: Any]])
            for index in presets.indices where presets[index]["name"] as? String == "Age 18" {
                presets[index]["intent"] = "age over 16"
            }
            members["presets"] = presets
        }
        #expect(try await stage.reader.asClerk.call("POST", age, "{}").problem == "presetUnknown")
    }

    @Test("After a restart a booking has every attempt, and its order finds the first one")
    func restart() async throws {
        let stage = try await DeskStage(lanes: [["--decision", "declines"]])
        let first = try await stage.run("Data", #", "reference": "b-1", "holder": 2"#)
        let again = try await stage.desk.call("POST", "/v1/presentations/\(first)/again", "{}").json()
        let second = try #require(again["id"] as? String, "\(again)")
        _ = try await stage.reader.end(of: second, as: stage.desk)
        let other = try await stage.run("Data", #", "reference": "b-2""#)
        stage.reader.daemon.signal(SIGTERM)
        _ = try await stage.reader.daemon.ended()
        let restarted = try await stage.reader.startAgain()
        defer { restarted.signal(SIGTERM) }
        #expect(try await stage.listed("b-1", by: stage.desk) == [first, second])
        #expect(try await stage.listed("b-2", by: stage.desk) == [other])
        let repeated = try await stage.start("Data", #", "reference": "b-1", "holder": 2"#)
        #expect(try repeated.status == 200 && repeated.json()["id"] as? String == first, "\(repeated.text)")
    }

    @Test("After a restart too a desk's page lists what it began, and nothing of a program with its token")
    func restartedProgram() async throws {
        let stage = try await DeskStage()
        let both = PlainHTTP(.tcp(port: stage.reader.port), token: "both-token-of-the-tests")
        let page = try await stage.page(at: 1, by: both)
        let ordered = try await stage.order("b-1", holder: 1, by: both)
        let own = try await stage.run("Data", #", "reference": "b-1", "holder": 2"#, by: page)
        #expect(try await stage.listed("b-1", by: page) == [own])
        stage.reader.daemon.signal(SIGTERM)
        _ = try await stage.reader.daemon.ended()
        let restarted = try await stage.reader.startAgain()
        defer { restarted.signal(SIGTERM) }
        #expect(try await stage.listed("b-1", by: page) == [own])
        #expect(try await stage.listed("b-1", by: both) == [ordered, own])
        let all = try await page.call("GET", "/v1/presentations").json()["presentations"] as? [[String: Any]]
        #expect(all?.map { $0["id"] as? String } == [own])
        let path = "/v1/presentations/\(ordered)"
        #expect(try await page.call("GET", path).problem == "presentationUnknown")
        #expect(try await both.call("GET", path).status == 200)
    }

    @Test("A revoked key ends the token that the daemon had made with it")
    func revoked() async throws {
        let stage = try await DeskStage()
        _ = try await stage.run("Data")
        _ = try await stage.countersign("brand", "key", "revoke", "k1")
        let refused = try await stage.start("Data", #", "reference": "b-2""#)
        #expect(refused.problem == "brandUnavailable", "\(refused.text)")
        let audit = stage.reader.daemon.errors.components(separatedBy: "reader token")
        #expect(audit.count == 3, "one line for each token that was made or refused")
        #expect(!stage.reader.daemon.errors.contains("eyJ"), "a token is in the log")
    }
}
