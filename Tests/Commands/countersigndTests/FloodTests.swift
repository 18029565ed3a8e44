import Deadlines
import Foundation
import OtherPrograms
import Testing

@Suite("Ten thousand connections at countersignd")
struct FloodTests {
    private static let count = 10_000
    /// How many without a token the daemon takes where its file says nothing: half of 512.
    private static let limit = 256
    /// How long the daemon keeps a connection whose request does not end.
    private static let idleSeconds = 15

    @Test(
        "The daemon serves as many callers as its limit allows, tells the others why not, and keeps its memory bounded"
    )
    func connections() async throws {
        try #require(ConnectionFlood.makeRoom(for: Self.count), "raise the hard limit of open files")
        let reader = try await ReaderDaemon(lanes: [nil])
        #expect(try await reader.asApp.call("GET", "/v1/lanes").status == 200)
        let before = try Self.memory(of: reader.daemon)
        let flood = ConnectionFlood()
        let seconds = try await flood.run(Self.count, to: reader.port, holding: Self.limit, timeout: 900)
        #expect(flood.failures == 0)
        #expect(flood.openCount <= Self.limit, "some have no answer after \(seconds) s")
        let named = flood.answers.filter {
            $0.hasPrefix("HTTP/1.1 503 ") && $0.contains(#""id":"tooManyConnections""#)
        }
        // Who is closed as idle leaves room for another: on a busy computer the last come after that.
        let served = Self.count - named.count
        let most = Self.limit * (1 + seconds / Self.idleSeconds)
        #expect((Self.limit...most).contains(served), "in \(seconds) s")
        #expect(flood.answers.count { !$0.isEmpty } == named.count)
        // The till's socket is a listener of its own.
        #expect(try await reader.atSocket.call("GET", "/v1/lanes").status == 200)
        let peak = try Self.memory(of: reader.daemon)
        #expect(peak - before < 64 << 10, "\(before) KiB became \(peak) KiB")
        flood.close()
        // The daemon hears of each end in its own time.
        try await until("room for connections") {
            try await reader.asApp.call("GET", "/v1/lanes").status == 200
        }
        let figures = try await reader.asAdmin.call("GET", "/metrics").text
        let refused = figures.firstMatch(of: /refusals_total{id="tooManyConnections"} (\d+)/)
        #expect(try #require(refused.flatMap { Int($0.1) }) >= named.count)
    }

    /// The most memory that a program had, in KiB.
    private static func memory(of program: BuiltProgram) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(program.process)/status", encoding: .utf8)
        return try #require(status.firstMatch(of: /VmHWM:\s+(\d+) kB/).flatMap { Int($0.1) })
    }
}
