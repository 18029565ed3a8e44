import CommandBench
import Foundation
import Testing
import VectorFiles

/// Small inputs of kinds that real wallets, issuers and lists were reported to send, judged by the built command. The tests of
/// each part show the same kinds with inputs of their own.
@Suite("verify, field cases", .enabled(if: FieldCases.areHere, FieldCases.absence))
struct FieldCaseTests {
    private static let now = "2026-11-28T01:00:00Z"

    private func verify(_ name: String, _ options: String...) throws -> (run: CommandRun, report: VerdictJSON)
    {
        let run = try CommandRun(
            [
                "verify", "--json", "--at", Self.now, "--response", FieldCases.path(name, "response.cbor"),
                "--transcript", FieldCases.path(name, "transcript.cbor"),
                "--request", FieldCases.path(name, "request.cbor"),
                "--trust", FieldCases.path(name, "iaca.der"),
            ] + options)
        return (run, try run.report())
    }

    /// Verifies the answer of a page with what its command names.
    private func verifyPage(_ name: String, asking intent: String) throws -> (
        run: CommandRun, report: VerdictJSON
    ) {
        let folder = try TemporaryFolder()
        let key = try VectorFiles.bytes(of: URL(filePath: FieldCases.path(name, "web.p8")))
        let pem =
            "-----BEGIN EC PRIVATE KEY-----\n\(Data(key).base64EncodedString())\n-----END EC PRIVATE KEY-----\n"
        let run = try CommandRun(
            "verify", "--json", "--at", Self.now, "--web-response", FieldCases.path(name, "answer.txt"),
            "--encryption-info", try FieldCases.encryptionInfo(of: name), "--origin", "https://shop.example",
            "--key", try folder.write(pem.utf8, as: "web.pem"), "--trust", FieldCases.path(name, "iaca.der"),
            "--intent", intent)
        return (run, try run.report())
    }

    // MARK: Answers

    @Test("A portrait is there to compare only if it is a JPEG", arguments: ["empty", "png"])
    func portrait(_ kind: String) throws {
        let intent = "age over 21 with portrait for a human to compare"
        let (run, report) = try verifyPage("w_portrait_\(kind)", asking: intent)
        #expect(run.status == 1)
        #expect(report.documents.map(\.ageOver) == [["21": "yes"]])
        #expect(report.outcome == "unclear")
        #expect(try verifyPage("w_portrait_jpeg", asking: intent).run.status == 0)
    }

    @Test("An age in years of the day of issue refutes nothing; the birth date beside it proves the age")
    func years() throws {
        let proven = try verifyPage("w_stale_years", asking: "age over 21; else birth date")
        #expect(proven.run.status == 0)
        #expect(proven.report.documents.map(\.ageOver) == [["21": "yes"]])
        #expect(proven.report.documents.first?.ageReason["21"]?.contains("birth_date") == true)
        let unknown = try verifyPage("w_years_only", asking: "age over 21")
        #expect(unknown.run.status == 1)
        #expect(unknown.report.documents.map(\.ageOver) == [["21": "cannotTell"]])
    }

    @Test("An attestation of the wrong type is named as that, not as absent")
    func attestationOfTheWrongType() throws {
        let (run, report) = try verifyPage("w_age_text", asking: "age over 21")
        #expect(run.status == 1)
        #expect(report.documents.map(\.ageOver) == [["21": "cannotTell"]])
        let reason = try #require(report.documents.first?.ageReason["21"])
        #expect(reason.contains("age_over_21") && reason.contains("text"))
        #expect(!reason.contains("returned"))
    }

    // MARK: Forms

    @Test(
        "An element in another form than the data model's is a deviation, and refused with --strict",
        arguments: ["sx_birth_text", "sx_priv_text_dates"])
    func forms(_ name: String) throws {
        let (run, report) = try verify(name)
        #expect(run.status == 0)
        #expect(report.documents.map(\.deviations.count) == [1])
        #expect(try verify(name, "--strict").run.status == 2)
    }

    @Test("What --strict refuses changes nothing of who signed the document")
    func strictForm() throws {
        let (run, report) = try verify("expiry_text", "--strict")
        #expect(run.status == 2)
        #expect(report.documents.map(\.parts.authentic) == ["yes"])
        #expect(!report.failedChecks.contains("issuing_country"))
    }

    @Test("A licence that is issued today where it is already tomorrow departs from nothing")
    func issuedTodayElsewhere() throws {
        #expect(try verify("issue_date_tz").report.documents.map(\.deviations) == [[]])
        #expect(try verify("issue_date_tz", "--strict").run.status == 0)
    }

    // MARK: Lists

    private func imported(_ name: String, _ files: [String]..., into store: String) throws -> [CommandRun] {
        try files.map { words in
            try CommandRun(
                ["trust", "import"] + words.map { $0.contains(".") ? FieldCases.path(name, $0) : $0 }
                    + ["--store", store, "--at", Self.now])
        }
    }

    private func verifyByStore(_ name: String, _ store: String) throws -> CommandRun {
        try CommandRun(
            "verify", "--json", "--at", Self.now, "--response", FieldCases.path(name, "response.cbor"),
            "--transcript", FieldCases.path(name, "transcript.cbor"), "--request",
            FieldCases.path(name, "request.cbor"), "--store", store)
    }

    @Test(
        "A document that a readable reference says is revoked is refused, whatever stands beside it",
        arguments: ["st_revoked", "st_revoked_id_text"])
    func revoked(_ name: String) throws {
        let folder = try TemporaryFolder()
        let runs = try imported(name, ["iaca.der", "status.cwt"], into: folder.path("S"))
        #expect(runs.map(\.status) == [0])
        let run = try verifyByStore(name, folder.path("S"))
        #expect(run.status == 2)
        #expect(try run.report().documents.map(\.parts.revocation.state) == ["revoked"])
    }

    @Test("A status list with the number of its type and dates as floats is taken and used")
    func statusListOfTypeNumber() throws {
        let folder = try TemporaryFolder()
        let runs = try imported(
            "st_type_279_as", ["iaca.der"], ["status.cwt", "--as", "status"], into: folder.path("S"))
        #expect(runs.map(\.status) == [0, 0])
        let report: VerdictJSON = try verifyByStore("st_type_279_as", folder.path("S")).report()
        #expect(report.documents.map(\.parts.revocation.cause) != ["list_absent"])
    }

    @Test("A JWT in place of a status list is refused as a JWT")
    func jwt() throws {
        let folder = try TemporaryFolder()
        let run = try imported("st_jwt", ["iaca.der", "status.cwt"], into: folder.path("S"))[0]
        #expect(run.status != 0)
        #expect(run.everything.contains("JWT"))
    }

    @Test("A VICAL's root with a serial number of the wrong type is taken, and import says so")
    func vical() throws {
        let folder = try TemporaryFolder()
        let runs = try imported(
            "vical_serial_bstr", ["prov.der", "--as", "provider"], ["serial_bstr.cbor"],
            into: folder.path("S"))
        #expect(runs.map(\.status) == [0, 0])
        #expect(runs[1].everything.contains("serialNumber"))
        let list = try CommandRun("trust", "show", "--store", folder.path("S"))
        #expect(list.status == 0)
        #expect(list.output.contains("trusted roots: 1"))
    }

    @Test("A certificate as PEM behind a byte order mark is read")
    func byteOrderMark() throws {
        let folder = try TemporaryFolder()
        #expect(try imported("pem_bom", ["bom.pem"], into: folder.path("S")).map(\.status) == [0])
    }

    // MARK: Others' documents

    private static let then = "2026-11-15T09:00:00Z"

    private func verifyForeign(
        _ response: String, _ transcript: String = "web.tr", trust: String = "iaca.der", _ options: String...
    ) throws -> (run: CommandRun, report: VerdictJSON) {
        let run = try CommandRun(
            [
                "verify", "--json", "--at", Self.then, "--response", FieldCases.path("foreign", response),
                "--transcript", FieldCases.path("foreign", transcript),
                "--trust", FieldCases.path("foreign", trust),
            ] + options)
        return (run, try run.report())
    }

    @Test(
        "A MAC in an OpenID4VP transcript is checked with the verifier's key; in one of Annex C it proves nothing"
    )
    func macs() throws {
        let key = ["--reader-key", FieldCases.path("foreign", "reader.key")]
        let openID = try verifyForeign("openid4vp-mac.cbor", "openid4vp.tr", key[0], key[1])
        #expect(openID.run.status == 0)
        let annexC = try verifyForeign("mac.cbor", "web.tr", key[0], key[1])
        #expect(annexC.run.status == 2)
        #expect(annexC.run.output.contains("signature") && !annexC.run.output.contains("--reader-key"))
        let whole = try CommandRun(
            "verify", "--json", "--at", Self.then, "--web-response",
            FieldCases.path("foreign", "annexc.resp"),
            "--encryption-info", FieldCases.path("foreign", "annexc.info"), "--origin",
            "https://shop.example",
            "--key", FieldCases.path("foreign", "reader.key"), "--trust",
            FieldCases.path("foreign", "iaca.der"))
        #expect(whole.status == 2)
        #expect(whole.output.contains("signature") && !whole.output.contains("--reader-key"))
    }

    @Test(
        "issuing_country refuses no document of another type",
        arguments: [("pid.cbor", "pid.iaca.der"), ("park.cbor", "iaca.der")])
    func country(_ response: String, _ root: String) throws {
        let (run, report) = try verifyForeign(response, trust: root)
        #expect(run.status == 0)
        #expect(!report.failedChecks.contains("issuing_country"))
    }

    @Test("A signer's country that is no PrintableString is named as that")
    func countryForm() throws {
        let (run, _) = try verifyForeign("utf8.cbor", trust: "utf8.iaca.der", "--strict")
        #expect(run.status == 2)
        #expect(run.output.contains("PrintableString"))
    }

    @Test("An attached payload is refused, a plain signature verified, a zero-knowledge answer named")
    func unchanged() throws {
        let attached = try verifyForeign("attached.cbor")
        #expect(attached.run.status == 2)
        #expect(attached.run.output.contains("payload"))
        #expect(try verifyForeign("sig.cbor").run.status == 0)
        #expect(try verifyForeign("zk.cbor").run.output.contains("response.documents_not_verifiable"))
    }

    @Test("inspect names an MSO, transcripts without engagement and a VICAL")
    func inspect() throws {
        for (file, words) in [
            ("mso-status.cbor", "MobileSecurityObject"), ("web.tr", "SessionTranscript"),
            ("openid4vp.tr", "OpenID4VP"), ("vical.cbor", "VICAL"),
        ] {
            let run = try CommandRun("inspect", FieldCases.path("foreign", file))
            #expect(run.status == 0)
            #expect(run.output.prefix(200).contains(words), "\(run.output.prefix(200))")
        }
    }
}

/// The folder of field cases beside the repository.
private enum FieldCases {
    private static let folder = (VectorFiles.shared ?? URL(filePath: "/dev/null")).appending(
        path: "field-cases")
    static let areHere = FileManager.default.fileExists(atPath: folder.path)
    static let absence: Comment = "the shared field cases are not beside this clone"

    static func path(_ name: String, _ file: String) -> String {
        folder.appending(path: name).appending(path: file).path
    }

    /// The encryption info that the case's command names.
    static func encryptionInfo(of name: String) throws -> String {
        let command = try String(contentsOfFile: path(name, "command.txt"), encoding: .utf8)
        let words = command.split(separator: " ")
        let option = try #require(words.firstIndex(of: "--encryption-info"))
        return String(words[option + 1])
    }
}
