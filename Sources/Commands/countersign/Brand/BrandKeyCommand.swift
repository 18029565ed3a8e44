internal import ArgumentParser
internal import JSON
internal import OpenSSLCrypto
internal import ReaderIdentityStore
internal import ReaderTokens

/// `countersign brand key`: whose tokens are believed.
struct BrandKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Add a key of a brand, or revoke one.",
        subcommands: [BrandKeyAddCommand.self, BrandKeyRevokeCommand.self])
}

/// `countersign brand key add`.
struct BrandKeyAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add a key of a brand: its public half, or a new pair.",
        discussion: """
            The private half of a new pair goes into a file that its owner alone can read, and is needed where tokens are \
            signed, not on the readers.

            \(ExitStatus.table([.success, .rejected, .usage, .malformed, .unavailable]))
            """)

    @Argument(help: "The brand.")
    var brand: TokenText

    @Option(name: .long, help: ArgumentHelp("What to call the key, unlike any other.", valueName: "id"))
    var kid: TokenText

    @Option(
        name: .long,
        help: ArgumentHelp("Its public half on P-256: PEM, also as a certificate.", valueName: "file"))
    var publicKey: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Make a new pair, and write its private half to this file.", valueName: "file"))
    var generate: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Believe it up to this instant, RFC 3339 with Z or an offset.", valueName: "time"))
    var notAfter: InstantArgument?

    @OptionGroup var store: StoreArguments
    @OptionGroup var output: OutputArguments

    func validate() throws {
        guard (publicKey == nil) != (generate == nil) else {
            throw ValidationError("Give either --public-key or --generate.")
        }
    }

    func run() throws {
        let key = try publicKey.map(readPublicKey) ?? makeKey()
        let registry = try brandStep { () throws(BrandRegistryError) in
            try store.brands.change { registry throws(BrandFault) in try registry.add(key, to: brand) }
        }
        guard let changed = registry.brand(brand) else { return }
        Terminal.result(output.json ? changed.json.text : changed.lines.joined(separator: "\n"))
    }

    private func readPublicKey(_ path: String) throws(CommandFailure) -> BrandKey {
        let key = try BundleKeyFile.publicKey(path)
        return try brandKey(key)
    }

    /// A file is written only where the registry takes the key.
    private func makeKey() throws(CommandFailure) -> BrandKey {
        let key = try keyStep { () throws(OpenSSLCryptoError) in try PrivateKey.generate(.p256) }
        let publicKey = try keyStep { () throws(OpenSSLCryptoError) in try key.publicKey() }
        let pem = try keyStep { () throws(OpenSSLCryptoError) in try key.unprotectedPEM() }
        let added = try brandKey(publicKey)
        try brandStep { () throws(BrandRegistryError) in
            var registry = try store.brands.registry()
            do throws(BrandFault) { try registry.add(added, to: brand) } catch { throw .refused(error) }
        }
        try identityStep { () throws(IdentityStoreError) in
            try pem.withUnprotectedBytes { bytes throws(IdentityStoreError) in
                try PrivateFile.create(generate ?? "", bytes)
            }
        }
        return added
    }

    private func keyStep<R: ~Copyable>(
        _ body: () throws(OpenSSLCryptoError) -> R
    ) throws(CommandFailure) -> R {
        do throws(OpenSSLCryptoError) {
            return try body()
        } catch {
            throw .usage("the key cannot be used: \(error.explanation)")
        }
    }

    private func brandKey(_ key: borrowing PublicKey) throws(CommandFailure) -> BrandKey {
        do throws(BrandFault) {
            return try BrandKey(kid, key, notAfter: notAfter?.instant)
        } catch {
            throw .usage(BrandRegistryError.refused(error).explanation)
        }
    }
}

/// `countersign brand key revoke`.
struct BrandKeyRevokeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Believe no token of a key any more, nor what it prepared.",
        discussion: ExitStatus.table([.success, .rejected, .usage, .malformed, .unavailable]))

    @Argument(help: "The key: kid.")
    var kid: TokenText

    @OptionGroup var store: StoreArguments
    @OptionGroup var output: OutputArguments

    func run() throws {
        let registry = try brandStep { () throws(BrandRegistryError) in
            try store.brands.change { registry throws(BrandFault) in try registry.revoke(kid) }
        }
        guard let (brand, _) = registry.key(kid) else { return }
        Terminal.result(output.json ? brand.json.text : brand.lines.joined(separator: "\n"))
    }
}
