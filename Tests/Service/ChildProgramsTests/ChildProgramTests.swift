import ChildPrograms
import Glibc
import Testing

@Suite("Programs that this process starts")
struct ChildProgramTests {
    private static func shell(_ script: String, output: ChildProgram.Place = .nowhere) throws -> ChildProgram
    {
        try ChildProgram(
            ["/bin/sh", "-c", script], environment: ["NAME=value"], input: .nowhere, output: output,
            errors: .nowhere)
    }

    @Test("A program has three descriptors, whatever is open here, and the environment that it is given")
    func descriptors() throws {
        var ends: [Int32] = [-1, -1]
        let isPair = unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0
        #expect(isPair)
        defer { for end in ends { close(end) } }
        // Neither end is closed on exec: a program that inherits them has them.
        let program = try Self.shell(
            "[ ! -e /proc/self/fd/\(ends[0]) ] && [ ! -e /proc/self/fd/\(ends[1]) ] && echo $NAME",
            output: .descriptor(ends[1]))
        #expect(program.end(until: .now + .seconds(20)) == 0)
        var text = [UInt8](repeating: 0, count: 16)
        let count = unsafe recv(ends[0], &text, 16, Int32(MSG_DONTWAIT))
        #expect(text.prefix(max(0, count)) == Array("value\n".utf8)[...])
    }

    @Test("How it ended is known as often as it is asked for, and not before it did")
    func ending() throws {
        let program = try Self.shell("sleep 60")
        #expect(program.end(until: .now + .milliseconds(50)) == nil && program.isRunning)
        program.kill()
        for _ in 1...2 { #expect(program.end(until: nil) == SIGKILL) }
        #expect(!program.isRunning)
        #expect(try Self.shell("exit 3").end(until: nil) == 3 << 8)
    }

    @Test("A released child program is killed, and its end is unknown if other code waited for it")
    func letGo() throws {
        var program: ChildProgram? = try Self.shell("sleep 60")
        let process = try #require(program?.process)
        program = nil
        #expect(kill(process, 0) == -1 && errno == ESRCH)
        let other = try Self.shell("exit 0")
        let taken = waitpid(other.process, nil, 0)
        #expect(taken == other.process)
        #expect(other.end(until: .now + .seconds(20)) == ChildProgram.unknown)
    }

    @Test("A program in a group of its own is killed with the programs that it started")
    func group() throws {
        var ends: [Int32] = [-1, -1]
        let isPair = unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0
        #expect(isPair)
        defer { close(ends[0]) }
        let program = try ChildProgram(
            ["/bin/sh", "-c", "sleep 60 & echo begun; wait"], environment: [], input: .nowhere,
            output: .descriptor(ends[1]), errors: .nowhere, inOwnGroup: true)
        close(ends[1])
        var text = [UInt8](repeating: 0, count: 16)
        let begun = unsafe recv(ends[0], &text, 16, 0)
        #expect(begun == 6)
        program.kill()
        // The other end is closed as soon as no program has it.
        var state = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
        let count = unsafe poll(&state, 1, 20_000)
        let rest = unsafe recv(ends[0], &text, 16, Int32(MSG_DONTWAIT))
        #expect(count == 1 && rest == 0)
    }

    @Test("A program that is not there is not started")
    func absent() {
        let error = #expect(throws: ChildProgram.NotStarted.self) {
            try ChildProgram(
                ["/nowhere"], environment: [], input: .nowhere, output: .nowhere, errors: .nowhere)
        }
        #expect(error?.code == ENOENT)
    }
}
