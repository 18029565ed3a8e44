import CommandBench
import Foundation
import Testing

@Suite("Commands that moved to countersign-lab")
struct MovedCommandTests {
    private static let names = ["wallet", "replay", "bench"]

    /// The names of a program's commands.
    private func commands(of program: String) async throws -> Set<String> {
        let help = try await execute(["--experimental-dump-help"], of: program)
        let root = try #require(try help.json()["command"] as? [String: Any])
        let below = try #require(root["subcommands"] as? [[String: Any]])
        return Set(below.compactMap { $0["commandName"] as? String }).subtracting(["help"])
    }

    @Test("Each says in one line where it went, whatever comes with it: exit code 64", arguments: names)
    func moved(_ command: String) async throws {
        for arguments in [
            [command], [command, "--help"], ["help", command], ["--json", command],
            [command, "--listen", "tcp://127.0.0.1:0"],
        ] {
            let run = try await execute(arguments)
            #expect(run.status == 64 && run.output.isEmpty, "\(arguments)")
            #expect(
                run.errors
                    == "error: countersign \(command) is now countersign-lab \(command): install the package countersign-lab\n"
            )
        }
    }

    @Test(
        "The twin: elsewhere the same words are unknown, and other unknown words did not move",
        arguments: [["trust", "wallet"], ["frobnicate"], ["walet"]])
    func notMoved(_ arguments: [String]) async throws {
        let run = try await execute(arguments)
        #expect(run.status == 64 && run.errors.contains("has no command"), "\(run.errors)")
        #expect(!run.errors.contains("countersign-lab"))
    }

    @Test("Each command is in one of the two programs; demo alone is in both")
    func programs() async throws {
        let (shop, laboratory) = (
            try await commands(of: "countersign"), try await commands(of: "countersign-lab")
        )
        #expect(laboratory.isSuperset(of: Self.names))
        #expect(shop.intersection(laboratory) == ["demo"])
    }
}
