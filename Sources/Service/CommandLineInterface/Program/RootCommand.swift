package import ArgumentParser
internal import Dispatch
internal import Glibc
internal import JSON

/// The root of the commands of `countersign` or `countersign-lab`.
///
/// Each of the two programs has one type that conforms to this protocol, and its `main` calls
/// `runNamedCommand()`. That function parses the arguments, runs the command that the arguments name, and
/// ends the process:
///
/// - A `CommandFailure` is printed on standard error and becomes the exit status.
/// - A misspelt command or option gets a suggestion, with status 64. ArgumentParser's own message does not
///   contain the whole command, such as `countersign trust`.
/// - A command that moved to another program is refused with that program's name.
/// - ArgumentParser handles all other errors, such as `ExitCode`, a request for help or a validation error.
///
/// A command runs on the main task. It handles signals with `interruptible(_:)` only while a phone may be in
/// a session; otherwise SIGINT ends the process immediately.
package protocol RootCommand: AsyncParsableCommand {
    /// The commands that moved to another program. The value is the name of that program, which is also the
    /// name of its Debian package.
    static var moved: [String: String] { get }
}

extension RootCommand {
    package static var moved: [String: String] { [:] }

    /// Runs the command that the arguments of this process name.
    package static func runNamedCommand() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let named = NamedCommand(in: arguments, of: Self.self)
        // A moved command is checked before parsing, because for such a command with `--help` the parser
        // would show the help of the root.
        if let failure = named.failureOfMovedCommand { exit(with: failure) }
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
            // For `help` with an unknown command the parser shows the help of the root instead of an error.
            if exitCode(for: error) == .validationFailure || arguments.first == "help",
                let unknown = named.failure
            {
                exit(with: unknown)
            }
            exit(withError: error)
        }
    }

    private static func exit(with failure: CommandFailure) -> Never {
        Terminal.message(Terminal.errorPrefix + failure.message)
        exit(withError: ExitCode(failure.status.rawValue))
    }
}

/// The command that the arguments name, resolved up to the first unknown word.
private struct NamedCommand {
    private let arguments: [String]
    /// The commands that moved to another program, with that program's name.
    private let moved: [String: String]
    /// The command types from the root to the named command.
    private var types: [any ParsableCommand.Type]
    /// The names of `types`, separated by spaces.
    private var path: String
    /// The first word that is no subcommand of the last type, or `nil` if all words are known.
    private var unknownWord: String?

    init(in arguments: [String], of root: any RootCommand.Type) {
        self.arguments = arguments
        moved = root.moved
        types = [root]
        path = root.configuration.commandName ?? ""
        for word in arguments where !word.hasPrefix("-") {
            let subcommands = types[types.count - 1].configuration.subcommands
            // The command has no subcommands, so the remaining words are its arguments.
            guard !subcommands.isEmpty else { return }
            // The words after `help` are the command whose help is to be shown.
            if word == "help", types.count == 1 { continue }
            guard let next = subcommands.first(where: { $0.configuration.commandName == word }) else {
                unknownWord = word
                return
            }
            types.append(next)
            path += " \(word)"
        }
    }

    /// The failure that names the command's new program, or `nil` if the command has not moved.
    var failureOfMovedCommand: CommandFailure? {
        guard types.count == 1, let unknownWord, let program = moved[unknownWord] else { return nil }
        return .usage(
            "\(path) \(unknownWord) is now \(program) \(unknownWord): install the package \(program)")
    }

    /// The failure that names an unknown command or option and suggests a similar one, or `nil` if everything
    /// is known.
    var failure: CommandFailure? {
        if let unknownWord {
            let names = types[types.count - 1].configuration.subcommands
                .compactMap { $0.configuration.commandName }
            let near = Terminal.suggestion(for: unknownWord, among: names).map { "\(path) \($0)" }
            return failure("no command \"\(Terminal.safe(unknownWord, limit: 40))\"", near)
        }
        let options = Set(types.flatMap { $0.longOptions })
        return unknownOption(among: options).map { option in
            let near = Terminal.suggestion(for: option, among: options.sorted()).map { "--\($0)" }
            return failure("no option --\(Terminal.safe(option, limit: 40))", near)
        }
    }

    private func failure(_ lack: String, _ near: String?) -> CommandFailure {
        .usage(
            "\(path) has \(lack)" + (near.map { "; did you mean \($0)?" } ?? ": \(path) --help lists them"))
    }

    /// The name of the first long option in the arguments that is not in `known`, without hyphens and value.
    private func unknownOption(among known: Set<String>) -> String? {
        // After `--` every argument is positional, even if it begins with hyphens.
        arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }
            .map { String($0.dropFirst(2).prefix { $0 != "=" }) }
            .first { !known.contains($0) }
    }
}

extension ParsableCommand {
    /// The names of the command's long options without hyphens, with the options that ArgumentParser adds to
    /// every command.
    fileprivate static var longOptions: [String] {
        let ofAll = ["help", "help-hidden", "generate-completion-script", "experimental-dump-help"]
        // ArgumentParser lists a command's options only in the JSON dump of its help.
        let help = try? JSONItem.parse(Array(_dumpHelp().utf8)[...], limits: (bytes: 1 << 20, depth: 16))
        let arguments = help?.member("command")?.member("arguments")?.items ?? []
        let names = arguments.flatMap { $0.member("names")?.items ?? [] }
        return ofAll
            + names.filter { $0.member("kind")?.text == "long" }.compactMap { $0.member("name")?.text }
    }
}

extension JSONItem {
    fileprivate func member(_ name: String) -> JSONItem? {
        guard case .object(let members) = value else { return nil }
        return members.first { $0.name == name }?.item
    }

    fileprivate var items: [JSONItem] { if case .array(let items) = value { items } else { [] } }

    fileprivate var text: String? { if case .string(let text) = value { text } else { nil } }
}

/// Performs `body` and cancels it at SIGINT or SIGTERM, so that the session with the phone ends with a
/// termination message. A second signal ends the program immediately.
package func interruptible<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) async -> Value {
    let (registered, registering) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
        // Waits until both signal sources are registered. An earlier signal would be lost, and a phone that
        // has connected by then would get no termination message.
        for await _ in registered.prefix(2) {}
        return await body()
    }
    let sources = [SIGINT, SIGTERM].map { number in
        // The default action would end the process before the signal source reports the signal.
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number)
        source.setRegistrationHandler { registering.yield() }
        source.setEventHandler {
            // 128 + signal is the exit status that a shell reports for a process ended by a signal.
            if task.isCancelled { exit(128 + number) }
            Terminal.message("Stopping: ending the session with the phone…")
            task.cancel()
        }
        source.resume()
        return source
    }
    defer {
        sources.forEach { $0.cancel() }
        [SIGINT, SIGTERM].forEach { signal($0, SIG_DFL) }
    }
    return await task.value
}
