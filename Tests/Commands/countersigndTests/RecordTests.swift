import Foundation
import MdocModel
import OtherPrograms
import ReaderService
import Testing

@Suite("What countersignd keeps of presentations, and for how long")
struct RecordTests {
    @Test(
        "Data is retained with a receipt that verifies offline, handed out, and gone from the files once that is confirmed"
    )
    func story() async throws {
        let desk = try await RentalDesk()
        let id = try await desk.rent("days(2)", reference: "booking-4711")
        let result = try await desk.reader.result(of: id)
        #expect(result["receipt"] as? String == "1" && result["retainedUntil"] is String)
        let record = try #require(try await desk.retained().first)
        #expect(desk.isAnywhere(record))
        let receipt = try await desk.reader.asApp.call("GET", "/v1/receipts/1").json()
        #expect((receipt["statement"] as? [String: Any])?["retention"] as? String == "days(2)")
        try await verify(desk, head: #require(receipt["digest"] as? String))

        let export = try await desk.export("booking-4711")
        #expect(export.status == 200 && export.headers["cache-control"] == "no-store")
        let records = try #require(export.json()["records"] as? [[String: Any]])
        #expect(
            try records.map { $0["id"] as? String } == [record] && export.json()["handedOutBefore"] is NSNull)
        let elements = (records.first?["elements"] as? [String: Any])?["org.iso.18013.5.1"] as? [String: Any]
        #expect(
            Set((elements ?? [:]).keys) == [
                "family_name", "given_name", "document_number", "age_over_21",
            ])
        #expect(desk.isAnywhere(record))
        #expect(try await desk.confirm(export).json()["removed"] as? Int == 1)
        let again = try await desk.export("booking-4711")
        #expect(again.status == 404 && again.problem == "nothingRetained")
        #expect(!desk.isAnywhere(record))

        // Without a reference it is its presentation's.
        let other = try await desk.rent("age+id-number(1)")
        let kept = try #require(try await desk.retained().first)
        #expect(desk.isAnywhere(kept))
        let tomorrow = WallClock.system.now.advanced(bySeconds: 86_400 + 60)
        #expect(try await desk.json("retained", "purge", "--at", "\(tomorrow)")["purged"] as? Int == 1)
        #expect(!desk.isAnywhere(kept))
        #expect(try await desk.export(other).problem == "nothingRetained")
    }

    /// Has the command line verify what the daemon hands out, and find a bit that is changed.
    private func verify(_ desk: RentalDesk, head: String) async throws {
        let chain = try await desk.reader.asAdmin.call("GET", "/v1/receipt-chain")
        let keys = try await desk.reader.asApp.call("GET", "/v1/receipt-keys")
        #expect(chain.status == 200 && chain.headers["content-type"] == "application/cbor")
        let folder = desk.reader.folder
        try Data(chain.body).write(to: folder.appending(path: "chain"))
        try Data(keys.body).write(to: folder.appending(path: "keys.pem"))
        var changed = chain.body
        changed[changed.count / 2] ^= 1
        try Data(changed).write(to: folder.appending(path: "changed"))
        let given = ["--key", folder.path + "/keys.pem", "--head", head]
        for (file, status) in [("chain", 0), ("changed", 2)] as [(String, Int32)] {
            let run = try BuiltProgram(
                "countersign", ["receipt", "verify", "\(folder.path)/\(file)"] + given)
            #expect(try await run.ended() == status, "\(run.output) \(run.errors)")
        }
    }

    @Test(
        "An export can be repeated if its answer is lost, and only its own caller can confirm the latest one"
    )
    func lost() async throws {
        let desk = try await RentalDesk()
        _ = try await desk.rent("days(1)", reference: "r")
        let record = try #require(try await desk.retained().first)
        let path = "/v1/exports"
        let body = #"{"reference": "r"}"#
        let lost = try await desk.reader.asApp.open(
            "POST \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(desk.reader.port)\r\n"
                + "Authorization: Bearer \(ReaderDaemon.app)\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        _ = try await lost.next()
        #expect(desk.isAnywhere(record))
        let first = try await desk.export("r")
        #expect(try first.json()["handedOutBefore"] is String)
        let second = try await desk.export("r")
        #expect(try await desk.confirm(first).problem == "exportUnknown")
        let id = try #require(try second.json()["id"] as? String)
        #expect(try await desk.reader.asOtherApp.call("DELETE", "\(path)/\(id)").problem == "exportUnknown")
        #expect(desk.isAnywhere(record))
        let check = try await SchemaCheck(desk.reader)
        let confirmed = try await desk.confirm(second)
        #expect(confirmed.status == 200 && !desk.isAnywhere(record))
        #expect(check.faults(of: confirmed, to: "DELETE", "/v1/exports/{id}").isEmpty)
        #expect(check.faults(of: second, to: "POST", path).isEmpty)
        #expect(try await desk.confirm(second).problem == "exportUnknown")
        #expect(try await desk.export("r").problem == "nothingRetained")
    }

    @Test("A display request retains nothing, and is refused where it should")
    func display() async throws {
        let desk = try await RentalDesk()
        let refused = try await desk.reader.asApp.call(
            "POST", "/v1/presentations",
            #"{"kind": "display", "intent": "age over 21", "retention": "days(1)"}"#)
        #expect(refused.status == 400 && refused.problem == "retentionRefused")
        #expect(try await desk.order("consented").problem == "retentionRefused")
        let id = try await desk.reader.order(#", "retention": "receipt""#)
        _ = try await desk.reader.end(of: id)
        let result = try await desk.reader.result(of: id)
        #expect(result["receipt"] as? String == "1" && result["retainedUntil"] is NSNull)
        let none = try await desk.reader.order()
        _ = try await desk.reader.end(of: none)
        #expect(try await desk.reader.result(of: none)["receipt"] is NSNull)
        #expect(try await desk.reader.asAdmin.call("GET", "/v1/receipts").json()["count"] as? Int == 1)
    }

    @Test(
        "Every end has its receipt, with its own word",
        arguments: [
            ([], "verified"), (["--decision", "declines"], "declined"), (nil, "failed"),
            (["--consent-time", "30000"], "cancelled"),
            (["--fault", "issuer_auth.signature_flipped"], "rejected"),
        ] as [([String]?, String)])
    func endings(_ wallet: [String]?, _ verdict: String) async throws {
        let reader = try await ReaderDaemon(lanes: [wallet, []])
        let id = try await reader.order(#", "lane": "lane-1", "retention": "receipt""#)
        if verdict == "cancelled" { _ = try await reader.asApp.call("DELETE", "/v1/presentations/\(id)") }
        #expect(try await reader.end(of: id).last == verdict)
        #expect(try await reader.result(of: id)["receipt"] as? String == "1")
        let receipt = try await reader.asAdmin.call("GET", "/v1/receipts/1").json()
        let statement = try #require(receipt["statement"] as? [String: Any])
        #expect(statement["verdict"] as? String == (verdict == "verified" ? "mock" : verdict))
        // Where a document came it is a test issuer's, whatever became of it.
        let isTest = ["verified", "rejected"].contains(verdict)
        #expect(statement["test"] as? Bool == isTest && statement["lane"] as? String == "lane-1")
        let answers = statement["questions"] as? [[String: String]]
        #expect(answers == [["ask": "age_over_21", "answer": verdict == "verified" ? "yes" : "unknown"]])
        #expect((statement["reasons"] as? [String])?.isEmpty == (verdict == "verified"))
    }

    @Test("Receipts come in pages, and what is asked amiss is refused")
    func pages() async throws {
        let reader = try await ReaderDaemon()
        for _ in 0..<3 {
            let id = try await reader.order(#", "retention": "receipt""#)
            _ = try await reader.end(of: id)
        }
        let check = try await SchemaCheck(reader)
        let page = try await reader.asAdmin.call("GET", "/v1/receipts?after=1&limit=1")
        let receipts = try #require(page.json()["receipts"] as? [[String: Any]])
        #expect(try receipts.map { $0["id"] as? String } == ["2"] && page.json()["count"] as? Int == 3)
        #expect(check.faults(of: page, to: "GET", "/v1/receipts").isEmpty)
        let one = try await reader.asAdmin.call("GET", "/v1/receipts/3")
        #expect(try one.json()["digest"] as? String == page.json()["head"] as? String)
        #expect(check.faults(of: one, to: "GET", "/v1/receipts/{id}").isEmpty)
        for query in ["after=-1", "limit=0", "limit=501", "limit=x", "from=1", "after"] {
            #expect(
                try await reader.asAdmin.call("GET", "/v1/receipts?\(query)").problem == "queryRefused",
                "\(query)")
        }
        for id in ["0", "4", "x", "01", "-1"] {
            #expect(
                try await reader.asApp.call("GET", "/v1/receipts/\(id)").problem == "receiptUnknown", "\(id)")
        }
        for path in ["/v1/receipts", "/v1/receipts/1", "/v1/receipt-chain", "/v1/receipt-keys"] {
            #expect(try await reader.asClerk.call("GET", path).problem == "forbidden", "\(path)")
            #expect(try await reader.asNobody.call("GET", path).problem == "unauthorized", "\(path)")
        }
        for client in [reader.asClerk, reader.asAdmin] {
            #expect(
                try await client.call("POST", "/v1/exports", #"{"reference": "r"}"#).problem == "forbidden")
        }
        for body in ["{}", #"{"reference": ""}"#, #"{"reference": "r", "more": 1}"#] {
            #expect(
                try await reader.asApp.call("POST", "/v1/exports", body).problem == "bodyRefused", "\(body)")
        }
    }

    @Test("The command line hands out once too, to a file of its owner's that was not there")
    func commandLine() async throws {
        let desk = try await RentalDesk()
        _ = try await desk.rent("days(1)", reference: "r")
        let file = desk.reader.folder.path + "/out.json"
        try await desk.countersign("retained", "export", "other", file, status: 64)
        #expect(!FileManager.default.fileExists(atPath: file))
        #expect(try await desk.json("retained", "export", "r", file)["records"] as? Int == 1)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.contains("document_number"))
        try await desk.countersign("retained", "export", "r", file, status: 64)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
        #expect(try await desk.export("r").problem == "nothingRetained")
        let counts = try await desk.json("retained", "list")
        #expect(counts["exported"] as? Int == 1 && (counts["records"] as? [Any])?.isEmpty == true)
    }
}
