import CommandBench
import MdocModel
import TestCredentials
import Testing

/// `verify` on answers whose session or response ended with a status, and on documents with a status.
@Suite("verify, statuses")
struct VerifyStatusTests {
    @Test(
        "Q242 A status of the security object that is null makes revocation unknown, and no status leaves it to the CRL"
    )
    func nullStatus() throws {
        let scene = try TrustScene()
        _ = try scene.trust(
            "import", scene.write("r.der", scene.root.der),
            scene.write("c.crl", TestRevocationList(scene.root).encoded()))
        for (status, cause) in [
            (nil, nil), ([0xf6], "document.reference_unreadable"), ([0xf7], "document.reference_unreadable"),
        ] as [([UInt8]?, String?)] {
            let run = try scene.verify("--policy", "age", "--json", status: status)
            #expect(run.status == 0, "\(run.everything)")
            #expect(try #require(run.report().documents.first).parts.revocation.cause == cause)
            #expect(try scene.verify("--policy", "rental", status: status).status == (cause == nil ? 0 : 2))
        }
    }

    @Test(
        "Q235 An answer beside a status that reports an error is not judged; beside status 20 it is",
        arguments: [
            (nil, nil), (20, nil), (10, "session.status_10"), (11, "session.status_11"),
            (0, "session.status_other"), (12, "session.status_other"), (99, "session.status_other"),
        ] as [(UInt64?, String?)])
    func sessionStatus(_ status: UInt64?, _ id: String?) throws {
        let annex = AnnexD()
        let data = try #require(SessionData(annex.bytes("sessionData")[...]).data)
        var arguments = try annex.encrypted("--json")
        let place = try #require(arguments.firstIndex(of: "--session-data"))
        arguments[place + 1] = try annex.file(
            "ended", SessionData.encode(data: Array(data), status: status.map(SessionStatus.init)))
        let run = try CommandRun(arguments)
        let report = try run.report()
        #expect(run.status == (id == nil ? 0 : 3), "\(run.everything)")
        #expect(report.verdict == (id == nil ? "verified" : "incomplete"))
        #expect(report.errors.map(\.id) == (id.map { [$0] } ?? []))
        guard let status, id != nil else { return }
        #expect(report.documents.isEmpty && !run.output.contains("elements"))
        #expect(report.errors[0].detail.contains("status \(status)"), "\(report.errors[0].detail)")
        #expect(report.errors[0].detail.contains("try --request-version 1.0") == (status == 11))
    }

    @Test(
        "A response's own status is reported by number and meaning, also beside a good document",
        arguments: [
            (10, "general error"), (11, "CBOR decoding error"), (12, "CBOR validation error"),
            (13, "does not define"), (20, "does not define"),
        ] as [(UInt8, String)])
    func responseStatus(_ status: UInt8, _ meaning: String) throws {
        let scene = try TrustScene()
        let root = try scene.write("root.der", scene.root.der)
        for format in [[], ["--json"]] {
            let run = try scene.verify(["--trust", root] + format, encoding: { $0.dropLast() + [status] })
            #expect(run.status == 2)
            #expect(run.output.contains("status \(status)") && run.output.contains(meaning), "\(run.output)")
            #expect(run.output.contains("response.status") && !run.output.contains("Quillfeather"))
            let advice = "if the request was of version 1.1, try --request-version 1.0"
            #expect(run.output.contains(advice) == (status == 11))
        }
        let twin = try scene.verify(["--trust", root, "--json"])
        #expect(try twin.status == 0 && twin.report().errors == [])
    }

    @Test("The remedy for status 11 follows from the version of the request")
    func version() throws {
        let scene = try TrustScene()
        let root = try scene.write("root.der", scene.root.der)
        let items = ItemsRequest(
            docType: TestDocument.mDL,
            nameSpaces: [
                .init(
                    name: TestDocument.nameSpace,
                    elements: ["family_name", "age_over_21", "issuing_country"].map {
                        .init(identifier: $0, intentToRetain: false)
                    })
            ])
        let first = DeviceRequest.encode([(items: items.encoded(), readerAuth: nil)])
        for (request, advice) in [
            (first, "the request was already of version 1.0"),
            (
                first.replacingVersion(with: "1.1"),
                "the request was of version 1.1: try --request-version 1.0"
            ),
        ] {
            let run = try scene.verify(
                ["--trust", root, "--request", scene.write("request", request), "--json"],
                encoding: { $0.dropLast() + [11] })
            let report = try run.report()
            #expect(report.errors.map(\.id) == ["response.status"], "\(run.everything)")
            #expect(run.output.contains(advice), "\(run.output)")
        }
    }
}

extension [UInt8] {
    /// This request with another version in its first member.
    fileprivate func replacingVersion(with version: String) -> [UInt8] {
        guard let place = firstRange(of: Encoded.text("1.0")) else { return self }
        return Array(self[..<place.lowerBound]) + Encoded.text(version) + Array(self[place.upperBound...])
    }
}
