internal import ArgumentParser

/// `countersign identity authority`: a laboratory's own authority for readers.
struct IdentityAuthorityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "authority",
        abstract: "Act as a reader authority for a laboratory's wallets, which are given its root.",
        subcommands: [IdentityAuthorityInitCommand.self])
}
