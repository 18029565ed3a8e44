import Foundation
import Glibc
import OtherPrograms
import Testing

@testable import ReaderStore

@Suite(
    "A full disk under the store", .enabled(if: geteuid() == 0, "not root: no small disk can be mounted"))
struct FullDiskTests {
    /// Orders, and fills the disk while the holder reads; the presentation's id once it is over.
    private func fillDuring(_ disk: SmallDisk) async throws -> String {
        let reply = try await disk.order()
        let id = try #require(try reply.json()["id"] as? String, "\(reply.text)")
        try disk.fill()
        #expect(try await disk.reader.end(of: id).last == "verified")
        #expect(try await disk.reader.result(of: id)["receipt"] is NSNull)
        return id
    }

    @Test(
        "On a full disk, an order is refused before the phone is asked; it is accepted when there is space again",
        arguments: [#", "retention": "receipt""#, "", #", "reference": "sale""#])
    func refused(_ members: String) async throws {
        let disk = try await SmallDisk()
        try disk.fill()
        let refused = try await disk.order(members)
        #expect(refused.status == 503 && refused.problem == "recordsUnavailable", "\(refused.text)")
        let lane = try await disk.reader.asApp.call("GET", "/v1/lanes/lane-1").json()
        #expect(lane["presentation"] is NSNull)
        #expect(!disk.reader.wallets[0].errors.contains("reader 1"))
        #expect(refused.headers["retry-after"] == "5")
        let unready = try await disk.reader.asNobody.call("GET", "/readyz")
        #expect(try unready.status == 503 && unready.json()["ready"] as? Bool == false)
        #expect(unready.text.contains("recordsUnavailable"))
        try disk.empty()
        try await disk.ready()
        let taken = try await disk.order(members)
        let id = try #require(try taken.json()["id"] as? String, "\(taken.text)")
        #expect(try await disk.reader.end(of: id).last == "verified")
    }

    @Test(
        "A receipt that finds no space is written as soon as there is some, and the daemon is not ready till then"
    )
    func later() async throws {
        let disk = try await SmallDisk()
        let id = try await fillDuring(disk)
        #expect(try await disk.reader.asNobody.call("GET", "/readyz").status == 503)
        #expect(try await !disk.isReady())
        try disk.empty()
        #expect(try await disk.reader.receipt(of: id) == "1")
        #expect(try await disk.isReady())
        #expect(try await disk.reasons(ofReceipt: 1) == ["receipt.delayed"])
    }

    @Test("The receipt chain shows a gap for a receipt that could not be written")
    func gap() async throws {
        let disk = try await SmallDisk()
        _ = try await fillDuring(disk)
        disk.daemon.signal(SIGKILL)
        _ = try await disk.daemon.ended()
        try disk.empty()
        try await disk.start()
        #expect(try await disk.reasons(ofReceipt: 1) == ["receipt.interrupted"])
        let verdict = try ReaderStore(at: disk.store, for: .reading).verifyReceipts().0
        guard case .intact(1, _) = verdict else {
            Issue.record("\(verdict)")
            return
        }
    }
}
