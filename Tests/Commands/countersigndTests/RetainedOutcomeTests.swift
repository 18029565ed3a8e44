import Foundation
import OtherPrograms
import Testing

@Suite("Data is retained of an outcome that is allow, and of no other")
struct RetainedOutcomeTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let wallet: [String]
        let intent: String
        let outcome: String

        var testDescription: String { "\(outcome): \(wallet.joined(separator: " ")) \(intent)" }

        static let all = [
            Row(wallet: [], intent: "rental: age over 21, name, licence number", outcome: "allow"),
            Row(
                wallet: ["--age", "20"], intent: "rental: age over 21, name, licence number", outcome: "deny"),
            Row(
                wallet: ["--attests", "18"], intent: "rental: age over 21, name; else nothing",
                outcome: "unclear"),
            Row(
                wallet: [],
                intent:
                    "elements: org.iso.18013.5.1/family_name, org.iso.18013.5.1/weight; required org.iso.18013.5.1/weight",
                outcome: "unclear"),
        ]
    }

    @Test(
        "A sealed record is written only after the outcome allow, and a receipt is written after every outcome",
        arguments: Row.all)
    func retained(_ row: Row) async throws {
        let desk = try await RentalDesk(lanes: [row.wallet])
        let isRetained = row.outcome == "allow"
        let order = try await desk.order("days(2)", reference: "booking", intent: row.intent)
        try #require(order.status == 201, "\(order.text)")
        let id = try #require(try order.json()["id"] as? String)
        #expect(try await desk.reader.end(of: id).last == "verified")
        let presentation = try await desk.reader.asApp.call("GET", "/v1/presentations/\(id)").json()
        #expect(presentation["outcome"] as? String == row.outcome)
        let result = try #require(presentation["result"] as? [String: Any])
        #expect(result["documents"] is [Any], "data is handed out after every outcome")
        #expect(result["retainedUntil"] is NSNull != isRetained)
        #expect(try await desk.retained().isEmpty != isRetained)
        #expect(try await desk.export("booking").status == (isRetained ? 200 : 404))
        let receipt = try await desk.reader.receipt(of: id)
        let statement =
            try await desk.reader.asApp.call("GET", "/v1/receipts/\(receipt)")
            .json()["statement"] as? [String: Any]
        #expect(statement?["outcome"] as? String == row.outcome)
    }
}
