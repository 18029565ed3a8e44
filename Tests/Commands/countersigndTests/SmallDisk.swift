import Deadlines
import Foundation
import Glibc
import OtherPrograms
import Testing

/// A store on a disk of 2 MiB, and the daemon on it.
final class SmallDisk {
    let reader: ReaderDaemon
    let store: String
    private(set) var daemon: BuiltProgram
    private var filler: String { store + "/filler" }

    convenience init() async throws {
        try await self.init(ReaderDaemon(lanes: [["--consent-time", "1500"]]))
    }

    /// Moves the store of a daemon there.
    init(_ reader: ReaderDaemon) async throws {
        self.reader = reader
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

    /// Returns once the daemon is ready, whether an order came or not.
    func ready() async throws {
        try await until("a ready daemon with space on the disk", within: .seconds(300)) { [reader] in
            try await reader.asNobody.call("GET", "/readyz").status == 200
        }
    }

    func reasons(ofReceipt number: Int) async throws -> [String]? {
        let receipt = try await reader.asApp.call("GET", "/v1/receipts/\(number)").json()
        return (receipt["statement"] as? [String: Any])?["reasons"] as? [String]
    }
}
