internal import ArgumentParser
internal import JSON

/// A word where a command should be.
struct UnknownCommand {
    private let word: String
    private let group: any ParsableCommand.Type
    /// The names of the commands before it.
    private let path: [String]

    /// Nil where the arguments name a command.
    init?(in arguments: [String]) {
        var group: any ParsableCommand.Type = Countersign.self
        var path = ["countersign"]
        for word in arguments where !word.hasPrefix("-") {
            guard !group.configuration.subcommands.isEmpty, word != "help" else { return nil }
            guard let next = group.subcommand(word) else {
                (self.word, self.group, self.path) = (word, group, path)
                return
            }
            group = next
            path.append(word)
        }
        return nil
    }

    var failure: CommandFailure {
        let names = group.configuration.subcommands.compactMap { $0.configuration.commandName }
        let command = path.joined(separator: " ")
        let near = Terminal.suggestion(for: word, among: names).map { "; did you mean \(command) \($0)?" }
        return .usage(
            "\(command) has no command \"\(Terminal.safe(word, limit: 40))\""
                + (near ?? ": \(command) --help lists them"))
    }
}

extension ParsableCommand {
    fileprivate static func subcommand(_ name: String) -> (any ParsableCommand.Type)? {
        configuration.subcommands.first { $0.configuration.commandName == name }
    }
}
