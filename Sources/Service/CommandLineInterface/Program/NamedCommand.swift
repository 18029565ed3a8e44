internal import ArgumentParser
internal import JSON

/// The command that arguments name, as far as its words are known.
struct NamedCommand {
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
