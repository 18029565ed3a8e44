import Foundation
import Glibc
import OnlineStage
import OtherPrograms
import Synchronization

/// Measures a shop's server over HTTP: how many answers through an app it judges a second, how long one takes at half of
/// that, and how much of a processor each takes beside what OpenSSL alone needs for the same operations, in the same run.
/// For this last all share one processor: beside one another on the two threads of a core each would slow the other.
///
///     OnlineBenchmark [ANSWERS]     for each store of nonces: in memory, in SQLite, and in the PostgreSQL of
///                                   Hardware/VirtualBench/with-postgresql where it runs inside
@main
enum OnlineBenchmark {
    private static let connections = 16
    /// How much longer than the median one in a hundred may take.
    private static let patience = 10.0
    /// A computer is not always as fast: what an answer takes is measured so often beside the floor, and the median counts.
    private static let rounds = 5
    /// How much of the processor's time the operations of OpenSSL have to be, with nonces in memory.
    private static let share = 0.7

    static func main() async throws {
        let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 2000
        var stores = [("memory", #"{"store": "memory"}"#), ("sqlite", #"{"store": "sqlite"}"#)]
        let database = ProcessInfo.processInfo.environment["COUNTERSIGN_POSTGRESQL"]
        if database != nil {
            stores.append(("postgresql", #"{"store": "postgresql", "connection": "CONNECTION"}"#))
        }
        print("store       answers/s  CPU ms each  floor ms  share | at half load: median ms  p99 ms  ratio")
        var isMet = true
        for (name, nonces) in stores {
            let daemon = try await OnlineDaemon(.init(), nonces: nonces, connection: database)
            let sheet = try await measure(daemon, count)
            let (ratio, share) = (sheet.p99 / sheet.median, sheet.floor / sheet.processor)
            isMet = isMet && ratio <= Self.patience && (share >= Self.share || name != "memory")
            print(
                String(
                    format: "%-11@ %9.0f %12.3f %9.3f %6.2f %24.2f %7.2f %11.1f", name as NSString,
                    sheet.rate,
                    sheet.processor, sheet.floor, share, sheet.median, sheet.p99, ratio))
        }
        exit(isMet ? 0 : 1)
    }

    private struct Figures {
        var rate = 0.0
        var processor = 0.0
        var floor = 0.0
        var median = 0.0
        var p99 = 0.0
    }

    private static func measure(_ daemon: OnlineDaemon, _ count: Int) async throws -> Figures {
        var figures = Figures()
        _ = try run(daemon, bodies(for: daemon, 200), every: nil)
        let bodies = try bodies(for: daemon, count)
        let began = ContinuousClock.now
        _ = try run(daemon, bodies, every: nil)
        figures.rate = Double(count) / seconds(ContinuousClock.now - began)
        (figures.processor, figures.floor) = try await onOneProcessor(daemon) {
            var rounds: [(processor: Double, floor: Double)] = []
            for _ in 0..<Self.rounds { rounds.append(try await round(daemon, count / Self.rounds)) }
            return rounds.sorted { $0.floor / $0.processor < $1.floor / $1.processor }[Self.rounds / 2]
        }
        let later = try run(daemon, Self.bodies(for: daemon, count), every: 2 / figures.rate).sorted()
        figures.median = later[later.count / 2] * 1000
        figures.p99 = later[later.count * 99 / 100] * 1000
        return figures
    }

    /// What an answer takes of the processor, and what OpenSSL alone takes just afterwards, in milliseconds.
    private static func round(
        _ daemon: OnlineDaemon, _ count: Int
    ) async throws -> (processor: Double, floor: Double) {
        let bodies = try bodies(for: daemon, count)
        let used = processor(of: daemon)
        _ = try run(daemon, bodies, every: nil)
        let processor = (processor(of: daemon) - used) * 1000 / Double(count)
        return (processor, try await floor(of: daemon))
    }

    private static func onOneProcessor<Value>(
        _ daemon: OnlineDaemon, _ body: () async throws -> Value
    ) async throws -> Value {
        let processes = [getpid(), daemon.reader.daemon.process]
        let all = "0-\(sysconf(Int32(_SC_NPROCESSORS_ONLN)) - 1)"
        for process in processes { try bind(process, to: "0") }
        let value = try await body()
        for process in processes { try bind(process, to: all) }
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

    /// What OpenSSL alone takes for an answer, in milliseconds.
    private static func floor(of daemon: OnlineDaemon) async throws -> Double {
        let bench = try BuiltProgram(
            "countersign", ["bench"] + daemon.answer(in: daemon.reader.folder))
        guard try await bench.ended() == 0,
            let figures = try JSONSerialization.jsonObject(with: Data(bench.output.utf8)) as? [String: Any],
            let floor = figures["floorWarmNs"] as? Double
        else { throw PlainHTTP.Failure(description: bench.errors) }
        return floor / 1e6
    }

    /// Answers to nonces that were issued just now.
    private static func bodies(for daemon: OnlineDaemon, _ count: Int) throws -> [String] {
        let connection = try KeptConnection(port: daemon.reader.port)
        return try (0..<count).map { _ in
            let reply = try connection.post(
                "/v1/wallet/requests", OnlineDaemon.order, token: OnlineDaemon.token)
            guard let nonce = reply.body.firstMatch(of: /"nonce":"([^"]+)"/)?.1 else {
                throw PlainHTTP.Failure(description: reply.body)
            }
            return try daemon.presentation(of: OnlineDaemon.nonce(from: String(nonce)))
        }
    }

    /// Presents each once; how long each took, in seconds.
    ///
    /// - Parameter interval: how many seconds after the one before each begins; nil for as soon as a connection is free.
    private static func run(
        _ daemon: OnlineDaemon, _ bodies: [String], every interval: Double?
    ) throws -> [Double] {
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
                    let reply = try? connection.post(
                        "/v1/wallet/presentations", bodies[index], token: OnlineDaemon.token)
                    took.withLock { $0.append(seconds(ContinuousClock.now - start)) }
                    if reply?.body.hasPrefix(#"{"verdict":"verified""#) != true {
                        failures.withLock { $0.append(reply?.body ?? "gone") }
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

    /// The processor time that the daemon has used, in seconds.
    private static func processor(of daemon: OnlineDaemon) -> Double {
        let path = "/proc/\(daemon.reader.daemon.process)/stat"
        let fields = (try? String(contentsOfFile: path, encoding: .utf8))?.split(separator: ")").last?
            .split(separator: " ").compactMap { Double($0) }
        guard let fields, fields.count > 12 else { return 0 }
        return (fields[10] + fields[11]) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}
