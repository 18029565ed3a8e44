import CommandBench
internal import PKIX
import Foundation
import GRDB
import OpenSSLCrypto
import ReaderStore
import RecordBench
import Testing

/// `countersign receipt`: what was checked, shown and handed out.
@Suite("Receipts on the command line")
struct ReceiptCommandTests {
    let folder: TemporaryFolder
    let path: String
    let store: ReaderStore

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("store")
        store = try ReaderStore(at: path, for: .changing)
    }

    private func receipt(_ arguments: String...) throws -> CommandRun {
        try CommandRun(["receipt"] + arguments + ["--store", path])
    }

    /// A chain of three receipts, exported with its keys.
    private func export() throws -> (chain: String, keys: String, head: String) {
        for _ in 0..<3 { _ = try store.append(.sample(decision: .approved)) }
        let (chain, keys) = (folder.path("chain.cbor"), folder.path("keys.pem"))
        let run = try receipt("export", chain, "--public-keys", keys, "--json")
        #expect(run.status == 0, "\(run.errors)")
        return (chain, keys, try #require(run.json()["head"] as? String))
    }

    @Test("Without receipts all is well and nothing is listed; without a store nothing is")
    func none() throws {
        #expect(try receipt("list").output.hasPrefix("no receipts yet in the store /"))
        let list = try receipt("list", "--json")
        #expect(try list.json()["count"] as? Int == 0 && list.json()["head"] is NSNull)
        #expect(try receipt("verify").status == 0)
        #expect(try receipt("show", "1").status == 64)
        let elsewhere = try CommandRun("receipt", "list", "--store", folder.path("elsewhere"))
        #expect(elsewhere.status == 64 && elsewhere.errors.contains("the store does not exist yet"))
    }

    @Test("Receipts are listed, in parts too, and one is shown in full")
    func listed() throws {
        let head = try export().head
        let list = try receipt("list", "--json").json()
        #expect((list["receipts"] as? [Any])?.count == 3 && list["count"] as? Int == 3)
        #expect(list["head"] as? String == head)
        let part = try receipt("list", "--after", "1", "--limit", "1", "--json").json()
        let entry = try #require((part["receipts"] as? [[String: Any]])?.first)
        #expect(entry["id"] as? String == "2" && entry["sequence"] as? Int == 2)
        let line = "2  2026-11-01T12:00:00Z  counter-1  verified  age_over_21 yes"
        #expect(try receipt("list").output.contains(line))
        let statement = try #require(receipt("show", "2", "--json").json()["statement"] as? [String: Any])
        #expect(
            Set(statement.keys) == [
                "time", "lane", "kind", "purpose", "questions", "verdict", "test", "reasons", "documents",
                "trust", "policy", "software", "retention", "method", "decision", "outcome", "repeats",
            ])
        #expect(statement["method"] as? String == "machine-validation")
        let text = try receipt("show", "3").output
        #expect(text.contains("age_over_21: yes") && text.contains("decided by a person: approved"))
        #expect(try receipt("show", "4").status == 64 && receipt("show", "0").status == 64)
    }

    @Test("A receipt of version 2 says how the phone was met, and a receipt of outputs how they ended")
    func versionTwo() throws {
        let lock = NewOutput(accessory: try #require(ReceiptLabel("lock")))
        let ended = try store.end(
            .sample("a"),
            first: .sample(
                decision: .approved, engagement: .qr, proof: .zeroKnowledge(circuitVersion: 7),
                decidedFrom: .clerk(ReceiptStatement.PersonPseudonym([1, 2, 3, 4, 5, 6, 7, 8]))),
            further: nil, outputs: [lock])
        let output = try #require(ended.outputs.first)
        #expect(try store.giveOutput(output.number))
        #expect(try store.finishOutput(output.number, as: .done, at: RentalDocument.now))
        let list = try receipt("list").output
        #expect(list.contains("1  2026-11-01T12:00:00Z  counter-1  verified  age_over_21 yes"))
        #expect(list.contains("2  2026-11-01T12:00:00Z  counter-1  outputs of receipt 1  lock done"))
        let text = try receipt("show", "1").output
        for line in [
            "engagement: qr", "proof: zeroKnowledge, circuit version 7",
            "decided from: clerk, person 0102030405060708", "decided by a person: approved",
        ] { #expect(text.contains("  \(line)\n"), "\(line)") }
        let outputs = try receipt("show", "2").output
        #expect(outputs.contains("outputs of the presentation with receipt 1:\n    lock: done\n"))
        let statement = try #require(receipt("show", "1", "--json").json()["statement"] as? [String: Any])
        #expect(statement["version"] as? Int == 2 && statement["engagement"] as? String == "qr")
        #expect(statement["proof"] as? String == "zeroKnowledge" && statement["circuitVersion"] as? Int == 7)
        #expect(statement["decidedFrom"] as? String == "clerk" && statement["manual"] is NSNull)
        let second = try #require(receipt("show", "2", "--json").json()["statement"] as? [String: Any])
        #expect(
            Set(second.keys) == ["version", "kind", "time", "lane", "software", "of", "outputs"])
        #expect(second["of"] as? String == "1" && second["kind"] as? String == "outputs")
        let entries = try #require(second["outputs"] as? [[String: String]])
        #expect(entries == [["accessory": "lock", "state": "done"]])
        #expect(try receipt("verify").output.hasPrefix("2 receipts, unbroken; head: "))
    }

    @Test("A chain that was exported is verified offline, by the keys given alone")
    func verified() throws {
        let (chain, keys, head) = try export()
        func verify(_ arguments: String...) throws -> CommandRun {
            try CommandRun(["receipt", "verify"] + arguments)
        }
        let run = try verify(chain, "--key", keys, "--head", head, "--json")
        #expect(run.status == 0, "\(run.everything)")
        #expect(try run.json()["verdict"] as? String == "intact" && run.json()["receipts"] as? Int == 3)
        #expect(try run.json()["head"] as? String == head)
        #expect(try receipt("verify").output == "3 receipts, unbroken; head: \(head)\n")
        let other = try PrivateKey.generate(.p256).publicKey().subjectPublicKeyInfo
        let otherKey = try folder.write(PEM.encode(other[...], label: "PUBLIC KEY"), as: "other.pem")
        #expect(try verify(chain, "--key", otherKey).status == 2)
        #expect(try verify(chain, "--key", otherKey, "--key", keys).status == 0)
        #expect(try verify(chain).status == 64 && verify("--key", keys).status == 64)
        #expect(try verify(chain, "--key", chain).status == 64)
        #expect(try verify(keys, "--key", keys).status == 65)
        #expect(try verify(chain, "--key", keys, "--head", "12").status == 64)
    }

    @Test("A broken chain is exit code 2 and names the link")
    func broken() throws {
        let (chain, keys, head) = try export()
        let links = try ReceiptChain(parsing: [UInt8](Data(contentsOf: URL(filePath: chain)))).links
        for (name, changed, fault) in [
            ("cut", Array(links.dropLast()), "receipt_chain.end_missing"),
            ("gap", [links[0], links[2]], "receipt_chain.missing"),
        ] {
            let file = try folder.write(ReceiptChain(changed).encoded(), as: name)
            let run = try CommandRun(
                "receipt", "verify", file, "--key", keys, "--head", head, "--json")
            #expect(run.status == 2)
            let broken = try #require(run.json()["broken"] as? [String: Any])
            #expect(broken["id"] as? String == fault && broken["detail"] is String)
        }
        let gap = try CommandRun("receipt", "verify", folder.path("gap"), "--key", keys)
        #expect(gap.output == "broken at link 2 of 2: receipt 2 is missing\n")
    }

    @Test("--store finds last receipts that were deleted from the database, and a head that is not theirs")
    func cutStore() throws {
        let head = try export().head
        #expect(try receipt("verify").output == "3 receipts, unbroken; head: \(head)\n")
        try DatabaseQueue(path: path + "/countersign.sqlite").write {
            try $0.execute(sql: "DELETE FROM receipt WHERE sequence > 1")
        }
        let cut = try receipt("verify", "--json")
        #expect(cut.status == 2, "\(cut.everything)")
        let broken = try #require(cut.json()["broken"] as? [String: Any])
        #expect(broken["id"] as? String == "receipt_chain.missing" && broken["detail"] is String)
        // An export of what is left is unbroken in itself: only the store knows of the head.
        let (chain, keys) = (folder.path("left.cbor"), folder.path("left.pem"))
        #expect(try receipt("export", chain, "--public-keys", keys).status == 0)
        #expect(try CommandRun("receipt", "verify", chain, "--key", keys).status == 0)
        try FileManager.default.removeItem(atPath: path + "/receipt-head")
        let headless = try receipt("verify", "--json")
        #expect(headless.status == 2)
        #expect(
            (try headless.json()["broken"] as? [String: Any])?["id"] as? String
                == "receipt_chain.head_differs")
    }

    @Test("With a new key the chain goes on, and both public halves are exported")
    func renewed() throws {
        #expect(try CommandRun("receipt", "renew-key", "--store", folder.path("elsewhere")).status == 64)
        let (chain, oldKeys, _) = try export()
        let run = try receipt("renew-key", "--json")
        #expect(run.status == 0, "\(run.errors)")
        let id = try #require(run.json()["key"] as? String)
        #expect(try CommandRun("receipt", "verify", chain, "--key", oldKeys).status == 0)
        let (longer, keys, _) = try export()
        #expect(try CommandRun("receipt", "verify", longer, "--key", keys).status == 0)
        let last = try receipt("show", "6", "--json").json()
        #expect(last["key"] as? String == id)
        let text = try String(contentsOfFile: keys, encoding: .utf8)
        #expect(text.components(separatedBy: "BEGIN PUBLIC KEY").count == 3)
    }

    @Test("What is written is its owner's alone, and no personal data is in it")
    func silence() throws {
        let (chain, keys, _) = try export()
        for file in [chain, keys] {
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
        let all = try [receipt("list"), receipt("list", "--json"), receipt("show", "1")].map(\.everything)
        let bytes = String(decoding: try Data(contentsOf: URL(filePath: chain)), as: UTF8.self)
        for text in all + [bytes] {
            for word in ["family_name", "birth_date", "document_number"] { #expect(!text.contains(word)) }
        }
    }
}
