import Fleet
import FleetHub
import Foundation
import Logging
import MdocModel
import ReaderIdentityStore
import ReaderStore
import RecordBench
import Synchronization

/// Many simulated kiosks in one process: the agent, the protocol and the files of real ones, without lanes.
///
///     FleetBenchmark FILE      FILE is JSON: chain, prefix, first, count, hubs, authority, key, database, folder
///
/// Enrols them, prints `WHAT KIOSK SECONDS` for what happens, and takes lines from its standard input: `prepare COUNT` makes a
/// backlog of so many receipts for each kiosk, `deliver` puts it in their stores at once, and `append COUNT` gives one more
/// receipt to each of the next COUNT kiosks. It ends with its input.
@main
enum FleetBenchmark {
    static func main() async throws {
        guard CommandLine.arguments.count == 2 else {
            print("use: FleetBenchmark FILE")
            exit(64)
        }
        let data = try Data(contentsOf: URL(filePath: CommandLine.arguments[1]))
        try await Crowd(try JSONDecoder().decode(CrowdSettings.self, from: data)).run()
    }
}

struct CrowdSettings: Decodable {
    let chain: String
    let prefix: String
    let first: Int
    let count: Int
    let hubs: [String]
    let authority: String
    let key: String
    let database: String
    let folder: String
}

struct Crowd {
    struct Malformed: Error {}

    private let settings: CrowdSettings
    private let chain: FleetName
    private let key: FleetKey
    private let stopped = Stopped()

    /// Kiosks that have stopped: they push no receipts.
    private final class Stopped: Sendable {
        private let names = Mutex<Set<FleetName>>([])

        func insert(_ name: FleetName) { _ = names.withLock { $0.insert(name) } }
        func contains(_ name: FleetName) -> Bool { names.withLock { $0.contains(name) } }
    }

    init(_ settings: CrowdSettings) throws {
        self.settings = settings
        guard let chain = FleetName(settings.chain) else { throw Malformed() }
        self.chain = chain
        key = try FleetKey(pem: PrivateFile.read(settings.key))
    }

    private var names: [FleetName] {
        (settings.first..<settings.first + settings.count).compactMap { FleetName("\(settings.prefix)\($0)") }
    }

    private func store(of name: FleetName) -> String { "\(settings.folder)/\(name)" }

    func run() async throws {
        var log = Logger(label: "kiosks") { _ in SwiftLogNoOpLogHandler() }
        log.logLevel = .critical
        let database = HubDatabase(settings.database, chain: chain)
        let agents = try await enrolled(database, log)
        say("ready", "all")
        await withTaskGroup(of: Void.self) { group in
            for agent in agents { group.addTask { await agent.run() } }
            group.addTask { self.takeReceipts() }
            for await _ in group where Task.isCancelled { break }
        }
    }

    /// The kiosks with codes in their folders. They enrol as they run.
    private func enrolled(_ database: HubDatabase, _ log: Logger) async throws -> [FleetAgent] {
        var agents: [FleetAgent] = []
        for name in names {
            let now = Self.now()
            try PrivateFile.makeFolder(store(of: name))
            let file = "\(store(of: name))/code"
            if let code = try await database.kiosks.invite(name, site: nil, group: nil, at: now) {
                try PrivateFile.replace(file, with: Array(code.utf8)[...])
            }
            agents.append(try agent(name, file, log))
        }
        return agents
    }

    private func agent(_ name: FleetName, _ code: String, _ log: Logger) throws -> FleetAgent {
        let membership = FleetMembership(chain: chain, site: nil, group: nil, kiosk: name)
        var kiosk = KioskSettings(
            membership, hubs: settings.hubs.shuffled(), authority: settings.authority, keys: [key],
            codeFile: code, store: store(of: name), software: "benchmark", now: Self.now)
        kiosk.receiptInterval = .seconds(15)
        let folder = try FleetFolder(store: kiosk.store)
        let actions = FleetActions(
            file: { Array(#"{"log": "info"}"#.utf8) }, check: { _ in nil },
            apply: { _ in
                say("applied", name.text)
                return .ready
            },
            setStopped: { [stopped] isStopped in
                guard isStopped else { return }
                stopped.insert(name)
                say("stopped", name.text)
            })
        return FleetAgent(
            kiosk, in: folder, from: try folder.load(membership, [key]), by: actions, log: log)
    }

    private func takeReceipts() {
        var next = 0
        while let line = readLine() {
            let words = line.split(separator: " ")
            let count = words.count == 2 ? Int(words[1]) ?? 0 : 0
            do {
                switch words.first {
                case "prepare": for name in names { try append(count, at: store(of: name) + "-backlog") }
                case "deliver": for name in names where !stopped.contains(name) { try deliver(to: name) }
                default:
                    for _ in 0..<count {
                        while stopped.contains(names[next % names.count]) { next += 1 }
                        try append(1, at: store(of: names[next % names.count]))
                        next += 1
                    }
                }
                say(String(words.first ?? ""), "all")
            } catch {
                say("failed", "all")
            }
        }
        exit(0)
    }

    private func append(_ count: Int, at path: String) throws {
        let store = try ReaderStore(at: path, for: .changing)
        for _ in 0..<count { _ = try store.append(.sample()) }
    }

    private func deliver(to name: FleetName) throws {
        for file in ["countersign.sqlite", "receipt-key.pem", "receipt-head"] {
            let target = "\(store(of: name))/\(file)"
            try? FileManager.default.removeItem(atPath: target)
            try FileManager.default.moveItem(atPath: "\(store(of: name))-backlog/\(file)", toPath: target)
        }
    }

    private static func now() -> Timestamp {
        Timestamp(secondsSince1970: Int64(Date().timeIntervalSince1970))
    }
}

private func say(_ what: String, _ who: String) {
    let line = "\(what) \(who) \(Date().timeIntervalSince1970)\n"
    FileHandle.standardOutput.write(Data(line.utf8))
}
