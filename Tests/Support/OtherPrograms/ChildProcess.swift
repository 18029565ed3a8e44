internal import Foundation
internal import Glibc
internal import Synchronization

/// A program that was started beside the test. Its owner ends it.
package final class ChildProcess: Sendable {
    /// Where the program writes to.
    package enum Output: Sendable {
        case nowhere
        /// Where this process writes to.
        case inherited
        /// The end of a file, which is made where it is missing.
        case file(String)
        case descriptor(Int32)
    }

    package struct NotStarted: Error, CustomStringConvertible {
        let program: String

        package var description: String { "\(program) does not start" }
    }

    package let number: Int32
    private let knownExitCode = Mutex<Int32?>(nil)

    /// - Parameters:
    ///   - words: the program, by its path or by a name on the `PATH`, and its arguments.
    ///   - environment: what differs from the environment of this process.
    package init(
        _ words: [String], environment: [String: String] = [:], output: Output = .nowhere,
        errors: Output = .nowhere
    ) throws {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        for (descriptor, place) in [(1, output), (2, errors)] as [(Int32, Output)] {
            switch place {
            case .nowhere:
                unsafe posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
            case .inherited: break
            case .file(let path):
                unsafe posix_spawn_file_actions_addopen(
                    &actions, descriptor, path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
            case .descriptor(let source):
                unsafe posix_spawn_file_actions_adddup2(&actions, source, descriptor)
            }
        }
        // The threads of this process block signals; who inherits that does not end on TERM.
        var attributes = posix_spawnattr_t()
        var noSignals = sigset_t()
        unsafe sigemptyset(&noSignals)
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        unsafe posix_spawnattr_setsigmask(&attributes, &noSignals)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let variables = ProcessInfo.processInfo.environment.merging(environment) { _, given in given }
        var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        var settings = unsafe variables.map { unsafe strdup("\($0)=\($1)") } + [nil]
        defer { unsafe (arguments + settings).forEach { unsafe free($0) } }
        var child: pid_t = 0
        let failure = unsafe posix_spawnp(&child, words[0], &actions, &attributes, &arguments, &settings)
        guard failure == 0 else { throw NotStarted(program: words[0]) }
        number = child
    }

    /// Its exit code, or 128 and the signal that ended it; nil while it runs.
    package var exitCode: Int32? {
        knownExitCode.withLock { known in
            var status: Int32 = 0
            if known == nil, unsafe waitpid(number, &status, WNOHANG) == number {
                known = status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
            }
            return known
        }
    }

    /// Waits for its end on this thread.
    @discardableResult
    package func waitForEnd() -> Int32 {
        while true {
            if let exitCode { return exitCode }
            var information = siginfo_t()
            _ = unsafe waitid(P_PID, id_t(number), &information, WEXITED | WNOWAIT)
        }
    }

    /// Sends it a signal, unless it has ended.
    package func signal(_ signal: Int32) {
        knownExitCode.withLock { known in
            if known == nil { kill(number, signal) }
        }
    }

    /// Kills it, unless it has ended.
    package func end() {
        signal(SIGKILL)
        waitForEnd()
    }
}
