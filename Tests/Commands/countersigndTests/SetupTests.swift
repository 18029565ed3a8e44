import Foundation
import OtherPrograms
import Testing
import VectorFiles

@Suite("The configuration that setup writes")
struct SetupTests {
    /// The files of one run of `countersign setup`, with its result.
    private struct Run {
        let configuration: [String: Any]
        let result: [String: Any]
        let answers: [String: Any]
        /// The modes of the folder with the issuers' copies and of its files; the copies' contents.
        let modes: [Int]
        let copies: [Data]

        /// Runs setup with a file of answers. Setup itself has `countersignd --check` accept the configuration.
        init(_ answers: String) async throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "countersign-setup-\(UUID())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let file = folder.appending(path: "answers.json")
            try Data(answers.utf8).write(to: file)
            let config = folder.appending(path: "countersignd.json")
            let output = try await TokenChain.run([
                "setup", "--answers", file.path, "--json", "--config", config.path, "--store",
                folder.path + "/store",
            ])
            configuration = try Self.members(Data(contentsOf: config))
            result = try Self.members(Data(output.utf8))
            self.answers = try Self.members(
                Data(contentsOf: folder.appending(path: "countersignd-answers.json")))
            let issuers = folder.appending(path: "countersignd-issuers").path
            let names = (try? FileManager.default.contentsOfDirectory(atPath: issuers)) ?? []
            let paths = names.sorted().map { "\(issuers)/\($0)" }
            copies = paths.compactMap(FileManager.default.contents)
            modes = try (paths.isEmpty ? [] : [issuers] + paths).map { path in
                try #require(
                    FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
            }
        }

        private static func members(_ data: Data) throws -> [String: Any] {
            try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        }

        var presets: [[String: Any]] { configuration["presets"] as? [[String: Any]] ?? [] }

        /// The scopes of the only token, and those of the user who ran setup.
        var scopes: [[String]] {
            let users = (configuration["socket"] as? [String: Any])?["users"]
            return [configuration["tokens"], users].flatMap { list in
                (list as? [[String: Any]] ?? []).compactMap { $0["scopes"] as? [String] }
            }
        }

        var purposes: [String] { result["purposes"] as? [String] ?? [] }
    }

    @Test("Of a rental desk has a button for the desk's page, and lets its user and its program press it")
    func rental() async throws {
        let run = try await Run(
            #"{"role": "rental", "trial": true, "shop": "Utopia Cars", "language": "de", "days": 3}"#)
        let preset = try #require(run.presets.first)
        #expect(run.presets.count == 1 && preset["kind"] as? String == "data")
        #expect(preset["name"] as? String == "Vermietung" && preset["brand"] as? String == "utopia-cars")
        #expect(preset["intent"] as? String == "rental: name, licence number, categories B")
        #expect(preset["retention"] as? String == "days(3)")
        #expect(
            run.scopes == [
                ["app", "desk", "readerTokens", "admin"], ["screen", "clerk", "desk", "admin"],
            ])
        #expect(run.purposes.suffix(2) == ["kiosk", "desk"])
        #expect(run.purposes.count == (run.result["next"] as? [String])?.count)
    }

    @Test("Names no file that another user can replace: issuers in a temporary folder are copied beside it")
    func issuers() async throws {
        let uploaded = FileManager.default.temporaryDirectory.appending(path: "uploaded-\(UUID())")
        try FileManager.default.createDirectory(at: uploaded, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: uploaded) }
        let root = try Data(contentsOf: VectorFiles.own.appending(path: "corpus/ok.nfc/iaca.der"))
        try root.write(to: uploaded.appending(path: "1.der"))
        let run = try await Run(#"{"trust": "\#(uploaded.path)"}"#)
        let trust = try #require(run.answers["trust"] as? String)
        #expect(trust.hasSuffix("/countersignd-issuers"))
        #expect(run.copies == [root] && run.modes == [0o755, 0o644])
        #expect(run.purposes == ["start", "kiosk", "clerk"], "the copy is imported")
        #expect(run.result["hasIssuer"] as? Bool == true)
        // The twin: a file that is no certificate is copied too, and the printed command names the copy.
        try Data("no certificate".utf8).write(to: uploaded.appending(path: "1.der"))
        let failed = try await Run(#"{"trust": "\#(uploaded.path)"}"#)
        let commands = try #require(failed.result["next"] as? [String])
        #expect(commands.contains { $0.contains("trust import") && $0.contains("/countersignd-issuers") })
        #expect(!commands.contains { $0.contains(uploaded.path) })
        #expect(failed.result["hasIssuer"] as? Bool == false)
    }

    @Test(
        "Of a kiosk has a button for each age, the youngest first, and without ages those of the language",
        arguments: [
            (#""ages": [40, 16]"#, [16, 40]), (#""ages": [12], "language": "de""#, [12]),
            (#""ages": [99, 25, 18]"#, [18, 25, 99]), (#""language": "de""#, [16, 18]),
            (#""language": "fr""#, [18, 21]), (#""replace": false"#, [18, 21]),
        ])
    func ages(_ answers: String, _ ages: [Int]) async throws {
        let run = try await Run(#"{"role": "kiosk", "trial": true, \#(answers)}"#)
        #expect(
            run.presets.compactMap { $0["intent"] as? String }
                == ages.map { "age over \($0) with portrait for a human to compare" })
        #expect(run.answers["ages"] as? [Int] == ages, "the next run offers them")
        let order = try #require(run.result["order"] as? [String])
        let highest = try #require(ages.last)
        #expect(order.contains { $0.contains("age over \(highest) with portrait") })
    }

    @Test("Of a kiosk and of a till asks for no data, and lets nobody open the desk's page")
    func others() async throws {
        for (role, presets) in [("kiosk", 2), ("till", 0)] {
            let run = try await Run(
                #"{"role": "\#(role)", "trial": true, "shop": "Utopia Wines", "ages": [30, 40]}"#)
            #expect(run.presets.count == presets)
            #expect((run.answers["ages"] == nil) == (role == "till"), "a till has no buttons")
            #expect(run.presets.allSatisfy { $0["brand"] == nil && $0["kind"] == nil }, "\(role)")
            #expect(run.scopes == [["app"], ["screen", "clerk", "admin"]], "\(role)")
            #expect(run.purposes.suffix(2) == ["kiosk", "clerk"], "\(role)")
        }
    }

    static let scanner =
        #"{ "name": "qr-1", "lane": "gate", "in": { "serial": { "device": "/dev/ttyACM0" } } }"#

    @Test(
        "Without accessories names no program of theirs, and refuses accessories that the daemon would refuse",
        arguments: [
            (#"{ "name": "qr-1", "lane": "gate" }"#, "accessories"),
            (scanner.replacing("gate", with: "bar"), "must be accessories of the lane gate"),
            (scanner.replacing("/dev", with: "dev"), "accessories"), (#""qr-1""#, "accessories"),
        ])
    func refusedAccessories(_ accessory: String, _ reason: String) async throws {
        let run = try await Run(#"{ "lane": "gate" }"#)
        #expect(run.configuration["accessories"] == nil && run.answers["accessories"] == nil)
        #expect(run.scopes.allSatisfy { !$0.contains("accessory") })
        let folder = FileManager.default.temporaryDirectory.appending(path: "countersign-setup-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "answers.json")
        try Data(#"{ "lane": "gate", "accessories": [\#(accessory)] }"#.utf8).write(to: file)
        let check = ["setup", "--answers", file.path, "--check"]
        let error = await #expect(throws: (any Error).self) {
            try await TokenChain.run(check)
        }
        #expect(error.map { "\($0)" }?.contains(reason) == true)
        // The twin: the scanner as it is has no fault.
        try Data(#"{ "lane": "gate", "accessories": [\#(Self.scanner)] }"#.utf8).write(to: file)
        #expect(try await TokenChain.run(check).contains("the answers have no fault"))
    }
}
