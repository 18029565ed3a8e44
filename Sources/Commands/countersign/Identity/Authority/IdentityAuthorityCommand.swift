internal import ArgumentParser

/// `countersign identity authority`: a laboratory's own authority for readers.
struct IdentityAuthorityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "authority",
        abstract: "Be the reader authority of a laboratory, for wallets that are given its root.",
        subcommands: [IdentityAuthorityInitCommand.self])
}
