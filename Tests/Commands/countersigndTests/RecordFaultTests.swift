import Deadlines
import Foundation
import Glibc
import MdocModel
import OtherPrograms
import ReaderService
import Reports
import Testing
import VectorFiles

@testable import ReaderStore

@Suite("Records where the disk fails, the daemon is killed, or time goes by")
struct RecordFaultTests {
    @Test(
        "What cannot be written is refused before the phone is asked; a receipt that then fails is written later"
    )
    func receipt() async throws {
        let desk = try await RentalDesk(lanes: [["--consent-time", "1500"]])
        let reader = desk.reader
        #expect(try await !reader.asNobody.call("GET", "/readyz").text.contains("recordsUnavailable"))
        let id = try await reader.order(#", "retention": "receipt""#)
        let key = URL(filePath: reader.folder.path + "/store/receipt-key.pem")
        let genuine = try Data(contentsOf: key)
        try Data("no key".utf8).write(to: key)
        try #require(unsafe chmod(key.path, 0o600) == 0)
        #expect(try await reader.end(of: id).last == "verified")
        #expect(try await reader.result(of: id)["receipt"] is NSNull)
        let unready = try await reader.asNobody.call("GET", "/readyz")
        #expect(unready.status == 503 && unready.text.contains("recordsUnavailable"))
        let figures = try await reader.asAdmin.call("GET", "/metrics").text
        #expect(figures.contains(#"countersign_records_total{what="receipt",outcome="failed"}"#))
        #expect(reader.daemon.errors.contains("the store refused a record"))
        let display = try await reader.asApp.call(
            "POST", "/v1/presentations",
            #"{"kind": "display", "intent": "age over 21", "retention": "receipt"}"#)
        for refused in [display, try await desk.order("receipt"), try await desk.order("days(1)")] {
            #expect(refused.status == 503 && refused.problem == "recordsUnavailable", "\(refused.text)")
        }
        // What keeps nothing needs no store.
        _ = try await desk.rent("none")
        try genuine.write(to: key)
        #expect(try await reader.receipt(of: id) == "1")
        #expect(try await !reader.asNobody.call("GET", "/readyz").text.contains("recordsUnavailable"))
        let receipt = try await reader.asApp.call("GET", "/v1/receipts/1").json()
        let reasons = (receipt["statement"] as? [String: Any])?["reasons"] as? [String]
        #expect(reasons == ["receipt.delayed"])
        let kept = try await desk.rent("receipt")
        #expect(try await reader.result(of: kept)["receipt"] as? String == "2")
    }

    @Test("Data whose key cannot be kept is not asked for, and is once it can")
    func keys() async throws {
        let desk = try await RentalDesk()
        // A file where the folder of the keys should be.
        let keys = desk.reader.folder.path + "/store-keys"
        try Data().write(to: URL(filePath: keys))
        let refused = try await desk.order("days(1)", reference: "r")
        #expect(refused.status == 503 && refused.problem == "recordsUnavailable", "\(refused.text)")
        let lane = try await desk.reader.asApp.call("GET", "/v1/lanes/lane-1").json()
        #expect(lane["presentation"] is NSNull)
        try FileManager.default.removeItem(atPath: keys)
        _ = try await desk.rent("days(1)", reference: "r")
        #expect(try await desk.retained().count == 1)
        #expect(try await !desk.reader.asNobody.call("GET", "/readyz").text.contains("recordsUnavailable"))
    }

    @Test("An answer that was handed out in part is handed out again, and that is reported")
    func cut() async throws {
        let desk = try await RentalDesk()
        _ = try await desk.rent("days(1)", reference: "r")
        let store = desk.reader.folder.path + "/store"
        let retained = try RetainedRecords(in: ReaderStore(at: store, for: .changing))
        _ = try retained.beginExport(of: RetainedReference("r"), at: WallClock.system.now)
        let export = try await desk.export("r")
        #expect(export.status == 200)
        #expect(try export.json()["handedOutBefore"] is String)
        #expect(try await desk.confirm(export).status == 200)
        #expect(try await desk.export("r").problem == "nothingRetained")
    }

    /// Retains something in the daemon's store that falls due in so many seconds; its id.
    private func retain(in desk: RentalDesk, for seconds: Int64, reference: String) async throws -> String {
        let profile = try #require(RetentionProfile.days(1))
        let store = try ReaderStore(at: desk.reader.folder.path + "/store", for: .changing)
        let before = Set(try await desk.retained())
        let due = WallClock.system.now.advanced(bySeconds: seconds)
        _ = try RetainedRecords(in: store).retain(
            [(ElementName(nameSpace: "org.iso.18013.5.1", identifier: "family_name"), [0x61, 0x51])],
            of: "org.iso.18013.5.1.mDL", under: profile, consent: .notGiven, until: due,
            for: RetainedReference(reference),
            at: due.advanced(bySeconds: -86_400))
        return try #require(try await desk.retained().first { !before.contains($0) })
    }

    private func gone(_ record: String, from desk: RentalDesk) async throws {
        try await until("the removal of \(record)", within: .seconds(300)) { !desk.isAnywhere(record) }
    }

    @Test("An expired record is removed at its deadline, even if the daemon was off then; other records stay")
    func purged() async throws {
        let desk = try await RentalDesk(lanes: [nil])
        desk.reader.daemon.signal(SIGTERM)
        _ = try await desk.reader.daemon.ended()
        let overdue = try await retain(in: desk, for: -1, reference: "overdue")
        let later = try await retain(in: desk, for: 3600, reference: "later")
        let due = WallClock.system.now.advanced(bySeconds: 15)
        let soon = try await retain(in: desk, for: 15, reference: "soon")
        #expect([overdue, soon, later].allSatisfy(desk.isAnywhere))
        let daemon = try await desk.reader.startAgain()
        try await gone(overdue, from: desk)
        // A busy computer may start the daemon after this deadline.
        #expect(desk.isAnywhere(soon) || WallClock.system.now >= due)
        #expect(desk.isAnywhere(later))
        try await gone(soon, from: desk)
        #expect(desk.isAnywhere(later) && daemon.errors.contains(" ready"))
        #expect(try await desk.retained() == [later])
    }

    @Test("Killed at random while it writes, the daemon loses no receipt that it answered")
    func killed() async throws {
        let reader = try await ReaderDaemon()
        var numbers = SplitMix64(seed: 4711)
        var answered: [String: String] = [:]
        var daemon = reader.daemon
        for _ in 0..<8 {
            let delay = Duration.milliseconds(Int.random(in: 50...600, using: &numbers))
            let killing = Task { [daemon] in
                try await Task.sleep(for: delay)
                daemon.signal(SIGKILL)
            }
            while let receipt = try? await receipt(reader) { answered[receipt.id] = receipt.digest }
            try await killing.value
            _ = try await daemon.ended()
            daemon = try BuiltProgram(
                "countersignd", ["--config", reader.folder.path + "/countersignd.json"])
            try await daemon.said(" ready")
        }
        #expect(!answered.isEmpty)
        let store = try ReaderStore(at: reader.folder.path + "/store", for: .reading)
        let chain = try store.receiptChain()
        guard case .intact = chain.verify(by: try store.receiptKeys()) else {
            Issue.record("the chain is broken")
            return
        }
        let kept = try store.receipts(atMost: 10_000)
        for (id, digest) in answered {
            let found = kept.first { $0.id == id }
            #expect(found?.digest.hexadecimal == digest, "receipt \(id)")
        }
    }

    /// One presentation to its end: its receipt's id and digest. Throws once the daemon is gone.
    private func receipt(_ reader: ReaderDaemon) async throws -> (id: String, digest: String) {
        let id = try await reader.order(#", "retention": "receipt""#)
        _ = try await reader.end(of: id)
        guard let receipt = try await reader.result(of: id)["receipt"] as? String,
            case let reply = try await reader.asApp.call("GET", "/v1/receipts/\(receipt)"),
            let digest = try reply.json()["digest"] as? String
        else { throw PlainHTTP.Failure(description: "no receipt") }
        return (receipt, digest)
    }
}
