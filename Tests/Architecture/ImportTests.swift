import Foundation
import Testing
import VectorFiles

@Suite("Who may enter which room")
struct ImportTests {
    private static let roomByPath = Dictionary(
        uniqueKeysWithValues: House.rooms.map { ("Sources/\($0.layer.rawValue)/\($0.name)/", $0) })

    private func room(of file: SourceFile) -> House.Room? {
        Self.roomByPath.first { file.path.hasPrefix($0.key) }?.value
    }

    @Test("There are sources to look at, and the import lines are found")
    func found() {
        #expect(SourceFile.sources.count > 100)
        let file = SourceFile(
            path: "",
            text:
                "import A\npackage import B\n@testable import C\ninternal import struct D.E\n// import F\n  let x = \"import G\"\n"
        )
        #expect(file.imports == ["A", "B", "C", "D"])
    }

    @Test("Every file stands in a room", arguments: SourceFile.sources)
    func placed(_ file: SourceFile) {
        #expect(room(of: file) != nil)
    }

    @Test("A file imports what its room may", arguments: SourceFile.sources)
    func imports(_ file: SourceFile) throws {
        let room = try #require(self.room(of: file))
        var allowed = room.imports.union(House.pure)
        if room.layer.order >= House.Layer.transports.order { allowed.formUnion(House.platform) }
        // The machines know instants of a clock, and never read one.
        #expect(file.imports.subtracting(allowed).isEmpty)
    }

    @Test(
        "A room's own list points down, or sideways within its layer, and not among transports but to Transport"
    )
    func direction() throws {
        let layers = Dictionary(uniqueKeysWithValues: House.rooms.map { ($0.name, $0.layer) })
        for room in House.rooms {
            for name in room.imports {
                guard let layer = layers[name] else { continue }
                #expect(layer.order <= room.layer.order, "\(room.name) imports \(name)")
                #expect(name != room.name)
                if room.layer == .transports { #expect(layer != .transports || name == "Transport") }
                let back = House.rooms.first { $0.name == name }?.imports.contains(room.name)
                #expect(back != true, "\(room.name) and \(name) import one another")
            }
        }
    }

    @Test("C libraries and packages have their one importer", arguments: House.soleImporters.keys.sorted())
    func soleImporter(_ module: String) throws {
        let folders = try #require(House.soleImporters[module]).map { "Sources/\($0)" }
        for file in SourceFile.sources where file.imports.contains(module) {
            #expect(folders.contains { file.path.hasPrefix($0) }, "\(file.path) imports \(module)")
        }
    }

    @Test("The core waits for nothing, reads no clock, prints nothing and draws nothing at random")
    func core() {
        for file in SourceFile.sources {
            guard let room = room(of: file), room.layer.order <= House.Layer.mdoc.order else { continue }
            for (name, pattern) in House.forbiddenInCore {
                #expect(file.finding(pattern) == nil, "\(file.path) uses \(name)")
            }
            guard room.layer != .cryptography, room.name != "MdocWallet" else { continue }
            #expect(file.finding(House.drawing) == nil, "\(file.path) draws keys or numbers")
        }
    }

    @Test(
        "The twin: what the core must not do is recognised",
        arguments: [
            "let now = ContinuousClock.now", "let clock = ContinuousClock()", "func f() async {", "Task { }",
            "print(\"x\")",
            "let n = Int.random(in: 0..<2)", "func f(at: ContinuousClock.Instant = .now)",
            "receive(bytes, now: .now)",
        ])
    func recognised(_ line: String) {
        #expect(House.forbiddenInCore.contains { line.finding($0.pattern) != nil })
    }
}

@Suite("Package.swift")
struct PackageTests {
    private let manifest: String

    init() throws {
        manifest = try String(
            contentsOf: VectorFiles.repository.appending(path: "Package.swift"), encoding: .utf8)
    }

    private func isFolder(_ path: String) -> Bool {
        let folder = VectorFiles.repository.appending(path: path)
        return (try? folder.resourceValues(forKeys: [.isDirectoryKey]).isDirectory) == true
    }

    @Test("Every target has its folder")
    func folders() {
        let libraries = manifest.matches(of: /library\(\s*"(\w+)",\s*in:\s*"(\w+)"/).map {
            "Sources/\($0.2)/\($0.1)"
        }
        let tests = manifest.matches(of: /tests\(\s*of:\s*"(\w+)",\s*in:\s*"(\w+)"/).map {
            "Tests/\($0.2)/\($0.1)Tests"
        }
        let paths = manifest.matches(of: /path:\s*"([^"\\]+)"/).map { String($0.1) }
        #expect(libraries.count >= 10 && tests.count >= 10 && paths.count >= 4)
        for path in libraries + tests + paths { #expect(isFolder(path), "\(path)") }
    }

    @Test("Every room of the house is a target, and every folder of sources a room")
    func rooms() throws {
        for room in House.rooms { #expect(manifest.contains("\"\(room.name)\"")) }
        let known = Set(
            House.rooms.map { "\($0.layer.rawValue)/\($0.name)" } + [
                "System/COpenSSL", "System/CPCSCLite", "System/CSystemdBus", "System/CBlueZ", "System/CZlib",
                "System/CTimex", "System/CProcess", "System/COpenJPEG", "System/CPostgreSQL",
                "System/CSeccomp",
            ])
        for layer in House.Layer.allCases {
            let folder = VectorFiles.repository.appending(path: "Sources/\(layer.rawValue)")
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
                guard isFolder("Sources/\(layer.rawValue)/\(name)") else { continue }
                #expect(known.contains("\(layer.rawValue)/\(name)"))
            }
        }
    }

    @Test("A folder of tests stands for a room, or is one of the others")
    func testFolders() throws {
        let others: Set = [
            "Architecture", "Benchmarks", "BlueZBench", "Fuzzing", "HTTPSBench", "Interop", "Kiosk",
            "OnlineStage", "OtherPrograms", "PCSCBench", "PresentationStage", "RecordBench", "RecordWriter",
            "TestCredentials", "TestRun", "VectorFiles",
        ]
        let tests = VectorFiles.repository.appending(path: "Tests")
        for name in try FileManager.default.contentsOfDirectory(atPath: tests.path)
        where isFolder("Tests/\(name)") {
            guard House.Layer(rawValue: name) != nil else {
                #expect(others.contains(name))
                continue
            }
            for target in try FileManager.default.contentsOfDirectory(
                atPath: tests.appending(path: name).path)
            where isFolder("Tests/\(name)/\(target)") {
                #expect(
                    House.rooms.contains { target == "\($0.name)Tests" && $0.layer.rawValue == name },
                    "\(target)")
            }
        }
    }
}
