internal import ArgumentParser

/// `countersign trust`: whom to believe.
struct TrustCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust",
        abstract: "Manage which issuers are trusted: roots, lists, revocations.",
        discussion: """
            The trust store holds roots (IACA) of issuing authorities, lists of such roots (VICAL) with the roots of \
            their providers, and lists of what was revoked (CRLs, status lists). All of it at one time is a snapshot \
            with an id; every result of `verify` and `request` names the snapshot that it used. A change is checked \
            before it takes the place of what is there, at once, and `rollback` takes it back.

            EXAMPLES:
              countersign trust import roots/ iaca.pem
              countersign trust import provider.pem --as provider
              countersign trust import https://vical.example/vical.cbor --as vical
              countersign trust update
              countersign trust lint
            """,
        subcommands: [
            TrustListCommand.self, TrustShowCommand.self, TrustSourcesCommand.self, TrustAddCommand.self,
            TrustImportCommand.self, TrustRemoveCommand.self,
            TrustUpdateCommand.self, TrustDiffCommand.self, TrustRollbackCommand.self, TrustLintCommand.self,
            TrustExportBundleCommand.self, TrustImportBundleCommand.self,
        ])
}
