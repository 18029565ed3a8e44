import Deadlines
import Glibc
import Synchronization

/// A program beside the test, and the lines it has written so far.
package final class BenchProcess: Sendable {
    private let process: pid_t
    private let output: OutputReader
    private let status = Mutex<Int32?>(nil)

    /// Starts the program that is the first of these words, with the others as its arguments.
    package init(_ words: [String]) throws {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw Overdue("a pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        output = OutputReader(owning: ends[0])
        defer { close(ends[1]) }
        process = try Self.spawn(words, output: ends[1])
    }

    private static func spawn(_ words: [String], output: Int32) throws -> pid_t {
        var process: pid_t = 0
        var files = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&files)
        defer { unsafe posix_spawn_file_actions_destroy(&files) }
        unsafe posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&files, output, 1)
        unsafe posix_spawn_file_actions_adddup2(&files, output, 2)
        // The threads of this process block signals; who inherits that would not end on TERM.
        var attributes = posix_spawnattr_t()
        var noSignals = sigset_t()
        unsafe sigemptyset(&noSignals)
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        unsafe posix_spawnattr_setsigmask(&attributes, &noSignals)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        let status = unsafe posix_spawnp(&process, words[0], &files, &attributes, &arguments, environ)
        guard status == 0 else { throw Overdue("start of \(words[0])") }
        return process
    }

    package var lines: [String] { output.lines }

    /// Its first line that begins with this word, as soon as it is written.
    @discardableResult
    package func line(_ word: String, within limit: Duration = .seconds(30)) async throws -> String {
        let end = ContinuousClock.now + limit
        while true {
            if let line = lines.first(where: { $0 == word || $0.hasPrefix(word + " ") }) { return line }
            let isOver = exitStatus != nil || ContinuousClock.now > end
            try await Task.sleep(for: .milliseconds(5))
            guard isOver else { continue }
            if let line = lines.first(where: { $0 == word || $0.hasPrefix(word + " ") }) { return line }
            throw Overdue("'\(word)' in \(lines)")
        }
    }

    /// Its exit status, or the signal that ended it, negative; nil while it runs.
    package var exitStatus: Int32? {
        status.withLock { known in
            var status: Int32 = 0
            guard known == nil, unsafe waitpid(process, &status, WNOHANG) == process else { return known }
            known = status & 0x7f == 0 ? status >> 8 & 0xff : -(status & 0x7f)
            return known
        }
    }

    /// Waits for its end, and for the last of its output; what takes longer is killed.
    @discardableResult
    package func end(within limit: Duration) async throws -> Int32 {
        let end = ContinuousClock.now + limit
        while ContinuousClock.now < end {
            let status = exitStatus
            output.collect()
            if let status { return status }
            await pause()
        }
        kill(process, SIGKILL)
        while exitStatus == nil { await pause() }
        throw Overdue("end of a program that said \(lines)")
    }

    /// Also for a test that was cancelled.
    private func pause() async {
        await Task { try? await Task.sleep(for: .milliseconds(5)) }.value
    }

    /// Tells it to leave, and waits until it has.
    package func leave() async {
        if exitStatus == nil { kill(process, SIGTERM) }
        _ = try? await end(within: .seconds(15))
    }
}

/// The lines that come through a pipe, until its writers are gone.
private final class OutputReader: Sendable {
    private let text = Mutex<(bytes: [UInt8], isAtEnd: Bool)>(([], false))
    private let descriptor: Int32

    init(owning descriptor: Int32) {
        self.descriptor = descriptor
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    deinit {
        if !text.withLock({ $0.isAtEnd }) { close(descriptor) }
    }

    /// Those that are there by now: when a program has ended, all that it wrote.
    var lines: [String] {
        collect()
        let text = text.withLock { String(decoding: $0.bytes, as: UTF8.self) }
        return text.split(separator: "\n").map(String.init)
    }

    /// Empties the pipe, so that whoever writes to it can go on, and closes it behind the last.
    func collect() {
        text.withLock { text in
            var buffer = [UInt8](repeating: 0, count: 4096)
            while !text.isAtEnd {
                let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
                guard count >= 0 else { return }
                text.bytes += buffer.prefix(count)
                text.isAtEnd = count == 0
                if text.isAtEnd { close(descriptor) }
            }
        }
    }
}
