internal import ArgumentParser

/// `countersign identity`: the keys and certificates with which this reader says who asks.
struct IdentityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identity",
        abstract: "Make, certify and manage the identities that sign requests.",
        discussion: """
            A wallet shows its holder who asks, and may refuse a reader that it does not know. So a request is signed \
            with a key that an authority, whom the wallet knows, has certified. From nothing to signed requests:

              countersign identity init counter
              countersign identity csr counter --subject 'CN=Counter 1,O=Shop,C=US' >c.csr
              (send c.csr to the reader authority; it returns certificates)
              countersign identity import counter returned.pem
              countersign identity lint

            A laboratory that has no authority makes one with `identity authority init`. With several identities, \
            `identity choose` says which asks where.
            """,
        subcommands: [
            IdentityInitCommand.self, IdentityCSRCommand.self, IdentityImportCommand.self,
            IdentityListCommand.self, IdentityLintCommand.self, IdentityChooseCommand.self,
            IdentityAuthorityCommand.self,
        ])
}
