import CBOR
import CommandBench
import Foundation
import MdocModel
import OpenSSLCrypto
import OtherPrograms
import TestCredentials
import Testing
import VectorFiles

/// `verify` on the published transaction of ISO/IEC 18013-5 Annex D, whose phone authenticates with a MAC.
@Suite("verify")
struct VerifyTests {
    let annex: AnnexD

    init() throws {
        annex = AnnexD()
    }

    // What is judged

    @Test("The published response is verified with the reader's key, in any of its forms")
    func readerKeyForms() throws {
        let scalar = try annex.bytes("eReaderKey_d").hex
        for key in [
            try annex.readerKey(), try annex.file("upper", Array(scalar.uppercased().utf8)),
            try annex.file("key.pem", annex.readerKeyPEM()),
        ] {
            let run = try CommandRun(annex.decrypted("--reader-key", key, "--json"))
            #expect(run.status == 0)
            let report = try run.report()
            #expect(report.verdict == "verified")
            #expect(report.documents.map(\.deviceAuthentication) == ["mac"])
        }
        let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let piped = try ChildProcess(
            ["sh", "-c", #"exec "$0" "$@" < "$KEY""#, program.appending(path: "countersign").path]
                + annex.decrypted("--reader-key", "-"), environment: ["KEY": annex.readerKey()])
        #expect(piped.waitForEnd() == 0)
    }

    @Test("A private key on the command line is refused and not repeated")
    func keyInArguments() throws {
        let scalar = try annex.bytes("eReaderKey_d").hex
        let run = try CommandRun(annex.decrypted("--reader-key", scalar))
        #expect(
            run.status == 64 && run.errors.contains("--reader-key: give the name of an existing file"),
            "\(run.errors)")
        #expect(!run.everything.contains(scalar))
    }

    @Test("The published session is decrypted and verified, with and without its SessionEstablishment")
    func session() throws {
        let bare = try CommandRun(annex.encrypted("--json"))
        #expect(bare.status == 0)
        #expect(try bare.report().requestCompared == false)
        let whole = try CommandRun(
            annex.encrypted("--json", "--session-establishment", annex.file("sessionEstablishment")))
        #expect(whole.status == 0)
        #expect(try whole.report().requestCompared)
    }

    @Test("Without its handover messages the session is another, and does not decrypt")
    func otherHandover() throws {
        let arguments = try annex.encrypted("--json").filter { !$0.contains("andover") }
        let run = try CommandRun(arguments)
        #expect(run.status == 2)
        let report = try run.report()
        #expect(report.verdict == "rejected")
        #expect(report.errors.map(\.id) == ["session.decryption"])
        #expect(report.documents.isEmpty)
    }

    @Test("Q166 A document in a form that is not verified here rejects the response, by its id")
    func otherForms() throws {
        let scene = try TrustScene()
        let root = try scene.write("root.der", scene.root.der)
        let refused = try scene.verify("--trust", root, "--json", members: [("zkDocuments", [0x81, 0xa0])])
        #expect(refused.status == 2)
        #expect(try refused.report().errors.map(\.id) == ["response.documents_not_verifiable"])
        let encrypted = try scene.verify(
            "--trust", root, "--json", members: [("encryptedDocuments", [0x81, 0xa0])])
        #expect(encrypted.status == 2)
        #expect(try encrypted.report().errors.map(\.id) == ["response.documents_encrypted"])
        let verified = try scene.verify("--trust", root, "--json", members: [("zkDocuments", [0x80])])
        #expect(verified.status == 0)
        #expect(try verified.report().errors == [])
    }

    @Test("A MAC without the reader's key leaves the check undetermined and the response rejected")
    func noReaderKey() throws {
        let run = try CommandRun(annex.decrypted("--json"))
        #expect(run.status == 2)
        let document = try #require(try run.report().documents.first)
        let check = try #require(document.checks.first { $0.id == "device_authentication" })
        #expect(check.outcome == "undetermined")
        #expect(check.detail.contains("--reader-key"))
        #expect(document.checks.filter { $0.outcome != "passed" } == [check])
    }

    @Test("A reader's key that is not the session's is wrong usage, whatever is wrong with it")
    func otherReaderKey() throws {
        let other = try annex.bytes("sDeviceKey_d").hex
        let larger = try annex.file(
            "p384.pem", PrivateKey.generate(.p384).unprotectedPEM().withUnprotectedBytes(Array.init))
        for key in [other, larger, "00", "xyz", "no-such-file", try annex.file("iacaCertificate")] {
            let run = try CommandRun(annex.decrypted("--reader-key", key))
            #expect(run.status == 64, "\(key)")
            #expect(run.output.isEmpty)
            #expect(run.errors.contains("--reader-key"))
        }
    }

    // The request

    @Test("Without a request the result says that nothing was compared, and with one that it was")
    func requestCompared() throws {
        let key = try annex.readerKey()
        let without = try CommandRun(annex.decrypted("--reader-key", key))
        #expect(without.status == 0)
        #expect(without.output.contains("was not compared with a request"))
        #expect(
            try CommandRun(annex.decrypted("--reader-key", key, "--json")).report().requestCompared == false)
        let request = try annex.file("deviceRequest")
        let with = try CommandRun(annex.decrypted("--reader-key", key, "--request", request))
        #expect(with.status == 0)
        #expect(!with.output.contains("not compared with"))
        let json = try CommandRun(annex.decrypted("--reader-key", key, "--request", request, "--json"))
        #expect(try json.report().requestCompared)
    }

    @Test("An age that is asked for and not attested cannot be determined: exit code 1")
    func unansweredAge() throws {
        let asked = [
            "family_name", "document_number", "driving_privileges", "issue_date", "expiry_date", "portrait",
        ]
        let request = try annex.file("asked", deviceRequest(asked + ["age_over_21"]))
        let arguments = try annex.decrypted("--reader-key", annex.readerKey(), "--request", request)
        let json = try CommandRun(arguments + ["--json"])
        #expect(json.status == 1)
        let document = try #require(try json.report().documents.first)
        #expect(document.ageOver == ["21": "cannotTell"])
        #expect(try json.report().errors.map(\.id) == ["element.not_returned"])
        let text = try CommandRun(arguments)
        #expect(text.status == 1)
        #expect(text.output.contains("over 21: cannot tell (no age attestation was returned)"))
    }

    @Test("An age of a document that did not come cannot be determined either")
    func ageOfAbsentDocument() throws {
        let other = ItemsRequest(
            docType: "org.example.other",
            nameSpaces: [
                .init(
                    name: "org.example", elements: [.init(identifier: "age_over_18", intentToRetain: false)])
            ])
        let published = try DeviceRequest(annex.bytes("deviceRequest")[...]).docRequests.map(\.itemsRequest)
        let encoded = DeviceRequest.encode(
            (published + [other]).map { (items: $0.encoded(), readerAuth: nil) })
        let run = try CommandRun(
            annex.decrypted("--reader-key", annex.readerKey(), "--request", annex.file("two", encoded)))
        #expect(run.status == 1)
        #expect(run.output.contains("over 18: cannot tell (org.example.other was not returned)"))
    }

    private func deviceRequest(_ elements: [String]) -> [UInt8] {
        let items = ItemsRequest(
            docType: "org.iso.18013.5.1.mDL",
            nameSpaces: [
                .init(
                    name: "org.iso.18013.5.1",
                    elements: elements.map { .init(identifier: $0, intentToRetain: false) })
            ])
        return DeviceRequest.encode([(items: items.encoded(), readerAuth: nil)])
    }

    @Test("A request that is not the one in the SessionEstablishment is wrong usage")
    func contradictingRequest() throws {
        let establishment = try annex.file("sessionEstablishment")
        let same = try CommandRun(
            annex.encrypted(
                "--session-establishment", establishment, "--request", annex.file("deviceRequest")))
        #expect(same.status == 0)
        let other = try annex.file("other", deviceRequest(["family_name"]))
        let run = try CommandRun(
            annex.encrypted("--session-establishment", establishment, "--request", other))
        #expect(run.status == 64)
        #expect(
            run.errors.contains("--request: this is not the request in the file of --session-establishment"))
    }

    // Time

    @Test("Time is what --at says, in UTC or with an offset")
    func time() throws {
        let key = try annex.readerKey()
        for (time, status) in [
            ("2020-12-24T12:00:00Z", 0), ("2020-12-24T12:00:00+01:00", 0), ("2022-01-01T00:00:00Z", 2),
            ("2019-01-01T00:00:00Z", 2),
        ] as [(String, Int32)] {
            #expect(
                try CommandRun(annex.decrypted("--reader-key", key, at: time)).status == status, "\(time)")
        }
    }

    @Test(
        "A time without zone, a day alone or nonsense is wrong usage",
        arguments: ["2020-12-24T12:00:00", "2020-12-24", "2020-13-24T12:00:00Z", "now", ""])
    func wrongTime(_ time: String) throws {
        let run = try CommandRun(annex.decrypted(at: time))
        #expect(run.status == 64)
        #expect(run.output.isEmpty)
    }

    // Input that is not what it claims to be

    @Test(
        "A file that is no message of its kind is malformed, and the report names the option",
        arguments: ["--transcript", "--request", "--trust"])
    func malformedInput(_ option: String) throws {
        let garbage = try annex.file("garbage", [0xff, 0x00])
        var arguments = try annex.decrypted("--json", "--request", annex.file("deviceRequest"))
        let position = try #require(arguments.firstIndex(of: option))
        arguments[position + 1] = garbage
        let run = try CommandRun(arguments)
        #expect(run.status == 65)
        let report = try run.report()
        #expect(report.verdict == "malformed")
        #expect(report.errors.map(\.id) == ["input.malformed"])
        #expect(report.documents.isEmpty)
    }

    @Test("SessionTranscriptBytes are not the bare SessionTranscript")
    func wrappedTranscript() throws {
        var arguments = try annex.decrypted()
        let position = try #require(arguments.firstIndex(of: "--transcript"))
        arguments[position + 1] = try annex.file("sessionTranscriptBytes")
        let run = try CommandRun(arguments)
        #expect(run.status == 65)
        #expect(run.output.contains("expected an array at byte 0"))
    }

    @Test("A response longer than allowed is malformed; allowed, it is read")
    func limit() throws {
        let key = try annex.readerKey()
        let short = try CommandRun(annex.decrypted("--reader-key", key, "--max-message", "3000", "--json"))
        #expect(short.status == 65)
        #expect(try short.report().errors.map(\.id) == ["input.malformed"])
        #expect(try CommandRun(annex.decrypted("--reader-key", key, "--max-message", "3562")).status == 0)
    }

    @Test("A file cut short is unreadable, and one with a bit changed that means something is refused")
    func mutated() throws {
        var random = SplitMix64(seed: 18013)
        for file in ["deviceResponse", "transcript", "iacaCertificate"] {
            let whole = try file == "transcript" ? annex.transcript() : annex.bytes(file)
            for round in 0..<12 {
                var bytes = whole
                let position = Int(random.next() % UInt64(whole.count))
                if round.isMultiple(of: 2) {
                    bytes.removeSubrange(position...)
                } else {
                    bytes[position] ^= 1 << (random.next() % 8)
                }
                var arguments = try annex.decrypted("--reader-key", annex.readerKey(), "--json")
                let place = try #require(arguments.firstIndex { $0.hasSuffix("/\(file)") })
                arguments[place] = try annex.file("mutated", bytes)
                let run = try CommandRun(arguments)
                let isCut = round.isMultiple(of: 2)
                // A root with a changed bit is not self-signed any more, and so is no root.
                let expected: [Int32] = isCut ? [65] : [2, 65]
                #expect(expected.contains(run.status), "\(file) at \(position): \(run.everything)")
            }
        }
    }

    // Usage

    @Test("What does not belong together is wrong usage")
    func usage() throws {
        let file = try annex.file("deviceResponse")
        for arguments in [
            [], ["--response", file], ["--response", file, "--session-data", file],
            ["--session-data", file], ["--session-data", file, "--engagement", file],
            ["--session-data", file, "--reader-key", "01"],
            ["--response", file, "--transcript", file, "--engagement", file],
            ["--session-data", file, "--engagement", file, "--reader-key", "01", "--handover-request", file],
            ["--session-data", file, "--engagement", file, "--reader-key", "01", "--transcript", file],
            ["--response", file, "--transcript", file, "--max-message", "0"],
        ] {
            let run = try CommandRun(["verify", "--trust", file] + arguments)
            #expect(run.status == 64, "\(arguments)")
            #expect(run.output.isEmpty)
            #expect(run.errors.contains("Usage:"))
        }
    }

    @Test("A file that is not there is wrong usage, and the message says which")
    func absentFile() throws {
        let run = try CommandRun(
            "verify", "--response", "/no/such/file", "--transcript",
            annex.file("transcript", annex.transcript()),
            "--trust", annex.file("iacaCertificate"), "--at", AnnexD.time)
        #expect(run.status == 64)
        #expect(run.errors.contains("/no/such/file: No such file or directory"))
    }
}
