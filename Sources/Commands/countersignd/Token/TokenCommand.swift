internal import ArgumentParser

/// `countersignd token`: what lets programs and pages in over HTTP.
struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Make the tokens that let programs in over HTTP.",
        subcommands: [TokenNewCommand.self])
}
