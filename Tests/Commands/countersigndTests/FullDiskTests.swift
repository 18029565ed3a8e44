import Foundation
import Glibc
import OtherPrograms
import Testing

@testable import ReaderStore

@Suite(
    "A full disk under the store", .enabled(if: geteuid() == 0, "not root: no small disk can be mounted"))
struct FullDiskTests {
    /// A store on a disk of 2 MiB, and the daemon on it.
    private final class Disk {
        let reader: ReaderDaemon
        let store: String
        private(set) var daemon: BuiltProgram
        private var filler: String { store + "/filler" }

        init() async throws {
            reader = try await ReaderDaemon(lanes: [["--consent-time", "1500"]])
            store = reader.folder.path + "/store"
            daemon = reader.daemon
            daemon.signal(SIGTERM)
            _ = try await daemon.ended()
            let before = reader.folder.path + "/before"
            try FileManager.default.moveItem(atPath: store, toPath: before)
            try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: false)
            let mount = ["mount", "-t", "tmpfs", "-o", "size=2m,mode=700", "tmpfs", store]
            guard try ChildProcess(mount).waitForEnd() == 0 else {
                try Test.cancel("no small disk can be mounted here")
            }
            try #require(ChildProcess(["cp", "-a", before + "/.", store]).waitForEnd() == 0)
            try await start()
        }

        deinit { _ = try? ChildProcess(["umount", "-l", store]).waitForEnd() }

        func start() async throws {
            daemon = try await reader.startAgain()
        }

        func fill() throws {
            let file = unsafe open(filler, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR)
            try #require(file >= 0)
            defer { _ = close(file) }
            for size in [4096, 1] {
                let zeros = [UInt8](repeating: 0, count: size)
                while unsafe write(file, zeros, size) > 0 {}
            }
        }

        func empty() throws { try FileManager.default.removeItem(atPath: filler) }

        /// An order, by default one that is to have a receipt.
        func order(_ members: String = #", "retention": "receipt""#) async throws -> PlainHTTP.Reply {
            try await reader.asApp.call(
                "POST", "/v1/presentations", #"{"kind": "display", "intent": "age over 21"\#(members)}"#)
        }

        func isReady() async throws -> Bool {
            try await !reader.asNobody.call("GET", "/readyz").text.contains("recordsUnavailable")
        }

        func reasons(ofReceipt number: Int) async throws -> [String]? {
            let receipt = try await reader.asApp.call("GET", "/v1/receipts/\(number)").json()
            return (receipt["statement"] as? [String: Any])?["reasons"] as? [String]
        }
    }

    /// Orders, and fills the disk while the holder reads; the presentation's id once it is over.
    private func fillDuring(_ disk: Disk) async throws -> String {
        let reply = try await disk.order()
        let id = try #require(try reply.json()["id"] as? String, "\(reply.text)")
        try disk.fill()
        #expect(try await disk.reader.end(of: id).last == "verified")
        #expect(try await disk.reader.result(of: id)["receipt"] is NSNull)
        return id
    }

    @Test(
        "An order is refused before the phone is asked, with a receipt or without, and taken once there is space",
        arguments: [#", "retention": "receipt""#, "", #", "reference": "sale""#])
    func refused(_ members: String) async throws {
        let disk = try await Disk()
        try disk.fill()
        let refused = try await disk.order(members)
        #expect(refused.status == 503 && refused.problem == "recordsUnavailable", "\(refused.text)")
        let lane = try await disk.reader.asApp.call("GET", "/v1/lanes/lane-1").json()
        #expect(lane["presentation"] is NSNull)
        #expect(!disk.reader.wallets[0].errors.contains("reader 1"))
        try disk.empty()
        let taken = try await disk.order(members)
        let id = try #require(try taken.json()["id"] as? String, "\(taken.text)")
        #expect(try await disk.reader.end(of: id).last == "verified")
    }

    @Test(
        "A receipt that finds no space is written as soon as there is some, and the daemon is not ready till then"
    )
    func later() async throws {
        let disk = try await Disk()
        let id = try await fillDuring(disk)
        #expect(try await disk.reader.asNobody.call("GET", "/readyz").status == 503)
        #expect(try await !disk.isReady())
        try disk.empty()
        #expect(try await disk.reader.receipt(of: id) == "1")
        #expect(try await disk.isReady())
        #expect(try await disk.reasons(ofReceipt: 1) == ["receipt.delayed"])
    }

    @Test("A receipt that never found space is a gap that the chain shows")
    func gap() async throws {
        let disk = try await Disk()
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
