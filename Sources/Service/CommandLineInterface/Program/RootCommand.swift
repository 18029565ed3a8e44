package import ArgumentParser
internal import Dispatch
internal import Glibc
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

/// The command that arguments name, as far as its words are known.
private struct NamedCommand {
    private let arguments: [String]
    /// The commands of this program that moved to another, with the name of that program and of its Debian package.
    private let moved: [String: String]
    /// From the root to the command.
    private var types: [any ParsableCommand.Type]
    private var path: String
    /// The word where a further command should be.
    private var unknownWord: String?

    init(in arguments: [String], of root: any RootCommand.Type) {
        self.arguments = arguments
        moved = root.moved
        types = [root]
        path = root.configuration.commandName ?? ""
        for word in arguments where !word.hasPrefix("-") {
            let subcommands = types[types.count - 1].configuration.subcommands
            guard !subcommands.isEmpty else { return }
            // The words after it are those of the command that help is asked about.
            if word == "help", types.count == 1 { continue }
            guard let next = subcommands.first(where: { $0.configuration.commandName == word }) else {
                unknownWord = word
                return
            }
            types.append(next)
            path += " \(word)"
        }
    }

    /// The failure that says where the command went; `nil` if it is not one that moved.
    var hasMoved: CommandFailure? {
        guard types.count == 1, let unknownWord, let program = moved[unknownWord] else { return nil }
        return .usage(
            "\(path) \(unknownWord) is now \(program) \(unknownWord): install the package \(program)")
    }

    /// What is not known, and what may have been meant; nil if everything is known.
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

    private func unknownOption(among known: Set<String>) -> String? {
        arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }
            .map { String($0.dropFirst(2).prefix { $0 != "=" }) }
            .first { !known.contains($0) }
    }
}

extension ParsableCommand {
    /// The names of its long options, without the hyphens: those of its help, and those that every command has.
    fileprivate static var longOptions: [String] {
        let ofAll = ["help", "help-hidden", "generate-completion-script", "experimental-dump-help"]
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

/// Runs `body`, and cancels it at SIGINT or SIGTERM, so that the phone is notified of the end. A second signal ends
/// the program at once.
package func interruptible<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) async -> Value {
    let (registered, registering) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
        // A signal before that would end the program at once, or be lost.
        for await _ in registered.prefix(2) {}
        return await body()
    }
    let sources = [SIGINT, SIGTERM].map { number in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number)
        source.setRegistrationHandler { registering.yield() }
        source.setEventHandler {
            if task.isCancelled { exit(128 + number) }
            Terminal.note("Stopping: ending the session with the phone…")
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
