internal import Glibc

/// A child process that reads one input to its end, writes one output and exits: a child of bytes that
/// nobody trusts.
///
/// Input and output go through one socket and are never written to disk. Time and output are limited here. A
/// process that still runs when this value is destroyed is killed.
///
/// All calls block the calling thread, at most until their deadline.
package struct ChildExchange: ~Copyable {
    private let program: ChildProgram
    /// This end of the socket through which input and output go.
    private let socket: Int32

    /// The process id of the child.
    package var process: Int32 { program.process }

    /// Starts a program without arguments and environment.
    ///
    /// - Parameter executable: the path of the program.
    package init(_ executable: String) throws(ChildExchangeError) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw .notStarted }
        // The child has its own descriptor of `ends[1]`. If this program kept `ends[1]` open too, it would
        // never see the end of the child's output.
        defer { _ = close(ends[1]) }
        do throws(ChildProgram.NotStarted) {
            program = try ChildProgram(
                [executable], environment: [], input: .descriptor(ends[1]), output: .descriptor(ends[1]),
                errors: .nowhere)
            socket = ends[0]
        } catch {
            _ = close(ends[0])
            throw .notStarted
        }
    }

    deinit {
        _ = close(socket)
    }

    /// Sends the input, and receives the output until the process closes it.
    ///
    /// - Throws: `tooLarge` if the output exceeds `limit`, `overdue` if the output does not end by the
    ///   deadline.
    package borrowing func exchange(
        _ input: ArraySlice<UInt8>, limit: Int, until deadline: ContinuousClock.Instant
    ) throws(ChildExchangeError) -> [UInt8] {
        var rest = input
        var output: [UInt8] = []
        // The child reads until its input ends.
        if rest.isEmpty { _ = shutdown(socket, Int32(SHUT_WR)) }
        while true {
            let state = try wait(for: rest.isEmpty ? POLLIN : POLLIN | POLLOUT, until: deadline)
            if state & POLLOUT != 0, !rest.isEmpty { send(&rest) }
            guard state & (POLLIN | POLLHUP | POLLERR) != 0 else { continue }
            let piece = receive()
            guard !piece.isEmpty else { return output }
            output += piece
            guard output.count <= limit else { throw .tooLarge }
        }
    }

    /// Waits until the socket is ready for one of the events, and returns the events for which it is ready.
    private borrowing func wait(
        for events: Int32, until deadline: ContinuousClock.Instant
    ) throws(ChildExchangeError) -> Int32 {
        var state = pollfd(fd: socket, events: Int16(events), revents: 0)
        while true {
            let left = (deadline - ContinuousClock.now) / .milliseconds(1)
            guard left > 0 else { throw .overdue }
            let count = unsafe poll(&state, 1, Int32(left.rounded(.up)))
            if count > 0 { return Int32(state.revents) }
            guard count == 0 || errno == EINTR else { throw .broken }
        }
    }

    /// Sends as much as fits. A child that failed early accepts no more, and its exit status gives the
    /// reason.
    private borrowing func send(_ rest: inout ArraySlice<UInt8>) {
        let sent = unsafe rest.withUnsafeBytes {
            unsafe Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
        // EAGAIN means that the socket is full now. Any other error means that the child accepts no more.
        rest = sent > 0 ? rest.dropFirst(sent) : sent < 0 && errno == EAGAIN ? rest : []
        if rest.isEmpty { _ = shutdown(socket, Int32(SHUT_WR)) }
    }

    /// Returns the next piece of output; empty if the child has ended.
    private borrowing func receive() -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
            count = max(0, unsafe recv(socket, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT)))
        }
    }

    /// Waits for the end of the process after its output has ended, and returns its exit status.
    ///
    /// - Throws: `overdue` if the process does not end by the deadline; `ended` if a signal ended it.
    package consuming func end(
        until deadline: ContinuousClock.Instant
    ) throws(ChildExchangeError) -> Int32 {
        guard let status = program.end(until: deadline) else { throw .overdue }
        // The status of waitpid(2) has the signal in its low seven bits, and the exit status in the next
        // byte.
        let signal = status & 0x7f
        guard signal == 0 else { throw .ended(signal: signal) }
        return status >> 8 & 0xff
    }

    /// Starts a program, exchanges input and output, and waits for the end.
    ///
    /// - Parameter limit: the maximum size of the output in bytes.
    package static func run(
        _ executable: String, input: ArraySlice<UInt8>, limit: Int, until deadline: ContinuousClock.Instant
    ) throws(ChildExchangeError) -> (output: [UInt8], status: Int32) {
        let child = try ChildExchange(executable)
        let output = try child.exchange(input, limit: limit, until: deadline)
        return (output, try child.end(until: deadline))
    }
}

/// The reason why a child process gave no answer.
package enum ChildExchangeError: Error, Equatable, Sendable {
    /// The program does not start, because it is not installed at its path or the system lacks a resource.
    case notStarted
    /// The output has too many bytes.
    case tooLarge
    /// The process did not end in time, and was killed.
    case overdue
    /// A signal ended the process, because it used too much of a resource or made a system call that is not
    /// allowed.
    case ended(signal: Int32)
    /// Waiting for the process failed.
    case broken
}
