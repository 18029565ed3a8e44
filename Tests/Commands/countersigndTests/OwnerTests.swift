import Foundation
import Glibc
import OtherPrograms
import Testing
import VectorFiles

@Suite("What the owner sees")
struct OwnerTests {
    private static func overview(_ client: PlainHTTP) async throws -> [String: Any] {
        try await client.call("GET", "/v1/owner").json()
    }

    private static func lastUse(of name: String, in overview: [String: Any]) -> String? {
        let tokens = overview["tokens"] as? [[String: Any]]
        return tokens?.first { $0["name"] as? String == name }?["lastUsed"] as? String
    }

    /// So many presentations ended today with this outcome.
    private static func count(_ outcome: String, in overview: [String: Any]) -> Int? {
        let hours = (overview["today"] as? [String: Any])?["hours"] as? [[String: Any]]
        return hours?.compactMap { $0[outcome] as? Int }.reduce(0, +)
    }

    @Test("Lanes, trust, today's outcomes, receipts and tokens, with nothing about a person or an order")
    func overview() async throws {
        let reader = try await ReaderDaemon()
        let before = try await Self.overview(reader.asAdmin)
        #expect(Self.count("allow", in: before) == 0)
        let id = try await reader.order(#", "retention": "receipt", "reference": "private-4711""#)
        #expect(try await reader.end(of: id).last == "verified")
        let reply = try await reader.asAdmin.call("GET", "/v1/owner")
        let after = try reply.json()
        #expect(Self.count("allow", in: after) == 1 && Self.count("deny", in: after) == 0)
        #expect((after["receipts"] as? [String: Any])?["count"] as? Int == 1)
        let lane = (after["lanes"] as? [[String: Any]])?.first
        #expect(lane?["lane"] as? String == "lane-1" && lane?["state"] as? String == "ready")
        // The bench link needs neither a reader nor Bluetooth.
        #expect(lane?["link"] as? String == "benchLink" && lane?["bluetooth"] as? String == "notUsed")
        #expect((after["trust"] as? [String: Any])?["anchors"] as? Int == 1)
        #expect(Self.lastUse(of: "app", in: after) != nil && Self.lastUse(of: "screen", in: after) == nil)
        #expect(!reply.text.contains("private-4711") && !reply.text.contains(id))
        #expect(!reply.text.contains("sha256") && !reply.text.contains(ReaderDaemon.app))
    }

    @Test(
        "What doctor wrote to the store is there with its time, but for what is well; what is no report is not"
    )
    func doctor() async throws {
        let reader = try await ReaderDaemon(lanes: [nil])
        #expect(try await Self.overview(reader.asAdmin)["doctor"] is NSNull)
        let file = reader.folder.appending(path: "store/doctor.json")
        let checks = """
            {"checks": [{"id": "usb.power", "outcome": "warning", "detail": "may sleep", "fix": "countersign doctor --fix"},
                        {"id": "clock.set", "outcome": "ok", "detail": "set", "fix": null},
                        {"id": "reader.found", "outcome": "failed", "detail": "none", "fix": null}]}
            """
        try Data(checks.utf8).write(to: file)
        let doctor = try #require(try await Self.overview(reader.asAdmin)["doctor"] as? [String: Any])
        let findings = try #require(doctor["findings"] as? [[String: Any]])
        #expect(findings.map { $0["id"] as? String } == ["usb.power", "reader.found"])
        #expect(findings[0]["fix"] as? String == "countersign doctor --fix" && findings[1]["fix"] is NSNull)
        #expect(doctor["time"] is String)
        for wrong in ["", "{", #"{"checks": 1}"#, #"{"checks": [{"id": "x"}]}"#] {
            try Data(wrong.utf8).write(to: file)
            #expect(try await Self.overview(reader.asAdmin)["doctor"] is NSNull, "\(wrong)")
        }
    }

    @Test("Who is not the administrator sees none of it")
    func refused() async throws {
        let reader = try await ReaderDaemon(lanes: [nil])
        for path in ["/v1/owner", "/v1/receipts.csv", "/v1/receipt-verification"] {
            for client in [reader.asApp, reader.asScreen, reader.asClerk] {
                #expect(try await client.call("GET", path).problem == "forbidden")
            }
            #expect(try await reader.asNobody.call("GET", path).problem == "unauthorized")
        }
    }

    @Test(
        "Receipts are verified to their end, and a head that is missing is found; the table has a line for each"
    )
    func receipts() async throws {
        let reader = try await ReaderDaemon()
        for _ in 1...2 { _ = try await reader.end(of: reader.order(#", "retention": "receipt""#)) }
        let table = try await reader.asAdmin.call("GET", "/v1/receipts.csv")
        let lines = table.text.split(separator: "\r\n")
        #expect(table.headers["content-type"]?.hasPrefix("text/csv") == true)
        #expect(lines.count == 3 && lines[0].hasPrefix(#""number","time","lane""#))
        #expect(lines[2].hasPrefix(#""2","#) && lines[2].contains(#""allow","#))
        let path = "/v1/receipt-verification"
        let holds = try await reader.asAdmin.call("GET", path).json()
        #expect(holds["verdict"] as? String == "intact" && holds["receipts"] as? Int == 2)
        try FileManager.default.removeItem(atPath: reader.folder.path + "/store/receipt-head")
        let broken = try await reader.asAdmin.call("GET", path).json()
        #expect(broken["verdict"] as? String == "broken")
        #expect((broken["broken"] as? [String: Any])?["at"] as? Int == 3)
    }

    @Test("A code of the administrator lets the owner's page in, and no other page with it")
    func page() async throws {
        let folder = VectorFiles.repository.appending(path: "Sources/Service/ReaderAPI/Kiosk").path
        let reader = try await ReaderDaemon(lanes: [nil], members: ["page": #""\#(folder)""#])
        let body = #"{"page": "owner"}"#
        let made = try await reader.asAdmin.call("POST", "/v1/page-codes", body).json()
        let code = try #require(made["code"] as? String)
        #expect(made["path"] as? String == "/owner#code=\(code)")
        #expect(try await reader.asNobody.call("GET", "/owner").text.contains("owner.js"))
        let entered = try await reader.asNobody.call("POST", "/v1/page-sessions", #"{"code": "\#(code)"}"#)
        #expect(try entered.json()["lane"] is NSNull)
        let cookie = try #require(entered.headers["set-cookie"])
        var opened = reader.asNobody
        opened.headers = ["Cookie": "\(cookie.prefix { $0 != ";" })", "Countersign-Page": "owner"]
        #expect(try await Self.overview(opened)["version"] is String)
        #expect(try await opened.call("POST", "/v1/page-codes", body).problem == "forbidden")
        for place in ["clerk-lane-1", "owner-lane-1", "owner-", ""] {
            let reply = try await opened.call("GET", "/v1/owner", headers: ["Countersign-Page": place])
            #expect(reply.problem == "unauthorized", "\(place)")
        }
    }

    @Test("A code for the owner's page is for the administrator alone, and names no lane")
    func codeRefused() async throws {
        let reader = try await ReaderDaemon(lanes: [nil])
        for client in [reader.asApp, reader.asScreen, reader.asClerk] {
            #expect(
                try await client.call("POST", "/v1/page-codes", #"{"page": "owner"}"#).problem == "forbidden")
        }
        for body in [#"{"page": "owner", "lane": "lane-1"}"#, #"{"page": "clerk"}"#] {
            #expect(try await reader.asAdmin.call("POST", "/v1/page-codes", body).problem == "bodyRefused")
        }
        let asked = try await reader.asAdmin.call(
            "POST", "/v1/page-codes", #"{"page": "clerk", "lane": "lane-1"}"#)
        #expect(asked.problem == "forbidden")
    }

    private static func status(_ socket: String, _ options: String...) async throws -> (Int32, BuiltProgram) {
        let run = try BuiltProgram("countersign", ["status", "--socket", socket] + options)
        return (try await run.ended(), run)
    }

    /// A daemon whose socket lets this user see what the administrator sees, and the path of the socket.
    private static func daemon(lanes: [[String]?]) async throws -> (ReaderDaemon, String) {
        let path = FileManager.default.temporaryDirectory.appending(path: "owner-\(UUID()).sock").path
        let socket = #"{"path": "\#(path)", "users": [{"uid": \#(getuid()), "scopes": ["admin"]}]}"#
        return (try await ReaderDaemon(lanes: lanes, members: ["socket": socket]), path)
    }

    @Test("countersign status says the same in lines and in JSON, and refuses without the scope")
    func command() async throws {
        let (reader, socket) = try await Self.daemon(lanes: [[]])
        _ = try await reader.end(of: reader.order(#", "retention": "receipt""#))
        let checks =
            #"{"checks": [{"id": "usb.power", "outcome": "warning", "detail": "may sleep", "fix": "doctor --fix"}]}"#
        try Data(checks.utf8).write(to: reader.folder.appending(path: "store/doctor.json"))
        let (status, lines) = try await Self.status(socket)
        #expect(status == 0, "\(lines.errors)")
        for words in [
            "ready", "lane-1: ready", "allow 1", "Receipts: 1", "app (app): last used",
            "warning usb.power: may sleep: doctor --fix",
        ] {
            #expect(lines.output.contains(words), "\(words): \(lines.output)")
        }
        let (_, json) = try await Self.status(socket, "--json")
        let value = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
        #expect(value?["ready"] as? Bool == true && Self.count("allow", in: value ?? [:]) == 1)
        let other = try await ReaderDaemon(lanes: [nil])
        let (refused, run) = try await Self.status(other.folder.path + "/socket")
        #expect(refused == 69 && run.errors.contains("the daemon refused the request"))
    }

    @Test("countersign status of a daemon that is not ready says so, and so does its exit code")
    func notReady() async throws {
        let (reader, socket) = try await Self.daemon(lanes: [nil])
        defer { reader.daemon.signal(SIGTERM) }
        let (status, run) = try await Self.status(socket)
        #expect(status == 69 && run.output.contains("NOT READY") && run.output.contains("Faults:"))
    }
}
