package import ArgumentParser
internal import JSON

/// The root of a program's commands: it runs the command that the arguments name, and ends the program with its exit
/// status. A failure is one line on standard error.
package protocol RootCommand: AsyncParsableCommand {
    /// The commands that moved to another program, with the name of that program and of its Debian package.
    static var moved: [String: String] { get }
}

extension RootCommand {
    package static var moved: [String: String] { [:] }

    /// Runs the command that the arguments of this process name.
    package static func runNamedCommand() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let named = NamedCommand(in: arguments, of: Self.self)
        // Before parsing: with `--help` the parser shows the help of the root.
        if let failure = named.hasMoved { exit(with: failure) }
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let failure as CommandFailure {
            exit(with: failure)
        } catch {
            // Help about a command that is not there is shown as help about all.
            if exitCode(for: error) == .validationFailure || arguments.first == "help",
                let unknown = named.failure
            {
                exit(with: unknown)
            }
            exit(withError: error)
        }
    }

    private static func exit(with failure: CommandFailure) -> Never {
        Terminal.note(Terminal.errorPrefix + failure.message)
        exit(withError: ExitCode(failure.status.rawValue))
    }
}
