internal import CProcess
internal import Glibc
internal import Synchronization

/// A child process, started with exactly the standard descriptors that the caller gives.
///
/// The child inherits no other descriptor, so a file, socket or pipe of this process is never kept open by
/// the child. The child starts with no signal blocked.
///
/// A child in a process group of its own does not receive the signals of the terminal, such as SIGINT. It is
/// killed together with the programs that it has started.
///
/// The child runs until it exits or `kill()` is called. When this object is released, `deinit` kills a child
/// that still runs. All members may be called from any thread. Waiting blocks the calling thread.
package final class ChildProgram: Sendable {
    /// The target of one standard descriptor of the child.
    package enum Place: Sendable {
        /// `/dev/null`.
        case nowhere
        /// The descriptor with the same number in this process.
        case inherited
        /// An open descriptor of this process, which is duplicated into the child.
        case descriptor(Int32)
    }

    /// The error of a program that could not be started. `code` is the `errno` value.
    package struct NotStarted: Error, Equatable {
        package let code: Int32
    }

    /// The wait status of exit code 255, which stands for an unknown exit code. The exit code is unknown if
    /// other code of this process has already reaped the child.
    package static let unknown: Int32 = 255 << 8

    /// The process id of the child.
    package let process: Int32
    /// Whether the child leads a process group of its own.
    private let leadsGroup: Bool
    /// The pidfd of the child, which becomes readable when the child exits (pidfd_open(2)).
    private let handle: Int32
    /// The wait status of the child, or `nil` while the child has not been reaped.
    private let status = Mutex<Int32?>(nil)

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - words: The program, as a path or as a name that is looked up in the `PATH` of this process, then
    ///     its arguments.
    ///   - environment: The whole environment of the child, each entry as `NAME=VALUE`.
    ///   - inOwnGroup: Whether the child gets a process group of its own.
    /// - Throws: `NotStarted` if the program cannot be started.
    package init(
        _ words: [String], environment: [String], input: Place, output: Place, errors: Place,
        inOwnGroup: Bool = false
    ) throws(NotStarted) {
        leadsGroup = inOwnGroup
        process = try Self.spawn(
            words, environment: environment, places: [input, output, errors], inOwnGroup: inOwnGroup)
        // The child is not reaped yet, so its process id cannot have been reused by another process.
        handle = countersign_process_handle(process)
        guard handle >= 0 else {
            let code = errno
            _ = Glibc.kill(process, SIGKILL)
            while waitpid(process, nil, 0) < 0, errno == EINTR {}
            throw NotStarted(code: code)
        }
    }

    /// Kills and reaps the child if it still runs.
    deinit {
        if status.withLock({ $0 }) == nil {
            _ = Glibc.kill(target, SIGKILL)
            while waitpid(process, nil, 0) < 0, errno == EINTR {}
        }
        _ = close(handle)
    }

    /// Whether the child still runs. Does not wait.
    package var isRunning: Bool { end(until: .now) == nil }

    /// Sends SIGKILL to the child, or to the child's own process group. Does nothing if the child has already
    /// been reaped.
    package func kill() {
        status.withLock { if $0 == nil { _ = Glibc.kill(target, SIGKILL) } }
    }

    /// The target of kill(2), which names a process group by its negative id.
    private var target: Int32 { leadsGroup ? -process : process }

    /// Waits until the child exits or `deadline` passes.
    ///
    /// - Parameter deadline: The time to stop waiting, or `nil` to wait without a limit.
    /// - Returns: The wait status as `waitpid` reports it, or `nil` if the child still runs.
    package func end(until deadline: ContinuousClock.Instant?) -> Int32? {
        if let known = status.withLock({ $0 }) { return known }
        var state = pollfd(fd: handle, events: Int16(POLLIN), revents: 0)
        while true {
            let count = unsafe poll(&state, 1, deadline.map(Self.milliseconds(until:)) ?? -1)
            if count > 0 { return reap() }
            // The wait continues in two cases: a signal interrupted poll(2), which then returns -1, or the
            // limited timeout of poll(2) ended before `deadline`.
            if count == 0, deadline.map({ $0 <= .now }) ?? false { return nil }
        }
    }

    /// Starts a program with `places` as its descriptors 0, 1 and 2. Returns the process id.
    private static func spawn(
        _ words: [String], environment: [String], places: [Place], inOwnGroup: Bool
    ) throws(NotStarted) -> Int32 {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for (place, number) in zip(places, Int32(0)...) {
            switch place {
            case .nowhere: unsafe posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
            case .inherited: break
            case .descriptor(let own): unsafe posix_spawn_file_actions_adddup2(&actions, own, number)
            }
        }
        // All other descriptors are closed in the child. Foundation's Process let a child inherit descriptors
        // that another thread had just opened. For example, a browser kept the daemon's input open, so the
        // daemon did not end with the app that had started it.
        unsafe countersign_close_from(&actions, Int32(places.count))
        // A service's threads block signals, and a child inherits that mask. The child must be stoppable by
        // SIGTERM.
        var attributes = posix_spawnattr_t()
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        var flags = Int16(POSIX_SPAWN_SETSIGMASK)
        if inOwnGroup {
            flags |= Int16(POSIX_SPAWN_SETPGROUP)
            unsafe posix_spawnattr_setpgroup(&attributes, 0)
        }
        unsafe posix_spawnattr_setflags(&attributes, flags)
        var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        var variables = unsafe environment.map { unsafe strdup($0) } + [nil]
        defer { unsafe (arguments + variables).forEach { unsafe free($0) } }
        var child: Int32 = 0
        let code = unsafe posix_spawnp(&child, words[0], &actions, &attributes, &arguments, &variables)
        guard code == 0 else { throw NotStarted(code: code) }
        return child
    }

    /// The timeout for poll(2), rounded up so that a wait never ends before `deadline`. The limit of 1e9 ms
    /// keeps the value within an `Int32`. After this time `end(until:)` polls again.
    private static func milliseconds(until deadline: ContinuousClock.Instant) -> Int32 {
        let left = ((deadline - .now) / .milliseconds(1)).rounded(.up)
        return Int32(min(max(0, left), 1e9))
    }

    /// Reaps the child and returns its wait status, or `nil` if the child still runs. The lock is held during
    /// `waitpid`, so two threads never reap at the same time.
    private func reap() -> Int32? {
        status.withLock { known in
            guard known == nil else { return known }
            var status: Int32 = 0
            let found = unsafe waitpid(process, &status, WNOHANG)
            // 0 means that the child still runs, -1 that other code has reaped the child.
            if found != 0 { known = found == process ? status : Self.unknown }
            return known
        }
    }
}
