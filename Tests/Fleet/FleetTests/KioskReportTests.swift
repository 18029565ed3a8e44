import JSON
import Testing

@testable import Fleet

@Suite("What a kiosk reports")
struct KioskReportTests {
    private static func health(lanes: Int = 1, findings: Int = 1, name: String = "till") -> KioskHealth {
        KioskHealth(
            lanes: (0..<lanes).map { _ in KioskHealth.Lane(name: name, state: "readerMissing") },
            findings: (0..<findings).map { _ in String(repeating: "f", count: 64) }, trustAgeHours: 30,
            receiptsWaiting: 7)
    }

    @Test("Lanes, findings, the age of trust lists and receipts that wait come as they were said")
    func same() throws {
        var report = KioskReport(
            software: "1.0",
            documents: [KioskReport.Entry(level: .chain, version: 3, result: "applied")],
            receipts: "receiptGap", health: Self.health())
        #expect(try KioskReport(JSONText(report.json.utf8[...])) == report)
        report.health = nil
        #expect(try KioskReport(JSONText(report.json.utf8[...])) == report)
    }

    @Test("The longest report has less than the hub takes, and what is over the limits is left out")
    func longest() throws {
        let result = String(repeating: "r", count: 64)
        let report = KioskReport(
            software: result,
            documents: FleetLevel.allCases.map { level in
                KioskReport.Entry(level: level, version: JSONValue.largestExactInteger, result: result)
            }, receipts: result,
            health: Self.health(lanes: 40, findings: 40, name: String(repeating: "ä", count: 32)))
        #expect(report.health?.lanes.count == KioskHealth.mostLanes)
        #expect(report.health?.findings.count == KioskHealth.mostFindings)
        #expect(report.json.utf8.count <= KioskReport.maximumSize)
        #expect(try KioskReport(JSONText(report.json.utf8[...])) == report)
    }

    @Test(
        "A report with more entries, or with an unknown member, is refused",
        arguments: [
            #"{"lanes": [], "findings": [], "trustAgeHours": -1}"#,
            #"{"lanes": [], "findings": [], "receiptsWaiting": -1}"#,
            #"{"lanes": [], "findings": [], "holder": "Jane"}"#, #"{"lanes": []}"#, #"{"findings": []}"#,
            #"{"lanes": [{"name": "till"}], "findings": []}"#,
            #"{"lanes": [{"name": "till", "state": 1}], "findings": []}"#,
            #"{"lanes": [{"name": "till", "state": "ready", "holder": "Jane"}], "findings": []}"#,
            #"{"lanes": ["#
                + Array(repeating: #"{"name": "t", "state": "s"}"#, count: 33).joined(separator: ",")
                + #"], "findings": []}"#,
        ])
    func refused(_ health: String) {
        let text = #"{"software": "1", "documents": [], "health": \#(health)}"#
        #expect(throws: JSONFault.self) { try KioskReport(JSONText(Array(text.utf8)[...])) }
    }

    @Test("A lane that changes and a finding are news; the age of a list and receipts that wait are not")
    func news() {
        let before = Self.health()
        var after = before
        after.trustAgeHours = 31
        after.receiptsWaiting = 8
        #expect(!after.isNews(after: before))
        after.lanes = []
        #expect(after.isNews(after: before))
        after = before
        after.findings = []
        #expect(after.isNews(after: before))
        #expect(before.isNews(after: nil))
    }
}
