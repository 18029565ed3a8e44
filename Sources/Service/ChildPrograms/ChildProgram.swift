internal import CProcess
internal import Glibc
internal import Synchronization

/// A program that this process started, until it is waited for or killed.
///
/// It has the three standard descriptors that are given and no other, whatever this process has open meanwhile: no file, socket
/// or pipe of this process stays open because of it. It blocks no signal.
package final class ChildProgram: Sendable {
    /// What one of its standard descriptors is.
    package enum Place: Sendable {
        case nowhere
        /// That of this process.
        case inherited
        case descriptor(Int32)
    }

    /// It was not started; the code of the system says why.
    package struct NotStarted: Error, Equatable {
        package let code: Int32
    }

    /// The status of a program that ended with 255, in place of one that somebody else took.
    package static let unknown: Int32 = 255 << 8

    package let process: Int32
    /// Readable once the process has ended (pidfd_open(2)).
    private let handle: Int32
    /// As `waitpid` reports it; nil while that was not asked for, or nobody knows.
    private let status = Mutex<Int32?>(nil)

    /// - Parameters:
    ///   - words: the program, by its path or by a name on the `PATH` of this process, and its arguments.
    ///   - environment: `NAME=VALUE` each.
    package init(
        _ words: [String], environment: [String], input: Place, output: Place, errors: Place
    ) throws(NotStarted) {
        process = try Self.spawn(words, environment: environment, places: [input, output, errors])
        // Nobody waits for it yet, so that the number is its own.
        handle = countersign_process_handle(process)
        guard handle >= 0 else {
            let code = errno
            _ = Glibc.kill(process, SIGKILL)
            while waitpid(process, nil, 0) < 0, errno == EINTR {}
            throw NotStarted(code: code)
        }
    }

    /// Kills it where it still runs.
    deinit {
        if status.withLock({ $0 }) == nil {
            _ = Glibc.kill(process, SIGKILL)
            while waitpid(process, nil, 0) < 0, errno == EINTR {}
        }
        _ = close(handle)
    }

    package var isRunning: Bool { end(until: .now) == nil }

    /// Kills it, unless its end is known.
    package func kill() {
        status.withLock { if $0 == nil { _ = Glibc.kill(process, SIGKILL) } }
    }

    /// Waits for its end. As `waitpid` reports it; nil if it still runs.
    package func end(until deadline: ContinuousClock.Instant?) -> Int32? {
        if let known = status.withLock({ $0 }) { return known }
        var state = pollfd(fd: handle, events: Int16(POLLIN), revents: 0)
        while true {
            let count = unsafe poll(&state, 1, deadline.map(Self.milliseconds(until:)) ?? -1)
            if count > 0 { return reap() }
            if count == 0, deadline.map({ $0 <= .now }) ?? false { return nil }
        }
    }

    private static func spawn(
        _ words: [String], environment: [String], places: [Place]
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
        unsafe countersign_close_from(&actions, Int32(places.count))
        // The threads of a service block signals; the program must receive those that end it.
        var attributes = posix_spawnattr_t()
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        var variables = unsafe environment.map { unsafe strdup($0) } + [nil]
        defer { unsafe (arguments + variables).forEach { unsafe free($0) } }
        var child: Int32 = 0
        let code = unsafe posix_spawnp(&child, words[0], &actions, &attributes, &arguments, &variables)
        guard code == 0 else { throw NotStarted(code: code) }
        return child
    }

    private static func milliseconds(until deadline: ContinuousClock.Instant) -> Int32 {
        let left = ((deadline - .now) / .milliseconds(1)).rounded(.up)
        return Int32(min(max(0, left), 1e9))
    }

    private func reap() -> Int32? {
        status.withLock { known in
            guard known == nil else { return known }
            var status: Int32 = 0
            let found = unsafe waitpid(process, &status, WNOHANG)
            if found != 0 { known = found == process ? status : Self.unknown }
            return known
        }
    }
}
