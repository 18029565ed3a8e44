import VersionNumber
import CommandBench
import Foundation
import JSON
import Reports
import Testing

@testable import CommandLineInterface
@testable import countersign

/// What all commands have in common.
@Suite("Command line")
struct CommandLineTests {
    @Test("Every command's help has a summary, examples and exit codes", arguments: ["verify", "inspect"])
    func help(_ command: String) throws {
        let run = try CommandRun(command, "--help")
        #expect(run.status == 0)
        #expect(run.errors.isEmpty)
        for part in ["OVERVIEW:", "EXAMPLES:", "EXIT CODES:", "USAGE:", "OPTIONS:", "--json"] {
            #expect(run.output.contains(part), "\(part)")
        }
        #expect(try CommandRun("help", command).output == run.output)
    }

    @Test("The help of the program lists the commands and all exit codes")
    func rootHelp() throws {
        let run = try CommandRun("--help")
        #expect(run.status == 0)
        for command in ["verify", "inspect"] { #expect(run.output.contains("\n  \(command) ")) }
        for status in ExitStatus.allCases { #expect(run.output.contains("  \(status.rawValue)  ")) }
        #expect(try CommandRun().output == run.output)
    }

    @Test("Exit codes stand on one line each, in 80 columns")
    func table() {
        for line in ExitStatus.table().split(separator: "\n") { #expect(line.count <= 80) }
    }

    @Test("--json before the command means the same as after it")
    func jsonPosition() throws {
        let annex = AnnexD()
        let arguments = try annex.decrypted()
        let before = try CommandRun(["--json"] + arguments)
        #expect(before.status == 2)
        #expect(try before.report().verdict == "rejected")
    }

    @Test("A command that there is not is wrong usage")
    func unknown() throws {
        let run = try CommandRun("frobnicate")
        #expect(run.status == 64)
        #expect(run.output.isEmpty)
    }

    @Test("The version names program, commit and libraries")
    func version() throws {
        let run = try CommandRun("--version")
        #expect(run.status == 0)
        #expect(run.output.hasPrefix("countersign \(Version.number)\n"))
        #expect(run.output.contains("\ncommit: "))
        #expect(run.output.contains("\nOpenSSL: OpenSSL 3."))
        #expect(run.output.contains("\nPC/SC lite: 1."))
        let json = try CommandRun("--version", "--json").json()
        #expect(json["version"] as? String == Version.number)
        #expect(Set(json.keys) == ["version", "commit", "commitNote", "libraries"])
        #expect((json["libraries"] as? [String: String])?["OpenSSL"]?.hasPrefix("OpenSSL 3.") == true)
    }

    @Test("Text for the terminal keeps letters, loses what steers, and ends")
    func safeText() {
        #expect(Terminal.safe("Müller 水 𐅑") == "Müller 水 𐅑")
        #expect(Terminal.safe("a\u{1b}[31mb\nc\u{202e}\u{9b}") == "a\u{fffd}[31mb\u{fffd}c\u{fffd}\u{fffd}")
        #expect(Terminal.safe("abcdef", limit: 3) == "abc…")
        #expect(Terminal.safe("abc", limit: 3) == "abc")
    }

    @Test("No line on the standard error steers the terminal, whoever wrote its words; our colours stay")
    func unsteered() throws {
        #expect(Terminal.unsteered("error: a\nb – ✓ 水") == "error: a\nb – ✓ 水")
        for red in ["\u{1b}[1;31merror:\u{1b}[0m a", "a"] { #expect(Terminal.unsteered(red) == red) }
        for (text, shown) in [
            ("\u{1b}[2J", "\u{fffd}[2J"), ("\u{1b}[31m", "\u{fffd}[31m"),
            ("\u{1b}]0;x\u{7}", "\u{fffd}]0;x\u{fffd}"),
            ("\u{9b}2J", "\u{fffd}2J"), ("a\rb\u{8}", "a\u{fffd}b\u{fffd}"), ("\u{202e}", "\u{fffd}"),
            ("\u{1b}", "\u{fffd}"), ("\u{1b}[0", "\u{fffd}[0"),
        ] {
            #expect(Terminal.unsteered(text) == shown)
        }
        let run = try CommandRun("verify", "/no\u{1b}[2J\u{202e}file")
        #expect(run.status != 0 && !run.errors.isEmpty)
        #expect(!run.errors.contains("\u{1b}[2J") && !run.errors.contains("\u{202e}"))
    }
}

@Suite("Checkout")
struct CheckoutTests {
    private static let commit = String(repeating: "0123456789", count: 4)

    /// A program in the build folder of a checkout with these files, built before or after the last move of HEAD.
    private func checkout(_ files: [String: String], builtLater: Bool = true) throws -> (
        TemporaryFolder, String
    ) {
        let folder = try TemporaryFolder()
        for (path, text) in files {
            let url = folder.url.appending(path: path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1000)], ofItemAtPath: url.path)
        }
        let build = folder.url.appending(path: ".build/debug")
        try FileManager.default.createDirectory(at: build, withIntermediateDirectories: true)
        let program = build.appending(path: "countersign").path
        try Data().write(to: URL(filePath: program))
        let time = Date(timeIntervalSince1970: builtLater ? 2000 : 500)
        try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: program)
        let link = folder.path("exe")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: program)
        return (folder, link)
    }

    @Test(
        "The commit is found where HEAD says: detached, in a branch, among packed references",
        arguments: [
            [".git/HEAD": "\(commit)\n"],
            [".git/HEAD": "ref: refs/heads/main\n", ".git/refs/heads/main": "\(commit)\n"],
            [
                ".git/HEAD": "ref: refs/heads/main\n",
                ".git/packed-refs":
                    "# pack-refs\n\(String(repeating: "f", count: 40)) refs/heads/other\n\(commit) refs/heads/main\n",
            ],
        ])
    func found(_ files: [String: String]) throws {
        let (folder, program) = try checkout(files)
        withExtendedLifetime(folder) {
            #expect(Checkout(ofProgram: program).commit == Self.commit)
        }
    }

    @Test("A program that is older than the checkout's commit does not claim it")
    func movedOn() throws {
        let (folder, program) = try checkout([".git/HEAD": "\(Self.commit)\n"], builtLater: false)
        withExtendedLifetime(folder) {
            let checkout = Checkout(ofProgram: program)
            #expect(checkout.commit == nil)
            #expect(
                checkout.text == "unknown: the program was built before its checkout moved to \(Self.commit)")
        }
    }

    @Test(
        "Without a checkout, or with one that cannot be read, the commit is unknown",
        arguments: [[:], [".git/HEAD": "ref: refs/heads/main\n"], [".git/HEAD": "nonsense\n"]]
            as [[String: String]])
    func unknown(_ files: [String: String]) throws {
        let (folder, program) = try checkout(files)
        withExtendedLifetime(folder) {
            #expect(Checkout(ofProgram: program).commit == nil)
        }
    }

    /// Returns the help of a program and of all its commands, by the words of the command.
    private static func helps(of program: String) async throws -> [(command: String, help: String)] {
        let dump = try await execute(["--experimental-dump-help"], of: program).json()
        var waiting = [([String](), try #require(dump["command"] as? [String: Any]))]
        var helps: [(String, String)] = []
        while let (path, command) = waiting.popLast() {
            let run = try await execute(path + ["--help"], of: program)
            helps.append((([program] + path).joined(separator: " "), run.output + run.errors))
            for subcommand in command["subcommands"] as? [[String: Any]] ?? [] {
                guard let name = subcommand["commandName"] as? String, name != "help" else { continue }
                waiting.append((path + [name], subcommand))
            }
        }
        return helps
    }

    @Test(
        "No help shows a type of the program, and a command that verifies nothing does not say that it verified",
        arguments: ["countersign", "countersignd", "countersign-lab", "countersign-hub"])
    func helpsOfAll(_ program: String) async throws {
        let helps = try await Self.helps(of: program)
        #expect(helps.count > 2)
        for (command, help) in helps {
            let type = help.firstMatch(of: /\b[A-Z][A-Za-z]*(\.[A-Za-z]+)*\(|\bOptional\b|\bnil\b/)
            #expect(type == nil, "\(command)")
            #expect(!help.contains("   0  verified") || help.contains("   1  verified"), "\(command)")
        }
    }

    @Test(
        "The default of an address is shown as it is typed",
        arguments: [("127.0.0.1", "127.0.0.1"), ("::1", "[::1]")])
    func endpoint(_ host: String, _ shown: String) {
        let text = EndpointArgument(host: host, port: 7000).defaultValueDescription
        #expect(text == "tcp://\(shown):7000")
        #expect(EndpointArgument(argument: text).map { $0.host == host && $0.port == 7000 } == true)
    }
}
