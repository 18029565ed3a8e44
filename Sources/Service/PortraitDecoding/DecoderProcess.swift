internal import ChildPrograms
internal import Glibc
internal import PortraitImage

/// A process of the portrait decoder, and the socket to it. A process that still runs when this value is
/// destroyed is killed.
struct DecoderProcess: ~Copyable {
    private let program: ChildProgram
    /// This end of the socket through which input and output go.
    private let socket: Int32

    var process: pid_t { program.process }

    init(_ executable: String) throws(PortraitDecoderError) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw .notStarted }
        // The decoder has its own descriptor of `ends[1]`. If this program kept `ends[1]` open too, it would
        // never see the end of the decoder's output.
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
    borrowing func exchange(
        _ input: ArraySlice<UInt8>, limit: Int, until deadline: ContinuousClock.Instant
    ) throws(PortraitDecoderError) -> [UInt8] {
        var rest = input
        var output: [UInt8] = []
        // The decoder reads until its input ends.
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
    ) throws(PortraitDecoderError) -> Int32 {
        var state = pollfd(fd: socket, events: Int16(events), revents: 0)
        while true {
            let left = (deadline - ContinuousClock.now) / .milliseconds(1)
            guard left > 0 else { throw .overdue }
            let count = unsafe poll(&state, 1, Int32(left.rounded(.up)))
            if count > 0 { return Int32(state.revents) }
            guard count == 0 || errno == EINTR else { throw .unexpected }
        }
    }

    /// Sends as much as fits. A decoder that failed early accepts no more, and its exit status gives the
    /// reason.
    private borrowing func send(_ rest: inout ArraySlice<UInt8>) {
        let sent = unsafe rest.withUnsafeBytes {
            unsafe Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
        // EAGAIN means that the socket is full now. Any other error means that the decoder accepts no more.
        rest = sent > 0 ? rest.dropFirst(sent) : sent < 0 && errno == EAGAIN ? rest : []
        if rest.isEmpty { _ = shutdown(socket, Int32(SHUT_WR)) }
    }

    /// Returns the next piece of output; empty if the decoder has ended.
    private borrowing func receive() -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
            count = max(0, unsafe recv(socket, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT)))
        }
    }

    /// Waits for the end of the process after its output has ended.
    ///
    /// - Throws: `overdue` if the process does not end by the deadline; otherwise the error for its exit
    ///   status or signal.
    consuming func end(until deadline: ContinuousClock.Instant) throws(PortraitDecoderError) {
        guard let status = program.end(until: deadline) else { throw .overdue }
        // The status of waitpid(2) has the signal in its low seven bits, and the exit status in the next
        // byte.
        let signal = status & 0x7f
        guard signal == 0 else { throw .ended(signal: signal) }
        switch PortraitEnd(rawValue: status >> 8 & 0xff) {
        case .shown: return
        case .notConfined: throw .notConfined
        case .malformed: throw .malformed
        case .unsupported: throw .unsupported
        case .tooLarge: throw .tooLarge
        case .usage, .broken, nil: throw .unexpected
        }
    }
}
