internal import DaemonClient
internal import Glibc
internal import JSON

extension CommandFailure {
    /// What a person reads of the daemon's answer that cannot be used.
    static func mapping<Value>(
        _ body: () throws(DaemonClientError) -> Value
    ) throws(CommandFailure) -> Value {
        do throws(DaemonClientError) { return try body() } catch {
            switch error {
            case .unreachable(let path, let number):
                let why = unsafe String(cString: strerror(number))
                throw .unavailable(
                    "\(Terminal.safe(path)): \(why); start countersignd, or name its socket with --socket")
            case .notAnAnswer(let path):
                throw .unavailable("\(Terminal.safe(path)): this is not the daemon's answer; check --socket")
            case .refused(let why): throw .unavailable("the daemon refuses: \(why)")
            case .malformed(let fault): throw .malformed("the daemon's answer: \(fault.explanation)")
            }
        }
    }
}
