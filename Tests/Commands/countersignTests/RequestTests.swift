import CommandBench
import Foundation
import Glibc
import MdocModel
import MdocWallet
import OtherPrograms
import Testing
import Transport

@Suite("request, over a bench link")
struct RequestTests {
    @Test(
        "Every handover and proof is verified: exit code 0", arguments: ["qr", "static", "negotiated"],
        ["signature", "mac"])
    func verified(_ handover: String, _ proof: String) async throws {
        let link = try await WalletAtLink(["--handover", handover] + (proof == "mac" ? ["--mac"] : []))
        let run = try await link.request(["--age-over", "21", "--age-over", "18", "--portrait", "--json"])
        #expect(run.status == 0, "\(run.errors)")
        let report = try run.report()
        #expect(report.verdict == "mock")
        #expect(report.requestCompared)
        #expect(report.documents[0].docType == "org.iso.18013.5.1.mDL")
        #expect(report.documents[0].deviceAuthentication == proof)
        #expect(report.documents[0].ageOver == ["18": "yes", "21": "yes"])
        #expect(report.documents[0].ageReason["21"] == "org.iso.18013.5.1/age_over_21")
        #expect(report.documents[0].deviations == [])
        #expect(report.documents[0].checks.count == 10)
        #expect(report.documents[0].issuer?.anchorSubject?.contains("Countersign Test IACA") == true)
        #expect(report.errors == [])
        #expect(report.phases.map(\.name) == ["engagement", "request", "consent", "verification"])
        #expect(try await CommandRun(link.wallet).errors.contains("ended by the reader, status 20"))
    }

    @Test("In JSON the portrait is its size, and the elements are those asked for")
    func json() async throws {
        let link = try await WalletAtLink(["--portrait-size", "25000"])
        let asked = ["--age-over", "21", "--portrait", "--element", "org.iso.18013.5.1.aamva/DHS_compliance"]
        let run = try await link.request(asked + ["--json"])
        let document = try #require((try run.json()["documents"] as? [[String: Any]])?.first)
        let elements = try #require(document["elements"] as? [String: [String: Any]])
        #expect(Set(elements.keys) == ["org.iso.18013.5.1", "org.iso.18013.5.1.aamva"])
        #expect(Set(elements["org.iso.18013.5.1"]?.keys.map(\.self) ?? []) == ["age_over_21", "portrait"])
        #expect(elements["org.iso.18013.5.1"]?["portrait"] as? [String: Int] == ["bytes": 25_000])
        #expect(elements["org.iso.18013.5.1.aamva"]?["DHS_compliance"] as? String == "F")
    }

    @Test("Progress is on standard error, the result on standard output")
    func streams() async throws {
        let run = try await WalletAtLink().request()
        #expect(run.output.hasPrefix("TEST DOCUMENT: over 21 yes\n"))
        #expect(run.output.contains("over 21: yes"))
        #expect(run.output.contains("portrait: received, 2400 bytes, JPEG"))
        #expect(run.output.contains("consent "))
        for line in ["Ready:", "Phone found:", "Waiting for the holder's consent", "Checking"] {
            #expect(run.errors.contains(line))
            #expect(!run.output.contains(line))
        }
    }

    @Test(
        "Q159 An answer that is no, or that cannot be determined: exit code 1",
        arguments: [("17", "21", "no"), ("40", "30", "cannotTell"), ("70", "67", "cannotTell")])
    func answerNotYes(_ age: String, _ asked: String, _ answer: String) async throws {
        let run = try await WalletAtLink(["--age", age]).request(["--age-over", asked, "--json"])
        #expect(run.status == 1, "\(run.errors)")
        #expect(try run.report().verdict == "mock")
        #expect(try run.report().documents[0].ageOver == [asked: answer])
    }

    @Test(
        "The text begins with the answers of a test document, and does not say VERIFIED",
        arguments: [
            ("40", ["--age-over", "21"], "TEST DOCUMENT: over 21 yes\n"),
            ("17", ["--age-over", "21"], "TEST DOCUMENT: over 21 no\n"),
            ("19", ["--age-over", "18", "--age-over", "21"], "TEST DOCUMENT: over 18 yes, over 21 no\n"),
            ("40", ["--element", "org.iso.18013.5.1/family_name"], "TEST DOCUMENT: every check passed\n"),
        ])
    func answerFirst(_ age: String, _ asked: [String], _ beginning: String) async throws {
        let run = try await WalletAtLink(["--age", age]).request(asked)
        #expect(run.output.hasPrefix(beginning) && !run.output.contains("VERIFIED"), "\(run.everything)")
    }

    @Test("A test document is refused unless the policy file accepts those: exit code 2, and no element")
    func testDocument() async throws {
        let link = try await WalletAtLink()
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let policy = try folder.write(Array("{}".utf8), as: "policy.json")
        let asked = ["--age-over", "21", "--policy-file", policy]
        let json = try await link.request(asked + ["--json"])
        #expect(json.status == 2, "\(json.errors)")
        let report = try json.report()
        #expect(report.verdict == "mock" && report.errors.map(\.id) == ["document.test"])
        #expect(report.documents[0].ageOver == ["21": "cannotTell"])
        #expect(!json.output.contains("\"elements\":"))
        let text = try await WalletAtLink().request(asked + ["--show-values"])
        #expect(text.status == 2 && text.output.hasPrefix("TEST DOCUMENT: it proves nothing\n"))
        #expect(text.output.contains("[document.test]"))
    }

    @Test("A response that is rejected begins with no answer")
    func noAnswerFirst() async throws {
        let run = try await WalletAtLink(["--fault", "mso.expired"]).request(["--age-over", "21"])
        #expect(run.output.hasPrefix("REJECTED"), "\(run.everything)")
    }

    @Test("--show-values writes what was asked for, as verify does")
    func showValues() async throws {
        let asked = ["--element", "org.iso.18013.5.1/family_name", "--portrait"]
        let names = try await WalletAtLink().request(asked)
        #expect(names.status == 0 && !names.output.contains("family_name: \""), "\(names.everything)")
        let values = try await WalletAtLink().request(asked + ["--show-values"])
        #expect(values.status == 0 && values.output.contains("  family_name: \""), "\(values.everything)")
        #expect(values.output.contains("ffd8ff") && !names.output.contains("ffd8ff"))
        let rejected = try await WalletAtLink(["--fault", "mso.expired"]).request(asked + ["--show-values"])
        #expect(rejected.status == 2 && !rejected.output.contains("family_name: \""))
    }

    @Test("What was asked for and did not come is listed, and changes no exit code")
    func notReturned() async throws {
        let run = try await WalletAtLink().request([
            "--age-over", "21", "--element", "org.iso.18013.5.1/eye_colour", "--json",
        ])
        #expect(run.status == 0)
        #expect(try run.report().errors.map(\.id) == ["element.not_returned"])
    }

    @Test(
        "A check that fails: exit code 2, and no elements",
        arguments: [
            ("device.signature_flipped", "device_authentication"), ("x509.rogue_iaca", "issuer_certificate"),
            ("mso.expired", "validity"), ("mso.value_changed", "digests"),
        ])
    func rejected(_ fault: String, _ check: String) async throws {
        let everything = ["family_name", "given_name", "birth_date"].flatMap {
            ["--element", "org.iso.18013.5.1/\($0)"]
        }
        let run = try await WalletAtLink(["--fault", fault]).request(everything + ["--json"])
        #expect(run.status == 2, "\(run.errors)")
        let report = try run.report()
        #expect(report.verdict == "rejected")
        #expect(report.failedChecks == [check])
        #expect(!run.output.contains("\"elements\":"))
    }

    @Test("A message that does not decrypt: exit code 2")
    func notDecrypted() async throws {
        let run = try await WalletAtLink(["--fault", "session.tag_flipped"]).request(
            ["--age-over", "21", "--json"])
        #expect(run.status == 2)
        #expect(try run.report().errors.map(\.id) == ["session.decryption"])
    }

    @Test("An issuer that is not trusted is named, with what to do: exit code 2")
    func unknownIssuer() async throws {
        let annex = AnnexD()
        defer { withExtendedLifetime(annex) {} }
        let run = try await WalletAtLink().request(trust: try annex.file("iacaCertificate"))
        #expect(run.status == 2)
        #expect(run.output.contains("the trust store has no root of this issuer: CN=Countersign Test IACA"))
        #expect(run.output.contains("--trust takes the root certificate"))
        #expect(!run.output.contains("over 21: yes"))
    }

    @Test(
        "Departures are accepted and listed, and refused under --strict",
        arguments: ["device.tagged", "issuer_auth.x5chain_protected"])
    func strict(_ fault: String) async throws {
        let lenient = try await WalletAtLink(["--fault", fault]).request(["--age-over", "21", "--json"])
        #expect(lenient.status == 0)
        #expect(try lenient.report().documents[0].deviations == [fault])
        let strict = try await WalletAtLink(["--fault", fault]).request(
            ["--age-over", "21", "--strict", "--json"])
        #expect(strict.status == 2)
        #expect(try strict.report().documents[0].deviations == [fault])
    }

    @Test("A holder who declines: exit code 3, an outcome", arguments: ["declines", "returnsNothing"])
    func declined(_ decision: String) async throws {
        let run = try await WalletAtLink(["--decision", decision]).request(["--age-over", "21", "--json"])
        #expect(run.status == 3)
        let report = try run.report()
        #expect(report.verdict == "incomplete")
        #expect(report.errors.map(\.id) == ["declined"])
    }

    @Test(
        "A status without data: exit code 3",
        arguments: ["session.status_10", "session.status_11"])
    func status(_ fault: String) async throws {
        let run = try await WalletAtLink(["--fault", fault]).request(["--age-over", "21", "--json"])
        #expect(run.status == 3)
        #expect(try run.report().errors.map(\.id) == [fault])
    }

    @Test(
        "Q168 Status 11 on a request of version 1.1 suggests --request-version 1.0, which then is what is sent",
        arguments: ["session.status_11", "session.status_10"], ["auto", "1.0"])
    func requestVersion(_ fault: String, _ version: String) async throws {
        let link = try await WalletAtLink(["--profile", "apple", "--fault", fault])
        let run = try await link.request(["--age-over", "21", "--request-version", version, "--json"])
        #expect(run.status == 3)
        let error = try #require(try run.report().errors.first)
        #expect(error.id == fault)
        let isSuggested = fault == "session.status_11" && version == "auto"
        let advice = "; the request was of version 1.1: try --request-version 1.0"
        #expect(run.output.contains(advice) == isSuggested, "\(run.output)")
        // The twin: a sound wallet answers both.
        let sound = try await WalletAtLink(["--profile", "apple"])
            .request(["--age-over", "21", "--request-version", version, "--json"])
        #expect(sound.status == 0, "\(sound.errors)")
    }

    @Test("SIGINT while the holder decides: exit code 3, and the phone is told by status 20")
    func interrupted() async throws {
        let link = try await WalletAtLink(["--consent-time", "60000"])
        let command = try BuiltProgram("countersign", link.arguments(["--age-over", "21", "--json"]))
        try await command.said("Waiting for the holder's consent")
        command.signal(SIGINT)
        let run = try await CommandRun(command)
        #expect(run.status == 3)
        #expect(try run.report().errors.map(\.id) == ["cancelled"])
        let wallet = try await CommandRun(link.wallet)
        #expect(wallet.errors.contains("ended by the reader, status 20"))
        #expect(!wallet.errors.contains("answered"))
    }

    @Test("No greeting by the deadline of --wait: exit code 3")
    func overdue() async throws {
        let listener = try FramedTCPListener(on: SocketAddress(host: "127.0.0.1", port: 0))
        let phone = Task { try await listener.accept() }
        let run = try await execute([
            "request", "--connect", "tcp://127.0.0.1:\(listener.address.port)", "--age-over", "21", "--trust",
            FileManager.default.temporaryDirectory.path, "--wait", "1", "--json",
        ])
        #expect(run.status == 3)
        #expect(try run.report().errors.map(\.id) == ["engagement.overdue"])
        await listener.close()
        _ = await phone.result
    }

    @Test("A phone that closes the link: exit code 3; one that sends no greeting: 65", arguments: [0, 1, 2])
    func misbehaving(_ frames: Int) async throws {
        let listener = try FramedTCPListener(on: SocketAddress(host: "127.0.0.1", port: 0))
        let phone = Task {
            let channel = try await listener.accept()
            if frames == 1 { try await channel.send([0xa0]) }
            if frames == 2 { try await channel.send([UInt8](repeating: 0x81, count: 100_000)) }
            await channel.close()
        }
        let run = try await execute([
            "request", "--connect", "tcp://127.0.0.1:\(listener.address.port)", "--age-over", "21", "--trust",
            FileManager.default.temporaryDirectory.path, "--json",
        ])
        #expect(run.status == (frames == 0 ? 3 : 65))
        #expect(try run.report().errors.map(\.id) == [frames == 0 ? "link.lost" : "link.malformed"])
        await listener.close()
        _ = await phone.result
    }

    @Test(
        "Bytes that are no message: exit code 65",
        arguments: [
            ("session.empty_map", "session.malformed"), ("session.trailing_bytes", "session.malformed"),
            ("cbor.truncated", "response.malformed"), ("cbor.huge_length", "response.malformed"),
        ])
    func malformed(_ fault: String, _ id: String) async throws {
        let run = try await WalletAtLink(["--fault", fault]).request(["--age-over", "21", "--json"])
        #expect(run.status == 65)
        #expect(try run.report().verdict == "malformed")
        #expect(try run.report().errors.map(\.id) == [id])
    }

    @Test(
        "Wrong usage: exit code 64",
        arguments: [
            ["--trust", "/tmp"],
            ["--trust", "/tmp", "--age-over", "18", "--age-over", "21", "--age-over", "65"],
            ["--trust", "/tmp", "--age-over", "100"], ["--trust", "/tmp", "--age-over", "-1"],
            ["--age-over", "21"], ["--trust", "/nonexistent", "--age-over", "21"],
            ["--trust", "/tmp", "--element", "family_name"], ["--trust", "/tmp", "--element", "/"],
            ["--trust", "/tmp", "--age-over", "21", "--connect", "127.0.0.1:7000"],
            ["--trust", "/tmp", "--age-over", "21", "--connect", "tcp://127.0.0.1:1", "--reader", "x"],
            ["--trust", "/tmp", "--age-over", "21", "--connect", "tcp://127.0.0.1:1", "--qr", "mdoc:x"],
            ["--trust", "/tmp", "--age-over", "21", "--connect", "tcp://192.0.2.1:1"],
            ["--trust", "/tmp", "--age-over", "21", "--connect", "tcp://0.0.0.0:1"],
            ["--trust", "/tmp", "--age-over", "21", "--connect", "tcp://example.org:1"],
            ["--trust", "/tmp", "--age-over", "21", "--wait", "0"],
            ["--trust", "/tmp", "--age-over", "21", "--connect", "tcp://127.0.0.1:1", "--trace", "/none/x"],
        ])
    func usage(_ arguments: [String]) async throws {
        let run = try await execute(["request"] + arguments)
        #expect(run.status == 64, "\(run.errors)")
        #expect(run.output.isEmpty)
        #expect(run.errors.contains("error: "))
    }

    @Test("--allow-non-loopback lets --connect take an address that is none of this machine by name")
    func nonLoopback() async throws {
        let link = try await WalletAtLink()
        let port = try #require(link.address.split(separator: ":").last)
        // To Linux the unspecified address is this machine; to us it is not loopback.
        let run = try await execute([
            "request", "--connect", "tcp://0.0.0.0:\(port)", "--allow-non-loopback", "--trust", link.root,
            "--age-over", "21",
        ])
        #expect(run.status == 0, "\(run.errors)")
    }

    @Test("Nothing that listens: exit code 69")
    func nobodyListens() async throws {
        let run = try await execute([
            "request", "--connect", "tcp://127.0.0.1:1", "--trust", "/tmp", "--age-over", "21", "--json",
        ])
        #expect(run.status == 69)
        #expect(run.output.isEmpty)
        #expect(run.errors.contains("no wallet answers at tcp://127.0.0.1:1"))
    }

    @Test("No pcscd: exit code 69, and what to do", arguments: ["request", "demo", "readers"])
    func noService(_ command: String) async throws {
        let arguments = command == "request" ? ["--trust", "/tmp", "--age-over", "21"] : []
        let run = try await execute(
            [command] + arguments, environment: ["PCSCLITE_CSOCK_NAME": "/nonexistent/pcscd.comm"])
        #expect(run.status == 69)
        #expect(run.output.isEmpty)
        #expect(run.errors.contains("pcscd does not run"))
    }

    @Test("Text that is no QR code: exit code 65")
    func noQRCode() async throws {
        let run = try await execute([
            "request", "--qr", "mdoc:AAAA", "--trust", "/tmp", "--age-over", "21",
        ])
        #expect(run.status == 65)
    }
}
