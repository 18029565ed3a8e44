import CommandBench
import MdocModel
import TestCredentials
import Testing

/// `verify` where it is another day than in UTC.
@Suite("verify, the day at the premises")
struct VerifyDayTests {
    @Test(
        "Q161 Whether a document is in date follows from one day, that of the premises, wherever it is said",
        arguments: [
            // Thirteen hours east of UTC, where 2 November has begun.
            ("EAST-13", "2026-11-01T12:30:00Z", "no"), ("EAST-13", "2026-11-01T10:30:00Z", "yes"),
            // Ten hours west of UTC, where it is still 1 November.
            ("WEST10", "2026-11-02T05:00:00Z", "yes"), ("WEST10", "2026-11-02T10:00:00Z", "no"),
            ("UTC0", "2026-11-01T23:59:59Z", "yes"), ("UTC0", "2026-11-02T00:00:00Z", "no"),
        ])
    func oneDay(_ zone: String, _ time: String, _ expected: String) async throws {
        let folder = try TemporaryFolder()
        let issuer = try TestIssuer(authority: TestAuthority.ofACountry())
        let session = try TestSession()
        let document = try TestDocument([.init("expiry_date", Encoded.day("2026-11-01"))])
        let items = ItemsRequest(
            docType: TestDocument.mDL,
            nameSpaces: [
                .init(
                    name: TestDocument.nameSpace,
                    elements: [.init(identifier: "expiry_date", intentToRetain: false)])
            ])
        let arguments = try [
            "verify", "--response",
            folder.write(issuer.response([document], in: session.transcript), as: "r"), "--transcript",
            folder.write(Array(session.transcript.encoded), as: "t"), "--request",
            folder.write(DeviceRequest.encode([(items: items.encoded(), readerAuth: nil)]), as: "q"),
            "--trust", folder.write(issuer.authority.der, as: "root.der"), "--at", time,
        ]
        let run = try await execute(arguments + ["--json"], environment: ["TZ": zone])
        let report = try run.report()
        let found = try #require(report.documents.first, "\(run.everything)")
        #expect(found.documentCurrent == expected && found.parts.documentCurrent == expected)
        #expect(report.outcome == (expected == "yes" ? "allow" : "deny"), "\(run.everything)")
        let text = try await execute(arguments, environment: ["TZ": zone]).output
        #expect(text.contains("EXPIRED by its own expiry_date") == (expected == "no"), "\(text)")
        #expect(text.contains("document in date: \(expected)"), "\(text)")
    }
}
