import Fleet
import FleetHub
import Foundation
import Logging
import MdocModel
import ReaderIdentityStore
import ReaderStore
import RecordBench

/// Many simulated kiosks in one process: the agent, the protocol and the files of real ones, without lanes.
///
///     FleetBenchmark kiosks FILE      FILE is JSON: chain, prefix, first, count, hubs, authority, key, database, folder
///     FleetBenchmark receipts FOLDER COUNT
///
/// `kiosks` enrols them, prints `WHAT KIOSK SECONDS` for what happens, and takes lines from its standard input: the folder of a
/// store whose receipts every kiosk then has, or `append` for one more receipt at each. It ends with its input. `receipts` makes
/// such a folder.
@main
enum FleetBenchmark {
    static func main() async throws {
        let arguments = CommandLine.arguments
        switch arguments.dropFirst().first {
        case "kiosks" where arguments.count == 3:
            let data = try Data(contentsOf: URL(filePath: arguments[2]))
            try await Crowd(try JSONDecoder().decode(CrowdSettings.self, from: data)).run()
        case "receipts" where arguments.count == 4:
            let store = try ReaderStore(at: arguments[2], for: .changing)
            for _ in 0..<(Int(arguments[3]) ?? 0) { _ = try store.append(.sample()) }
        default:
            print("use: FleetBenchmark kiosks FILE | receipts FOLDER COUNT")
            exit(64)
        }
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
            if let code = try await database.invite(name, site: nil, group: nil, at: now) {
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
            }, setStopped: { isStopped in if isStopped { say("stopped", name.text) } })
        return FleetAgent(kiosk, folder, try folder.load(membership, [key]), actions, log)
    }

    /// Gives every kiosk the receipts of a folder.
    private func takeReceipts() {
        while let folder = readLine() {
            for name in names {
                if folder == "append" {
                    let store = try? ReaderStore(at: store(of: name), for: .changing)
                    _ = try? store?.append(.sample())
                    continue
                }
                for file in ["countersign.sqlite", "receipt-key.pem", "receipt-head"] {
                    let target = "\(store(of: name))/\(file)"
                    try? FileManager.default.removeItem(atPath: target)
                    try? FileManager.default.copyItem(atPath: "\(folder)/\(file)", toPath: target)
                }
            }
            say("receipts", "all")
        }
        exit(0)
    }

    private static func now() -> Timestamp {
        Timestamp(secondsSince1970: Int64(Date().timeIntervalSince1970))
    }
}

private func say(_ what: String, _ who: String) {
    let line = "\(what) \(who) \(Date().timeIntervalSince1970)\n"
    FileHandle.standardOutput.write(Data(line.utf8))
}
