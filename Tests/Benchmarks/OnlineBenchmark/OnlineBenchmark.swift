import Foundation
import Glibc
import OnlineStage
import OtherPrograms
import Synchronization

/// Measures a shop's server over HTTP: how many answers through an app it judges a second, how long one takes at half of
/// that, and how much processor time each takes beside what OpenSSL alone needs for the same operations, in the same run.
/// Both are processor time of their processes. For this last all share one processor: beside one another on the two
/// threads of a core each would slow the other. The floor is the tight one of `countersign-lab bench`; the former one stands
/// beside it, so that figures can be compared with earlier ones. What HTTP alone takes is measured as well: a body of the
/// same size that is refused for its form, before anything is opened.
///
///     OnlineBenchmark [ANSWERS]     for each store of nonces: in memory, in SQLite, and in the PostgreSQL of
///                                   Hardware/VirtualBench/with-postgresql where it runs inside
///
/// Exits with 1 when a limit is missed; the last lines say which.
@main
enum OnlineBenchmark {
    private static let connections = 16
    /// How much longer than the median one in a hundred may take.
    private static let latencyLimit = 10.0
    /// A computer is not always as fast: what an answer takes is measured so often beside the floor, and the median counts.
    private static let rounds = 15
    /// How much of the processor's time the tight floor has to be, with nonces in memory.
    private static let share = 0.7

    static func main() async throws {
        let count = max(CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 2000, rounds)
        var stores = [("memory", #"{"store": "memory"}"#), ("sqlite", #"{"store": "sqlite"}"#)]
        let database = ProcessInfo.processInfo.environment["COUNTERSIGN_POSTGRESQL"]
        if database != nil {
            stores.append(("postgresql", #"{"store": "postgresql", "connection": "CONNECTION"}"#))
        }
        print(
            "store       answers/s  CPU ms each  HTTP ms  floor ms  share  former ms  share | "
                + "at half load: median ms  p99 ms  ratio")
        var missed: [String] = []
        for (name, nonces) in stores {
            let daemon = try await OnlineDaemon(.init(), nonces: nonces, connection: database)
            let sheet = try await measure(daemon, count)
            let (ratio, costs) = (sheet.p99 / sheet.median, sheet.costs)
            if ratio > Self.latencyLimit {
                missed.append(String(format: "\(name): ratio %.1f, at most %.1f", ratio, Self.latencyLimit))
            }
            if name == "memory", costs.share < Self.share {
                missed.append(String(format: "\(name): share %.2f, at least %.2f", costs.share, Self.share))
            }
            print(
                String(
                    format: "%-11@ %9.0f %12.3f %8.3f %9.3f %6.2f %10.3f %6.2f %25.2f %7.2f %6.1f",
                    name as NSString, sheet.rate, costs.answer, costs.refusal, costs.floor, costs.share,
                    costs.formerFloor, costs.formerShare, sheet.median, sheet.p99, ratio))
        }
        for limit in missed { print("MISSED \(limit)") }
        exit(missed.isEmpty ? 0 : 1)
    }

    private struct Figures {
        var rate = 0.0
        var costs = Costs()
        var median = 0.0
        var p99 = 0.0
    }

    /// Of the processor's time, in milliseconds.
    private struct Costs {
        var answer = 0.0
        var refusal = 0.0
        /// What OpenSSL alone takes for an answer, by the shortest calls.
        var floor = 0.0
        var formerFloor = 0.0
        var share: Double { floor / answer }
        var formerShare: Double { formerFloor / answer }
    }

    private static func measure(_ daemon: OnlineDaemon, _ count: Int) async throws -> Figures {
        var figures = Figures()
        _ = try run(daemon, bodies(for: daemon, 200), every: nil)
        let bodies = try bodies(for: daemon, count)
        let began = ContinuousClock.now
        _ = try run(daemon, bodies, every: nil)
        figures.rate = Double(count) / seconds(ContinuousClock.now - began)
        figures.costs = try await onOneProcessor(daemon) {
            var rounds: [Costs] = []
            for _ in 0..<Self.rounds { rounds.append(try await costs(of: daemon, count / Self.rounds)) }
            return rounds.sorted { $0.share < $1.share }[Self.rounds / 2]
        }
        let later = try run(daemon, Self.bodies(for: daemon, count), every: 2 / figures.rate).sorted()
        figures.median = later[later.count / 2] * 1000
        figures.p99 = later[later.count * 99 / 100] * 1000
        return figures
    }

    private static func costs(of daemon: OnlineDaemon, _ count: Int) async throws -> Costs {
        let bodies = try bodies(for: daemon, count)
        let refused = bodies.map { $0.replacing(#""session":""#, with: #""sessions":""#) }
        var costs = Costs(
            answer: try cost(of: bodies, to: daemon),
            refusal: try cost(
                of: refused, to: daemon, expecting: #"{"type":"urn:countersign:problem:bodyRefused""#))
        (costs.floor, costs.formerFloor) = try await floors(of: daemon)
        return costs
    }

    private static func cost(
        of bodies: [String], to daemon: OnlineDaemon, expecting answer: String = verified
    ) throws -> Double {
        let used = try processor(of: daemon)
        _ = try run(daemon, bodies, every: nil, expecting: answer)
        return (try processor(of: daemon) - used) / Double(bodies.count)
    }

    private static func onOneProcessor<Value>(
        _ daemon: OnlineDaemon, _ body: () async throws -> Value
    ) async throws -> Value {
        let processes = [getpid(), daemon.reader.daemon.process]
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        guard let all = status.firstMatch(of: /Cpus_allowed_list:\s*((\d+)\S*)/)?.output else {
            throw PlainHTTP.Failure(description: "nobody says on which processors this may run")
        }
        for process in processes { try bind(process, to: String(all.2)) }
        let value = try await body()
        for process in processes { try bind(process, to: String(all.1)) }
        return value
    }

    /// Has a process and what it starts run on some processors alone.
    private static func bind(_ process: Int32, to processors: String) throws {
        let taskset = Process()
        taskset.executableURL = URL(filePath: "/usr/bin/taskset")
        taskset.arguments = ["--all-tasks", "--cpu-list", "--pid", processors, "\(process)"]
        taskset.standardOutput = FileHandle.nullDevice
        try taskset.run()
        taskset.waitUntilExit()
        guard taskset.terminationStatus == 0 else {
            throw PlainHTTP.Failure(description: "taskset cannot bind to processor \(processors)")
        }
    }

    /// What OpenSSL alone takes for an answer, in milliseconds of processor time: by the tight and by the former floor.
    private static func floors(of daemon: OnlineDaemon) async throws -> (tight: Double, former: Double) {
        let bench = try BuiltProgram(
            "countersign-lab", ["bench", "--rounds", "5"] + daemon.answer(in: daemon.reader.folder))
        guard try await bench.ended() == 0,
            let figures = try JSONSerialization.jsonObject(with: Data(bench.output.utf8)) as? [String: Any],
            let tight = figures["tightFloorWarmNs"] as? Double, let former = figures["floorWarmNs"] as? Double
        else { throw PlainHTTP.Failure(description: bench.errors) }
        return (tight / 1e6, former / 1e6)
    }

    /// Answers to nonces that were issued just now.
    private static func bodies(for daemon: OnlineDaemon, _ count: Int) throws -> [String] {
        let port = daemon.reader.port
        let connection = try KeptConnection(port: port)
        let order = KeptConnection.request(
            "/v1/wallet/requests", OnlineDaemon.order, token: OnlineDaemon.token, port: port)
        return try (0..<count).map { _ in
            let reply = String(decoding: try connection.exchange(order), as: UTF8.self)
            guard let nonce = reply.firstMatch(of: /"nonce":"([^"]+)"/)?.1 else {
                throw PlainHTTP.Failure(description: reply)
            }
            return try daemon.presentation(of: OnlineDaemon.nonce(from: String(nonce)))
        }
    }

    /// How the answer to a good presentation begins.
    private static let verified = #"{"verdict":"verified""#

    /// Presents each once; how long each took, in seconds.
    ///
    /// - Parameters:
    ///   - interval: how many seconds after the one before each begins; nil for as soon as a connection is free.
    ///   - beginning: how each answer has to begin.
    private static func run(
        _ daemon: OnlineDaemon, _ bodies: [String], every interval: Double?,
        expecting beginning: String = verified
    ) throws -> [Double] {
        let beginning = Array(beginning.utf8)
        let requests = bodies.map {
            KeptConnection.request(
                "/v1/wallet/presentations", $0, token: OnlineDaemon.token, port: daemon.reader.port)
        }
        let next = Mutex(0)
        let took = Mutex([Double]())
        let failures = Mutex([String]())
        let began = ContinuousClock.now
        let group = DispatchGroup()
        for _ in 0..<connections {
            let thread = Thread {
                defer { group.leave() }
                guard let connection = try? KeptConnection(port: daemon.reader.port) else { return }
                while true {
                    let index = next.withLock { index in
                        defer { index += 1 }
                        return index
                    }
                    guard index < bodies.count else { return }
                    var start = ContinuousClock.now
                    if let interval {
                        start = began + .seconds(interval * Double(index))
                        let wait = seconds(start - .now)
                        if wait > 0 { Thread.sleep(forTimeInterval: wait) }
                    }
                    let reply = try? connection.exchange(requests[index])
                    took.withLock { $0.append(seconds(ContinuousClock.now - start)) }
                    if reply?.starts(with: beginning) != true {
                        let text = reply.map { String(decoding: $0, as: UTF8.self) } ?? "gone"
                        failures.withLock { $0.append(text) }
                    }
                }
            }
            group.enter()
            thread.start()
        }
        group.wait()
        if let failure = failures.withLock({ $0.first }) { throw PlainHTTP.Failure(description: failure) }
        return took.withLock { $0 }
    }

    private static func seconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }

    /// The processor time that the daemon has used, in milliseconds.
    private static func processor(of daemon: OnlineDaemon) throws -> Double {
        var clock = clockid_t()
        var time = timespec()
        guard unsafe clock_getcpuclockid(daemon.reader.daemon.process, &clock) == 0,
            unsafe clock_gettime(clock, &time) == 0
        else { throw PlainHTTP.Failure(description: "the daemon is gone") }
        return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1e6
    }
}
