import Foundation
import Testing
import VectorFiles

@Suite("Which target imports what")
struct ImportTests {
    private static let products = Manifest.targets.filter { $0.layer != nil }
    private static let withSources = Manifest.targets.filter { !$0.files.isEmpty }

    @Test("There are sources and targets to look at, and their lines are read")
    func found() throws {
        #expect(SourceFile.sources.count > 100)
        #expect(Self.products.count > 25)
        let file = SourceFile(
            path: "",
            text:
                "import A\npackage import B\n@testable import C\ninternal import struct D.E\n// import F\n  let x = \"import G\"\nlet y = \"\"\"\nimport H\n\"\"\"\nimport I\n"
        )
        #expect(file.imports == ["A", "B", "C", "D", "I"])
        let targets = Manifest.targets(
            in: """
                let product: Target.Dependency = .product(name: "C", package: "c-d")
                let systemLibraries: [Target] = [
                    system("G", pkgConfig: "g"),
                ]
                let libraries: KeyValuePairs<String, Imports> = [
                    "Sources/Mdoc": [
                        "A": ["B", product],
                    ],
                    "Tests/Support": [
                        "D": [],
                        "H": [
                            "D", "x-y",
                        ],
                    ],
                ]
                let tests: KeyValuePairs<String, Imports> = [
                    "Tests/Mdoc": [
                        "A": ["H"],
                    ],
                ]
                let resources: [String: [String]] = [
                    "A": ["a.json"],
                ]
                .testTarget(
                    name: "E", dependencies: ["F"],
                    path: "Tests/E"),
                """)
        #expect(targets.map(\.name) == ["G", "A", "D", "H", "ATests", "E"])
        #expect(
            targets.map(\.path) == [
                "Sources/System/G", "Sources/Mdoc/A", "Tests/Support/D", "Tests/Support/H",
                "Tests/Mdoc/ATests",
                "Tests/E",
            ])
        #expect(
            targets.map(\.dependencies) == [
                [], ["B", "C"], [], ["D", "x_y"], ["A", "B", "C", "H", "VectorFiles"], ["F"],
            ])
        #expect(targets[4].derived == ["A", "B", "C"])
        #expect(targets.map(\.layer) == [.system, .mdoc, nil, nil, nil, nil])
    }

    @Test("Every file of Sources belongs to one target")
    func placed() {
        for file in SourceFile.sources {
            #expect(Self.products.count { file.path.hasPrefix("\($0.path)/") } == 1, "\(file.path)")
        }
    }

    @Test("A file imports what its target names in Package.swift", arguments: withSources)
    func imports(_ target: ManifestTarget) {
        var allowed = target.dependencies.union(ImportRules.pure)
        // The core has machines that know instants of a clock, and never read one.
        if !target.isCore {
            allowed.formUnion(ImportRules.platform)
        }
        if target.layer == nil { allowed.insert("Testing") }
        for file in target.files {
            #expect(file.imports.subtracting(allowed).isEmpty, "\(file.path)")
        }
    }

    @Test("A target names nothing that it does not import", arguments: withSources)
    func dependencies(_ target: ManifestTarget) {
        let imported = Set(target.files.flatMap(\.imports))
        // A program is named by who runs it, a test's own vectors by all tests.
        let programs = Set(Manifest.targets.filter(\.isProgram).map(\.module))
        let others: Set = target.layer == nil ? programs.union(["VectorFiles"]) : []
        let named = target.dependencies.subtracting(target.derived)
        #expect(named.subtracting(imported).subtracting(others).isEmpty)
    }

    @Test("Targets depend downwards, or on others of their layer; transports on none but Transport")
    func direction() {
        for target in Self.products {
            guard let layer = target.layer else { continue }
            for name in target.dependencies {
                guard let other = Manifest.byName[name], let lower = other.layer else { continue }
                #expect(lower.order <= layer.order, "\(target.name) imports \(name)")
                if layer == .transports, lower == .transports { #expect(name == "Transport") }
            }
        }
    }

    @Test(
        "C libraries and packages have their one importer", arguments: ImportRules.soleImporters.keys.sorted()
    )
    func soleImporter(_ module: String) throws {
        let folders = try #require(ImportRules.soleImporters[module]).map { "Sources/\($0)" }
        for file in SourceFile.sources where file.imports.contains(module) {
            #expect(folders.contains { file.path.hasPrefix($0) }, "\(file.path) imports \(module)")
        }
    }

    @Test("One module forwards another and does nothing else; no other re-exports what it imports")
    func forwarding() {
        for target in Self.products where !target.files.isEmpty {
            let forwards = target.files.filter { $0.finding(#"@_exported\b"#) != nil }
            guard let forwarded = ImportRules.forwarding[target.name] else {
                #expect(forwards.isEmpty, "\(target.name)")
                continue
            }
            let lines = target.files.flatMap { $0.code.split(separator: "\n") }
            #expect(lines == ["@_exported public import \(forwarded)"])
        }
        #expect(ImportRules.forwarding.keys.allSatisfy { Manifest.byName[$0] != nil })
    }

    @Test("Every C library and every product of another package has its importers in the list")
    func listed() {
        let inC = Self.products.filter(\.files.isEmpty).map(\.module)
        let foreign = Self.products.flatMap(\.dependencies).filter { name in
            !Manifest.targets.contains { $0.module == name }
        }
        #expect(Set(ImportRules.soleImporters.keys) == Set(inC + foreign))
        #expect(inC.contains("BenchFloor") && foreign.contains("GRDB"))
    }

    /// The modules of other packages that a target brings along, through whatever it depends on.
    private static func foreign(behind name: String) -> Set<String> {
        let byModule = Dictionary(Manifest.targets.map { ($0.module, $0) }) { first, _ in first }
        var (seen, foreign): (Set<String>, Set<String>) = ([], [])
        var waiting = [name.replacing("-", with: "_")]
        while let module = waiting.popLast() {
            guard seen.insert(module).inserted else { continue }
            guard let target = byModule[module] else {
                foreign.insert(module)
                continue
            }
            waiting += target.dependencies
        }
        return foreign
    }

    @Test(
        "A target that serves no HTTP does not link SwiftNIO, and so links no second TLS library",
        arguments: ImportRules.withoutServer)
    func withoutServer(_ name: String) {
        #expect(Manifest.byName[name] != nil)
        #expect(Self.foreign(behind: name).subtracting(ImportRules.foreignWithoutServer).isEmpty)
    }

    @Test("The service of a counter knows no HTTP: it names no server and no target that has one")
    func serviceWithoutServer() {
        #expect(Manifest.byName["PresentationService"] != nil)
        let foreign = Self.foreign(behind: "PresentationService")
        #expect(foreign.subtracting(["GRDB", "Logging", "ServiceLifecycle", "SystemPackage"]).isEmpty)
        for file in SourceFile.all(in: "Sources/Service/PresentationService") {
            #expect(file.finding(#"\bAPIProblem\b|\bstatus: [1-5]\d\d\b"#) == nil, "\(file.path)")
        }
    }

    @Test("The twin: what daemon and hub bring along is found behind the targets that they name")
    func withServer() {
        for name in ["countersignd", "countersign-hub"] {
            #expect(Self.foreign(behind: name).isSuperset(of: ["GRDB", "NIOCore", "NIOSSL"]), "\(name)")
        }
        #expect(Self.foreign(behind: "countersign").contains("GRDB"))
    }

    @Test("The core waits for nothing, reads no clock, prints nothing and draws nothing at random")
    func core() {
        for target in Self.products where target.isCore {
            for file in target.files {
                for (name, pattern) in ImportRules.forbiddenInCore {
                    #expect(file.finding(pattern) == nil, "\(file.path) uses \(name)")
                }
                guard target.layer != .cryptography, target.name != "MdocWallet" else { continue }
                #expect(file.finding(ImportRules.drawing) == nil, "\(file.path) draws keys or numbers")
            }
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
        #expect(ImportRules.forbiddenInCore.contains { line.finding($0.pattern) != nil })
    }
}

@Suite("Package.swift")
struct PackageTests {
    private func folders(in path: String) throws -> [String] {
        let folder = VectorFiles.repository.appending(path: path)
        return try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: [.isDirectoryKey]
        ).filter { try $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true }.map {
            "\(path)/\($0.lastPathComponent)"
        }
    }

    @Test("Every target has its folder, and every folder in a layer of Sources its target")
    func targets() throws {
        let paths = Set(Manifest.targets.map(\.path))
        #expect(paths.count == Manifest.targets.count && paths.count > 60)
        for path in paths {
            var isFolder: ObjCBool = false
            let place = VectorFiles.repository.appending(path: path).path
            let isThere = unsafe FileManager.default.fileExists(atPath: place, isDirectory: &isFolder)
            #expect(isThere && isFolder.boolValue, "\(path)")
        }
        for layer in Layer.allCases {
            for folder in try folders(in: "Sources/\(layer.rawValue)") {
                #expect(paths.contains(folder), "\(folder)")
            }
        }
    }

    @Test("A folder of tests stands for a target, or is one of the others")
    func testFolders() throws {
        let paths = Manifest.targets.map(\.path)
        // What Python runs is in no target.
        let others: Set = [
            "Tests/API", "Tests/AccessoryPeers", "Tests/Guides", "Tests/Kiosk", "Tests/Packaging",
            "Tests/TestRun",
        ]
        for folder in try folders(in: "Tests") where !others.contains(folder) {
            #expect(paths.contains { $0 == folder || $0.hasPrefix("\(folder)/") }, "\(folder)")
            guard Layer(rawValue: String(folder.dropFirst("Tests/".count))) != nil else { continue }
            for tests in try folders(in: folder) {
                let tested: String = "Sources" + tests.dropFirst("Tests".count).dropLast("Tests".count)
                #expect(paths.contains(tested), "\(tests)")
            }
        }
        for folder in try folders(in: "Tests/Support") { #expect(paths.contains(folder), "\(folder)") }
    }
}
