import VersionNumber
import CommandBench
import Reports
import Testing

@Suite("The command line of the laboratory")
struct LabCommandLineTests {
    @Test("The help of the program and of each command has a summary and exit codes")
    func help() async throws {
        let root = try await executeLab(["--help"])
        #expect(root.status == 0 && root.errors.isEmpty)
        for command in ["demo", "wallet", "replay", "corpus", "bench"] {
            #expect(root.output.contains("\n  \(command) "))
            let run = try await executeLab([command, "--help"])
            #expect(run.status == 0)
            for part in ["OVERVIEW:", "EXAMPLE", "EXIT CODES:", "USAGE: countersign-lab \(command)"] {
                #expect(run.output.contains(part), "\(command): \(part)")
            }
        }
    }

    @Test("The version names program, commit and libraries")
    func version() async throws {
        let run = try await executeLab(["--version"])
        #expect(run.status == 0 && run.output.hasPrefix("countersign-lab \(Version.number)\n"))
        #expect(run.output.contains("\ncommit: ") && run.output.contains("\nOpenSSL: OpenSSL 3."))
        let json = try await executeLab(["--version", "--json"]).json()
        #expect(Set(json.keys) == ["version", "commit", "commitNote", "libraries"])
    }

    @Test(
        "A mistyped command or option is answered with the right one, and a reader's command is unknown",
        arguments: [
            (
                ["walet"],
                "error: countersign-lab has no command \"walet\"; did you mean countersign-lab wallet?"
            ),
            (["wallet", "--profle", "apple"], "has no option --profle; did you mean --profile?"),
            (["request", "age over 21"], "countersign-lab has no command \"request\""),
        ])
    func near(_ arguments: [String], _ words: String) async throws {
        let run = try await executeLab(arguments)
        #expect(run.status == 64 && run.output.isEmpty)
        #expect(run.errors.hasPrefix("error: ") && run.errors.contains(words), "\(run.errors)")
    }

    @Test("Without pcscd there is no demo: exit code 69, and what to do")
    func noService() async throws {
        let run = try await execute(
            ["demo"], of: "countersign-lab",
            environment: ["PCSCLITE_CSOCK_NAME": "/nonexistent/pcscd.comm"])
        #expect(run.status == 69 && run.output.isEmpty)
        #expect(run.errors.contains("pcscd does not run"))
    }
}
