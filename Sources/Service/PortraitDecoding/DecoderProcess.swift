internal import Glibc
internal import PortraitImage

/// One run of the decoder. The process is ended in `deinit` if it still runs.
struct DecoderProcess: ~Copyable {
    let process: pid_t
    private let socket: Int32

    init(_ executable: String) throws(PortraitDecoderError) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw .notStarted }
        let child = Self.spawn(executable, ends[1])
        _ = close(ends[1])
        guard let child else {
            _ = close(ends[0])
            throw .notStarted
        }
        (process, socket) = (child, ends[0])
    }

    deinit {
        _ = close(socket)
        _ = kill(process, SIGKILL)
        while waitpid(process, nil, 0) < 0, errno == EINTR {}
    }

    /// Sends the input and takes the output to its end.
    borrowing func exchange(
        _ input: ArraySlice<UInt8>, limit: Int, until deadline: ContinuousClock.Instant
    ) throws(PortraitDecoderError) -> [UInt8] {
        var rest = input
        var output: [UInt8] = []
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

    /// Sends what fits. A decoder that failed early takes no more; its exit status says why.
    private borrowing func send(_ rest: inout ArraySlice<UInt8>) {
        let sent = unsafe rest.withUnsafeBytes {
            unsafe Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
        rest = sent > 0 ? rest.dropFirst(sent) : sent < 0 && errno == EAGAIN ? rest : []
        if rest.isEmpty { _ = shutdown(socket, Int32(SHUT_WR)) }
    }

    /// Nothing where the decoder has ended.
    private borrowing func receive() -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
            count = max(0, unsafe recv(socket, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT)))
        }
    }

    /// Waits for the process, whose output has ended, and says how it did.
    consuming func end(until deadline: ContinuousClock.Instant) throws(PortraitDecoderError) {
        let ending = Self.ending(of: process, until: deadline)
        guard ending != .overdue else {
            _ = consume self
            throw .overdue
        }
        _ = close(socket)
        discard self
        guard case .status(let status) = ending else { throw .unexpected }
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

    enum Ending: Equatable {
        /// As `waitpid` reports it.
        case status(Int32)
        /// It still runs.
        case overdue
        /// It is not, or no longer, a child of this process: how it ended is not known.
        case unknown
    }

    static func ending(of process: pid_t, until deadline: ContinuousClock.Instant) -> Ending {
        while true {
            var status: Int32 = 0
            let found = unsafe waitpid(process, &status, WNOHANG)
            if found == process { return .status(status) }
            guard found == 0 || errno == EINTR else { return .unknown }
            guard ContinuousClock.now < deadline else { return .overdue }
            usleep(200)
        }
    }

    /// Starts it with the socket as its input and output and no environment; what else is open it closes itself.
    private static func spawn(_ executable: String, _ socket: Int32) -> pid_t? {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, socket, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, socket, 1)
        unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        // The threads of a service block signals; the decoder must receive those that end it.
        var attributes = posix_spawnattr_t()
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var words = unsafe [strdup(executable), nil]
        defer { unsafe free(words[0]) }
        var environment: [UnsafeMutablePointer<CChar>?] = unsafe [nil]
        var child: pid_t = 0
        let failure = unsafe posix_spawn(&child, executable, &actions, &attributes, &words, &environment)
        return failure == 0 ? child : nil
    }
}
