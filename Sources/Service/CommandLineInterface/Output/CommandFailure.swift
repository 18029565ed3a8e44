/// Why a command could not do its work; the root command prints the message and exits with the status.
package struct CommandFailure: Error {
    package let status: ExitStatus
    package let message: String

    package init(status: ExitStatus, message: String) {
        self.status = status
        self.message = message
    }

    package static func usage(_ message: String) -> CommandFailure {
        CommandFailure(status: .usage, message: message)
    }

    package static func malformed(_ message: String) -> CommandFailure {
        CommandFailure(status: .malformed, message: message)
    }

    package static func unavailable(_ message: String) -> CommandFailure {
        CommandFailure(status: .unavailable, message: message)
    }
}
