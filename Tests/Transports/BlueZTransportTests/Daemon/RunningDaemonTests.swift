import Foundation
import Testing

@testable import BlueZTransport

/// A made-up `/proc` with one process, and a settings file.
private struct MadeUpProcess {
    let folder = FileManager.default.temporaryDirectory.appending(path: "countersign-process-\(UUID())")
    var file: String { folder.appending(path: "main.conf").path }

    /// - Parameter age: how long ago it started, in seconds.
    init(_ words: [String], configuration: String?, age: Int = 0) throws {
        let process = folder.appending(path: "7")
        try FileManager.default.createDirectory(at: process, withIntermediateDirectories: true)
        let line = words.map { $0 + "\0" }.joined()
        try Data(line.utf8).write(to: process.appending(path: "cmdline"))
        let boot = Int(Date.now.timeIntervalSince1970) - 5000
        try Data("cpu 1\nbtime \(boot)\n".utf8).write(to: folder.appending(path: "stat"))
        let fields = Array(repeating: "0", count: 18).joined(separator: " ")
        try Data("7 (a ) b) S \(fields) \((5000 - age) * 100) 0\n".utf8).write(
            to: process.appending(path: "stat"))
        if let configuration { try Data(configuration.utf8).write(to: URL(filePath: file)) }
    }

    func settings(of process: Int = 7) -> BluetoothDaemonSettings {
        defer { try? FileManager.default.removeItem(at: folder) }
        return .running(as: process, version: nil, processes: folder.path, defaultFile: file)
    }
}

@Suite("The bluetoothd that runs")
struct RunningDaemonTests {
    private static let program = "/usr/libexec/bluetooth/bluetoothd"

    @Test(
        "The settings file and the plugins left out are read from the command line",
        arguments: [
            (["-f", "/a", "-P", "b,c"], "/a", ["b", "c"]), (["-n", "-f/a", "-Pb"], "/a", ["b"]),
            (["--configfile=/a", "--noplugin=b,c"], "/a", ["b", "c"]),
            (["--configfile", "/a", "--noplugin", "b, c"], "/a", ["b", "c"]),
            (["-nf", "/a", "-Enf/b"], "/b", []), (["-d", "-p", "-f", "-K", "-dP"], nil, []),
            (["-P"], nil, []), ([], nil, []),
        ] as [([String], String?, Set<String>)])
    func commandLine(_ words: [String], _ file: String?, _ plugins: Set<String>) throws {
        let bytes = Array(([Self.program] + words).map { $0 + "\0" }.joined().utf8)
        let line = try #require(DaemonCommandLine(parsing: bytes))
        #expect(line.configurationFile == file)
        #expect(line.disabledPlugins == plugins)
    }

    @Test("A process of another name, or of none, is not bluetoothd")
    func otherProgram() {
        for name in ["", "/usr/bin/python3", "/bluetoothd/x"] {
            #expect(DaemonCommandLine(parsing: Array(name.utf8) + [0]) == nil, "\(name)")
        }
    }

    @Test("The default file is read, or the one that is named")
    func file() throws {
        let configuration = BluetoothDaemonSettings.Configuration.read(
            try MainConfiguration(parsing: Array("[GATT]\nCache=no".utf8)))
        let byDefault = try MadeUpProcess([Self.program], configuration: "[GATT]\nCache=no")
        #expect(byDefault.settings().configuration == configuration)
        let none = try MadeUpProcess([Self.program], configuration: nil)
        #expect(none.settings().configuration == .absent)
        let named = try MadeUpProcess(
            [Self.program, "-f", "/nonexistent"], configuration: "[GATT]\nCache=no")
        #expect(named.settings().file == "/nonexistent")
        let void = try MadeUpProcess([Self.program], configuration: "[GATT]\nCache\n")
        #expect(void.settings().configuration == .malformed(line: 2))
    }

    @Test("What cannot be found out is unknown: no such process, another's, a file somewhere, one too long")
    func unknown() throws {
        let cases: [([String], String)] = [
            (["/sbin/init"], ""), ([Self.program, "-f", "main.conf"], ""),
            ([Self.program, "-f", "/proc"], ""),
            ([Self.program], String(repeating: "#", count: 70_000)),
        ]
        for (words, text) in cases {
            let settings = try MadeUpProcess(words, configuration: text).settings()
            #expect(settings.configuration == .unknown, "\(words)")
        }
        #expect(
            try MadeUpProcess([Self.program], configuration: "").settings(of: 8).configuration == .unknown)
    }

    @Test("A file that was written after bluetoothd started is reported")
    func changed() throws {
        #expect(try MadeUpProcess([Self.program], configuration: "", age: 60).settings().hasChanged)
        #expect(try !MadeUpProcess([Self.program], configuration: "").settings().hasChanged)
    }
}
