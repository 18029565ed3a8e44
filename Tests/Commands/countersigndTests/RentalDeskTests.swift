import Foundation
import OtherPrograms
import Testing

@Suite("A rental desk: age first, then the licence, in one session over HTTP")
struct RentalDeskTests {
    private static let licence = #""then": {"intent": "rental: name, licence number, categories B"}"#

    private static func order(_ token: String?, _ members: String = licence) -> String {
        let token = token.map { #", "readerToken": "\#($0)""# } ?? ""
        return #"{"kind": "display", "intent": "age over 21; else nothing", \#(members)\#(token)}"#
    }

    /// A daemon whose phone plays `wallet`, and the id of an order for both.
    private static func ordered(
        _ wallet: [String], _ members: String = licence
    ) async throws -> (ReaderDaemon, id: String) {
        let chain = try await TokenChain(lanes: [wallet])
        let reply = try await chain.reader.asApp.call(
            "POST", "/v1/presentations", order(chain.token(), members))
        return (chain.reader, try #require(try reply.json()["id"] as? String, "\(reply.text)"))
    }

    private static func presentation(
        _ id: String, _ client: PlainHTTP
    ) async throws -> (state: String, first: [String: Any], then: [String: Any]?) {
        let found = try await client.call("GET", "/v1/presentations/\(id)").json()
        let then = try #require(found["then"] as? [String: Any])
        return (
            try #require(found["state"] as? String), try #require(found["result"] as? [String: Any]),
            then["result"] as? [String: Any]
        )
    }

    /// How a presentation ended, and why.
    private static func conclusion(_ id: String, _ reader: ReaderDaemon) async throws -> [String] {
        let found = try await reader.asApp.call("GET", "/v1/presentations/\(id)").json()
        let reasons = try #require(found["reasons"] as? [String])
        return [try #require(found["outcome"] as? String)] + reasons
    }

    private static func answers(_ result: [String: Any]?) -> [String: String] {
        let answers = result?["answers"] as? [[String: String]] ?? []
        return answers.reduce(into: [:]) { $0[$1["ask"] ?? ""] = $1["answer"] }
    }

    @Test(
        "Both are asked in one session, and each has a result of its own; the documents are for the app alone"
    )
    func both() async throws {
        let (daemon, id) = try await Self.ordered(["--consent-time", "2000"])
        let states = try await daemon.end(of: id)
        #expect(states.suffix(4) == ["receiving", "awaitingConsent", "receiving", "verified"])
        #expect(try await Self.conclusion(id, daemon) == ["allow"])
        let (_, first, then) = try await Self.presentation(id, daemon.asApp)
        #expect(Self.answers(first) == ["age_over_21": "yes"])
        #expect(first["documents"] == nil)
        #expect(Self.answers(then) == ["drive:B": "yes"])
        let documents = try #require(then?["documents"] as? [[String: Any]])
        #expect("\(documents)".contains("Testrup"))
        let shown = try await Self.presentation(id, daemon.asClerk)
        #expect(shown.then?["verdict"] as? String == "mock" && shown.then?["documents"] == nil)
        try await daemon.wallets[0].said("ended by the reader, status 20")
        let said = daemon.wallets[0].errors
        #expect(said.components(separatedBy: "reader 1: answered").count == 3 && !said.contains("reader 2"))
        let check = try await SchemaCheck(daemon)
        for client in [daemon.asApp, daemon.asClerk] {
            let reply = try await client.call("GET", "/v1/presentations/\(id)")
            #expect(check.faults(of: reply, to: "GET", "/v1/presentations/{id}").isEmpty)
        }
    }

    struct Refused: Sendable, CustomTestStringConvertible {
        let wallet: [String]
        let state: String
        var answer: String?
        let outcome: String
        let why: String

        var testDescription: String { wallet.joined(separator: " ") }

        static let all = [
            Refused(
                wallet: ["--age", "20"], state: "verified", answer: "no", outcome: "deny", why: "answer.no"),
            Refused(
                wallet: ["--attests", "18"], state: "verified", answer: "unknown", outcome: "unclear",
                why: "answer.unknown"),
            Refused(
                wallet: ["--decision", "declines"], state: "declined", outcome: "declined", why: "declined"),
            Refused(
                wallet: ["--fault", "mso.expired"], state: "rejected", answer: "unknown", outcome: "deny",
                why: "validity"),
        ]
    }

    @Test("The licence is not asked for without a verified yes", arguments: Refused.all)
    func notAsked(_ row: Refused) async throws {
        let (daemon, id) = try await Self.ordered(row.wallet)
        _ = try await daemon.end(of: id)
        let (state, first, then) = try await Self.presentation(id, daemon.asApp)
        #expect(state == row.state)
        #expect(Self.answers(first)["age_over_21"] == row.answer)
        #expect(then == nil)
        let conclusion = try await Self.conclusion(id, daemon)
        #expect(conclusion.first == row.outcome && conclusion.contains(row.why), "\(conclusion)")
        #expect(!daemon.wallets[0].errors.contains("reader 1: answered\nreader 1: answered"))
    }

    struct Left: Sendable, CustomTestStringConvertible {
        let wallet: [String]
        let state: String
        let reason: String

        var testDescription: String { wallet.joined(separator: " ") }

        static let all = [
            Left(
                wallet: ["--decision", "consents", "--decision", "declines"], state: "declined",
                reason: "declined"),
            Left(
                wallet: ["--decision", "consents", "--decision", "returnsNothing"], state: "declined",
                reason: "declined"),
            Left(
                wallet: ["--fault", "ok.session_data_and_20"], state: "failed", reason: "session.status_20"),
        ]
    }

    @Test(
        "Where the age came and the licence does not, the age stands and the reason is reported",
        arguments: Left.all)
    func ageAlone(_ row: Left) async throws {
        let (daemon, id) = try await Self.ordered(row.wallet)
        _ = try await daemon.end(of: id)
        let (state, first, then) = try await Self.presentation(id, daemon.asApp)
        #expect(state == row.state)
        #expect(Self.answers(first) == ["age_over_21": "yes"])
        #expect(then?["verdict"] as? String == "incomplete")
        #expect((then?["reasons"] as? [[String: String]])?.first?["id"] == row.reason)
        #expect(then?["documents"] is NSNull)
        // Its outcome is that of what was asked last.
        let conclusion = try await Self.conclusion(id, daemon)
        #expect(conclusion.first == row.state && conclusion.contains(row.reason), "\(conclusion)")
    }

    @Test(
        "The answer of another holder's document is refused by name, and nothing of it is handed out",
        arguments: [("mdl", true), ("photoid", false)])
    func otherDocument(_ document: String, _ isSame: Bool) async throws {
        let chain = try await TokenChain(lanes: [["--holds", "mdl", "--holds", "photoid"]])
        let then = #""then": {"intent": "rental: name; from \#(document)", "retention": "receipt"}"#
        let token = try await chain.token()
        let reply = try await chain.reader.asApp.call(
            "POST", "/v1/presentations",
            #"{"kind": "display", "intent": "age over 21; from mdl", \#(then), "readerToken": "\#(token)"}"#)
        let id = try #require(try reply.json()["id"] as? String, "\(reply.text)")
        #expect(try await chain.reader.end(of: id).last == (isSame ? "verified" : "rejected"))
        let (_, first, second) = try await Self.presentation(id, chain.reader.asApp)
        #expect(Self.answers(first) == ["age_over_21": "yes"])
        let conclusion = try await Self.conclusion(id, chain.reader)
        #expect(conclusion == (isSame ? ["allow"] : ["deny", "document.other"]))
        #expect(second?["documents"] is NSNull != isSame)
        #expect("\(second ?? [:])".contains("Testrup") == isSame)
        // Its receipt says so as well.
        let receipt = try await chain.reader.asApp.call("GET", "/v1/receipts/1").json()
        let statement = try #require(receipt["statement"] as? [String: Any])
        #expect(statement["outcome"] as? String == (isSame ? "allow" : "deny"))
        #expect((statement["reasons"] as? [String])?.contains("document.other") == !isSame)
    }

    @Test(
        "The portrait of what was asked next is handed out once, to the app alone, and a display shows none")
    func portraitThen() async throws {
        let (daemon, id) = try await Self.ordered(
            [], #""then": {"intent": "rental: name, portrait"}"#)
        #expect(try await daemon.end(of: id).last == "verified")
        let (_, first, then) = try await Self.presentation(id, daemon.asApp)
        let path = "/v1/presentations/\(id)/documents/portrait"
        #expect(first["portrait"] == nil && then?["portrait"] as? String == path)
        #expect(try await daemon.asClerk.call("GET", path).problem == "forbidden")
        #expect(
            try await daemon.asClerk.call("GET", "/v1/presentations/\(id)/portrait").problem == "portraitGone"
        )
        #expect(try await daemon.asOtherApp.call("GET", path).problem == "presentationUnknown")
        let taken = try await daemon.asApp.call("GET", path)
        #expect(taken.status == 200 && taken.body.starts(with: [0xff, 0xd8, 0xff]))
        #expect(try await daemon.asApp.call("GET", path).problem == "portraitGone")
        let after = try await Self.presentation(id, daemon.asApp).then
        #expect(after?["portrait"] is NSNull && after?["documents"] is [Any])
    }

    @Test("A phone that is gone between the two fails the second by name; the age stands, the lane is free")
    func gone() async throws {
        let (daemon, id) = try await Self.ordered(["--consent-time", "1500"])
        var asked = 0
        let states = try await daemon.end(of: id) { state in
            if state == "receiving" { asked += 1 }
            if state == "awaitingConsent", asked == 1 { daemon.wallets[0].signal(SIGKILL) }
        }
        #expect(states.last == "failed")
        let (_, first, then) = try await Self.presentation(id, daemon.asApp)
        #expect(Self.answers(first) == ["age_over_21": "yes"])
        #expect((then?["reasons"] as? [[String: String]])?.first?["id"] == "link.lost")
        _ = try await daemon.order()
    }

    @Test("It is data: without a reader token it is not ordered, and what is misspelt is named")
    func refused() async throws {
        let daemon = try await ReaderDaemon(lanes: [nil])
        let bodies = [
            (Self.order(nil), 403, "readerTokenRequired"),
            (Self.order(nil, #""then": {"intent": "rental: shoe size"}"#), 400, "intentRefused"),
            (Self.order(nil, #""then": {"intent": "rental: name", "kind": "data"}"#), 400, "bodyRefused"),
            (Self.order(nil, #""then": {}"#), 400, "bodyRefused"),
            (Self.order(nil, #""holder": 2"#), 400, "bodyRefused"),
            (Self.order(nil, #""holder": 0, "reference": "r""#), 400, "bodyRefused"),
        ]
        for (body, status, problem) in bodies {
            let reply = try await daemon.asApp.call("POST", "/v1/presentations", body)
            #expect(reply.status == status && reply.problem == problem, "\(body): \(reply.text)")
        }
    }

    @Test(
        "If a person decides, data is handed out and retained only after the approval",
        arguments: [("approved", true), ("rejected", false)])
    func retainedWithTheDecision(_ decision: String, _ isRetained: Bool) async throws {
        let desk = try await RentalDesk()
        let order = try await desk.order("days(2)", #", "validation": "confirm""#)
        let id = try #require(try order.json()["id"] as? String, "\(order.text)")
        #expect(try await desk.reader.end(of: id).last == "awaitingDecision")
        let before = try await desk.reader.result(of: id)
        #expect(before["documents"] is NSNull && before["retainedUntil"] is NSNull)
        #expect(try await desk.retained().isEmpty)
        let decided = try await desk.reader.asClerk.call(
            "POST", "/v1/presentations/\(id)/decision", #"{"decision": "\#(decision)"}"#)
        #expect(decided.status == 200, "\(decided.text)")
        let after = try await desk.reader.result(of: id)
        #expect(after["documents"] is NSNull != isRetained)
        #expect(after["retainedUntil"] is NSNull != isRetained)
        #expect(try await desk.retained().isEmpty != isRetained)
    }

    @Test("A data request whose portrait a clerk would have to compare is refused before the phone is asked")
    func portraitNotCompared() async throws {
        let desk = try await RentalDesk()
        let confirm = #", "validation": "confirm""#
        let refused = try await desk.order("none", confirm, intent: "rental: name, portrait")
        #expect(refused.status == 400 && refused.problem == "intentRefused", "\(refused.text)")
        #expect(try await desk.order("none", confirm, intent: "rental: name").status == 201)
    }

    @Test("The portrait of a data request is handed out once, to the app alone")
    func portrait() async throws {
        let desk = try await RentalDesk()
        let order = try await desk.order("none", intent: "rental: name, portrait")
        let id = try #require(try order.json()["id"] as? String, "\(order.text)")
        #expect(try await desk.reader.end(of: id).last == "verified")
        let path = "/v1/presentations/\(id)/documents/portrait"
        #expect(try await desk.reader.result(of: id)["portrait"] as? String == path)
        #expect(try await desk.reader.asClerk.call("GET", path).problem == "forbidden")
        #expect(
            try await desk.reader.asClerk.call("GET", "/v1/presentations/\(id)/portrait").problem
                == "portraitGone")
        let taken = try await desk.reader.asApp.call("GET", path)
        #expect(taken.status == 200 && taken.headers["content-type"] == "image/jpeg")
        #expect(taken.body.starts(with: [0xff, 0xd8, 0xff]))
        let check = try await SchemaCheck(desk.reader)
        #expect(
            check.faults(of: taken, to: "GET", "/v1/presentations/{id}/documents/portrait").isEmpty)
        #expect(try await desk.reader.asApp.call("GET", path).problem == "portraitGone")
        let result = try await desk.reader.result(of: id)
        #expect(result["portrait"] is NSNull && result["documents"] is [Any])
        // One without a portrait has none to hand out, and twice it is not asked for.
        let other = try await desk.rent("none")
        let none = "/v1/presentations/\(other)/documents/portrait"
        #expect(try await desk.reader.asApp.call("GET", none).problem == "portraitGone")
        let twice = try await desk.order(
            "none", #", "then": {"intent": "rental: portrait"}"#, intent: "rental: portrait")
        #expect(twice.status == 400 && twice.problem == "intentRefused")
    }

    @Test("Several drivers belong to one reference, each with a presentation of their own")
    func drivers() async throws {
        let daemon = try await ReaderDaemon(lanes: [["--age", "40"], ["--age", "20"]])
        func ordered(_ holder: Int, years: Int = 21) async throws -> PlainHTTP.Reply {
            let body = #""reference": "contract-7 é", "holder": \#(holder), "lane": "lane-\#(holder)"}"#
            return try await daemon.asApp.call(
                "POST", "/v1/presentations", #"{"kind": "display", "intent": "age over \#(years)", "# + body)
        }
        var ids: [String] = []
        for holder in [2, 1] {
            let reply = try await ordered(holder)
            #expect(reply.status == 201)
            ids.insert(try #require(try reply.json()["id"] as? String), at: 0)
            _ = try await daemon.end(of: ids[0])
        }
        #expect(try await ordered(1).status == 200)
        #expect(try await ordered(2, years: 18).problem == "referenceTaken")
        let path = "/v1/presentations"
        let reply = try await daemon.asApp.call("GET", path + "?reference=contract-7%20%C3%A9")
        let known = try #require(try reply.json()["presentations"] as? [[String: Any]])
        #expect(known.map { $0["id"] as? String } == ids && known.map { $0["holder"] as? Int } == [1, 2])
        #expect(known.map { Self.answers($0["result"] as? [String: Any])["age_over_21"] } == ["yes", "no"])
        let check = try await SchemaCheck(daemon)
        #expect(check.faults(of: reply, to: "GET", path).isEmpty)
        let other = try await daemon.asApp.call("GET", path + "?reference=contract")
        #expect((try other.json()["presentations"] as? [Any])?.isEmpty == true)
        #expect(try await daemon.asClerk.call("GET", path + "?reference=x").problem == "forbidden")
    }
}
