import ChildPrograms
import Glibc
import Testing

@Suite("An exchange with a program: one input, one output, one end")
struct ChildExchangeTests {
    private func run(
        _ program: String, _ input: String, limit: Int = 1000, within time: Duration = .seconds(30)
    ) -> Result<String, ChildExchangeError> {
        Result { () throws(ChildExchangeError) in
            let answer = try ChildExchange.run(
                program, input: Array(input.utf8)[...], limit: limit, until: .now + time)
            return "\(String(decoding: answer.output, as: UTF8.self))/\(answer.status)"
        }
    }

    @Test("Output and exit status come back")
    func answer() {
        #expect(run("/bin/cat", "text") == .success("text/0"))
        #expect(run("/bin/cat", "") == .success("/0"))
        #expect(run("/bin/sh", "echo a; exit 3\n") == .success("a\n/3"))
    }

    @Test("A program that is missing, hangs, is killed or says too much is named")
    func faults() {
        #expect(run("/nowhere/program", "") == .failure(.notStarted))
        #expect(run("/bin/sh", "exec sleep 60\n", within: .milliseconds(300)) == .failure(.overdue))
        #expect(run("/bin/sh", "kill -9 $$\n") == .failure(.ended(signal: SIGKILL)))
        #expect(run("/bin/cat", "12345", limit: 4) == .failure(.tooLarge))
        #expect(run("/bin/cat", "1234", limit: 4) == .success("1234/0"))
    }

    @Test("A program is found by its name in the folders of PATH, and another one is not")
    func installed() throws {
        let shell = try #require(ChildProgram.installedPath(of: "sh"))
        #expect(shell.hasPrefix("/") && shell.hasSuffix("/sh"))
        #expect(ChildProgram.installedPath(of: "no-such-program-of-countersign") == nil)
    }
}
