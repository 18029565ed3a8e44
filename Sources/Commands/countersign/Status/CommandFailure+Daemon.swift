internal import CommandLineInterface
internal import DaemonClient
internal import Glibc
internal import JSON

extension DaemonClientError {
    /// What a person reads of the daemon's answer that cannot be used.
    var failure: CommandFailure {
        switch self {
        case .unreachable(let path, let number):
            let why = unsafe String(cString: strerror(number))
            return .unavailable(
                "\(Terminal.safe(path)): \(why); start countersignd, or name its socket with --socket")
        case .notAnAnswer(let path):
            return .unavailable("\(Terminal.safe(path)): this is not the daemon's answer; check --socket")
        case .refused(let why): return .unavailable("the daemon refuses: \(why)")
        case .malformed(let fault): return .malformed("the daemon's answer: \(fault.explanation)")
        }
    }
}
