internal import ArgumentParser
internal import CommandLineInterface
internal import ErrorMapping
internal import JSON
internal import OpenSSLCrypto
internal import ReaderIdentityStore
internal import ReaderTokens

/// `countersign brand key`: adds and revokes the keys that verify a brand's reader tokens.
struct BrandKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Add a key of a brand, or revoke one.",
        subcommands: [BrandKeyAddCommand.self, BrandKeyRevokeCommand.self])
}

/// `countersign brand key add`: adds a public key, or makes a key pair and adds its public half.
private struct BrandKeyAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add a key to a brand: an existing public key, or a new key pair.",
        discussion: """
            The private half of a new pair is needed on the computer that signs tokens, not on the readers. \
            It is written to a file that only the file's owner can read. With --tpm the private half is made \
            in the TPM 2.0 of this computer and cannot be copied: the file contains it encrypted for this TPM. \
            --tpm needs the Debian package tpm2-openssl. The variable TPM2OPENSSL_TCTI selects a TPM other \
            than /dev/tpmrm0.

            EXAMPLES:
              countersign brand key add utopia --kid 2026-11 --public-key utopia-public.pem
              countersign brand key add utopia --kid 2026-12 --generate utopia.pem

            \(ExitStatus.table([.success, .rejected, .usage, .malformed, .unavailable]))
            """)

    @Argument(help: "The brand.")
    var brand: TokenText

    @Option(
        name: .long,
        help: ArgumentHelp("The identifier of the key (kid), unique among all keys.", valueName: "id"))
    var kid: TokenText

    @Option(
        name: .long,
        help: ArgumentHelp(
            "A public key on P-256 in PEM, or a certificate with such a key.", valueName: "file"))
    var publicKey: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Make a new key pair and write its private half to this file.", valueName: "file"))
    var generate: String?

    @OptionGroup var residence: KeyResidenceArguments

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Accept tokens signed with this key until this time, in RFC 3339 with Z or an offset.",
            valueName: "time"))
    var notAfter: InstantArgument?

    @OptionGroup var store: StoreArguments
    @OptionGroup var output: OutputArguments

    func validate() throws {
        guard (publicKey == nil) != (generate == nil) else {
            throw ValidationError("Give either --public-key or --generate.")
        }
        guard !residence.tpm || generate != nil else {
            throw ValidationError("--tpm needs --generate.")
        }
    }

    func run() throws {
        let key = try publicKey.map(readPublicKey) ?? makeKey()
        let registry = try mapping(
            store.brands.change { registry throws(BrandFault) in try registry.add(key, to: brand) },
            \BrandRegistryError.failure)
        // The brand is always in the registry here, because `add` throws for an unknown brand.
        guard let changed = registry.brand(brand) else { return }
        Terminal.result(output.json ? changed.json.text : changed.lines.joined(separator: "\n"))
    }

    private func readPublicKey(_ path: String) throws(CommandFailure) -> BrandKey {
        // Public keys of brands have the same file format as public keys of trust bundles.
        let key = try BundleKeyFile.publicKey(path)
        return try brandKey(key)
    }

    /// Makes a key pair and writes its private half to the file of `--generate`.
    private func makeKey() throws(CommandFailure) -> BrandKey {
        let key = try mapping(residence.generate(.p256), \IdentityStoreError.failure)
        let added = try brandKey(publicHalf(of: key))
        // The key is added to a copy of the registry first. If the registry refuses the public half, no
        // private key is left in a file.
        var registry = try mapping(store.brands.registry(), \BrandRegistryError.failure)
        try mapping(registry.add(added, to: brand)) { (fault: BrandFault) in
            BrandRegistryError.refused(fault).failure
        }
        // `validate` requires --generate if there is no --public-key.
        try mapping(PrivateFile.create(generate ?? "", key), \IdentityStoreError.failure)
        return added
    }

    private func publicHalf(of key: borrowing PrivateKey) throws(CommandFailure) -> PublicKey {
        try mapping(key.publicKey()) { (error: OpenSSLCryptoError) in
            IdentityStoreError.keyUnusable(error).failure
        }
    }

    private func brandKey(_ key: borrowing PublicKey) throws(CommandFailure) -> BrandKey {
        try mapping(BrandKey(kid, key, notAfter: notAfter?.instant)) { (error: BrandFault) in
            CommandFailure.usage(BrandRegistryError.refused(error).explanation)
        }
    }
}

/// `countersign brand key revoke`: revokes a key.
private struct BrandKeyRevokeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revoke a key. Tokens signed with it, and readers prepared with such tokens, are refused.",
        discussion: """
            EXAMPLE:
              countersign brand key revoke 2026-11

            \(ExitStatus.table([.success, .rejected, .usage, .malformed, .unavailable]))
            """)

    @Argument(help: "The identifier of the key (kid).")
    var kid: TokenText

    @OptionGroup var store: StoreArguments
    @OptionGroup var output: OutputArguments

    func run() throws {
        let registry = try mapping(
            store.brands.change { registry throws(BrandFault) in try registry.revoke(kid) },
            \BrandRegistryError.failure)
        // The key is always in the registry here, because `revoke` throws for an unknown key.
        guard let (brand, _) = registry.key(kid) else { return }
        Terminal.result(output.json ? brand.json.text : brand.lines.joined(separator: "\n"))
    }
}
