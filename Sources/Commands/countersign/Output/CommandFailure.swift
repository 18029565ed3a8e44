/// Why a command could not do its work; the root command prints the message and exits with the status.
struct CommandFailure: Error {
    let status: ExitStatus
    let message: String

    static func usage(_ message: String) -> CommandFailure {
        CommandFailure(status: .usage, message: message)
    }

    static func malformed(_ message: String) -> CommandFailure {
        CommandFailure(status: .malformed, message: message)
    }

    static func unavailable(_ message: String) -> CommandFailure {
        CommandFailure(status: .unavailable, message: message)
    }
}
