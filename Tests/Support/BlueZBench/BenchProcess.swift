import Deadlines
import Glibc
import OtherPrograms
import Synchronization

/// A program beside the test, and the lines it has written so far.
package final class BenchProcess: Sendable {
    private let process: ChildProcess
    private let output: OutputReader

    /// Starts the program that is the first of these words, with the others as its arguments.
    package init(_ words: [String]) throws {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw Overdue("a pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        output = OutputReader(owning: ends[0])
        defer { close(ends[1]) }
        process = try ChildProcess(words, output: .descriptor(ends[1]), errors: .descriptor(ends[1]))
    }

    package var lines: [String] { output.lines }

    /// Its first line that begins with this word, as soon as it is written.
    @discardableResult
    package func line(_ word: String, within limit: Duration = .seconds(300)) async throws -> String {
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

    /// Its exit status, or 128 and the signal that ended it; nil while it runs.
    package var exitStatus: Int32? { process.exitCode }

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
        process.signal(SIGKILL)
        while exitStatus == nil { await pause() }
        throw Overdue("end of a program that said \(lines)")
    }

    /// Also for a test that was cancelled.
    private func pause() async {
        await Task { try? await Task.sleep(for: .milliseconds(5)) }.value
    }

    /// Tells it to leave, and waits until it has.
    package func leave() async {
        process.signal(SIGTERM)
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
