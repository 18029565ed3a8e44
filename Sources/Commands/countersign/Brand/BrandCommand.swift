internal import ArgumentParser

/// `countersign brand`: in whose names this computer asks.
struct BrandCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "brand",
        abstract: "Manage the brands in whose names this reader asks, and their keys.",
        discussion: """
            A brand has a name and a logo, the identity that signs its requests, and the public keys with which reader \
            tokens are verified. They are in brands/brands.json in the store.

              countersign brand add utopia --name 'Utopia Rentals' --logo logo.png --identity counter
              countersign brand key add utopia --kid 2026-11 --public-key utopia-public.pem
            """,
        subcommands: [BrandAddCommand.self, BrandListCommand.self, BrandKeyCommand.self])
}
