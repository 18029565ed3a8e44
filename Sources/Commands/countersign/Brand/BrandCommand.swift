internal import ArgumentParser
internal import CommandLineInterface
internal import ErrorMapping
internal import JSON
internal import ReaderIdentityStore
internal import ReaderTokens

/// `countersign brand`: manages the brands in whose name this reader requests data.
struct BrandCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "brand",
        abstract: "Manage the brands for which this reader makes requests, and the brands' keys.",
        discussion: """
            A brand is the business that asks, as shown to the holder. It has a name, a logo, the identity \
            that signs its requests, and the public keys that verify its reader tokens. All brands are in \
            brands/brands.json in the store.

              countersign brand add utopia --name 'Utopia Rentals' --logo logo.png --identity counter
              countersign brand key add utopia --kid 2026-11 --public-key utopia-public.pem
            """,
        subcommands: [BrandAddCommand.self, BrandListCommand.self, BrandKeyCommand.self])
}

/// `countersign brand add`: adds a brand to the registry.
private struct BrandAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add a brand.",
        discussion: """
            EXAMPLE:
              countersign brand add utopia --name 'Utopia Rentals' --logo logo.png --identity counter

            \(ExitStatus.table([.success, .rejected, .usage, .malformed, .unavailable]))
            """)

    @Argument(help: "The identifier of the brand: the value of \"iss\" in the brand's reader tokens.")
    var brand: TokenText

    @Option(name: .long, help: "The name of the brand, as shown to people.")
    var name: BrandName

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The logo, a PNG of at most \(BrandLogo.longest >> 10) KiB. The file is copied into the store.",
            valueName: "file"))
    var logo: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The identity that signs the brand's requests. By default the rules of `identity choose` select it.",
            valueName: "name"))
    var identity: IdentityName?

    @OptionGroup var store: StoreArguments
    @OptionGroup var output: OutputArguments

    func run() throws {
        let storedLogo = try logo.map { path throws(CommandFailure) in
            (image: try BrandLogo(file: path), name: LogoName(of: brand))
        }
        let added = Brand(identifier: brand, name: name, logo: storedLogo?.name, identity: identity)
        // The changed registry is not needed, because only the new brand is printed.
        _ = try mapping(
            store.brands.change(keeping: storedLogo) { registry throws(BrandFault) in
                try registry.add(added)
            }, \BrandRegistryError.failure)
        Terminal.result(output.json ? added.json.text : added.lines.joined(separator: "\n"))
    }
}

extension BrandName: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
}

/// `countersign brand list`: lists the brands and their keys.
private struct BrandListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the brands and their keys.",
        discussion: ExitStatus.table([.success, .rejected, .usage, .malformed, .unavailable]))

    @OptionGroup var store: StoreArguments
    @OptionGroup var output: OutputArguments

    func run() throws {
        let brands = try mapping(store.brands.registry().brands, \BrandRegistryError.failure)
        if output.json {
            let json: JSONValue = [
                "file": .string(store.brands.registryPath), "brands": .array(brands.map(\.json)),
            ]
            Terminal.result(json.text)
        } else {
            let lines = brands.flatMap(\.lines)
            Terminal.result(
                lines.isEmpty
                    ? "no brand yet in \(Terminal.safe(store.brands.registryPath)), so requests show no brand name: to add a brand, run countersign brand add ID --name NAME"
                    : lines.joined(separator: "\n"))
        }
    }
}

extension Brand {
    /// The brand as text for a terminal.
    var lines: [String] {
        [
            "\(identifier.text): \(Terminal.safe(name.text))", "  logo: \(logo?.text ?? "none")",
            "  requests signed by: \(identity?.text ?? "the identity that `countersign identity choose` selects")",
        ]
            + (keys.isEmpty
                ? ["  no key yet, so no token of this brand is accepted"] : keys.map { "  key \($0.line)" })
    }

    var json: JSONValue {
        [
            "id": .string(identifier.text), "name": .string(name.text), "logo": JSONValue(logo?.text),
            "identity": JSONValue(identity?.text), "keys": .array(keys.map(\.json)),
        ]
    }
}

extension BrandKey {
    fileprivate var line: String {
        identifier.text + (isRevoked ? ", revoked" : "") + (notAfter.map { ", until \($0)" } ?? "")
    }

    fileprivate var json: JSONValue {
        [
            "kid": .string(identifier.text), "revoked": .boolean(isRevoked),
            "notAfter": JSONValue(notAfter.map { "\($0)" }),
        ]
    }
}

extension BrandLogo {
    /// Reads the logo from a file that the user named.
    init(file path: String) throws(CommandFailure) {
        let png = try InputFile.read(path, limit: Self.longest)
        self = try mapping(BrandLogo(png: png)) { (fault: LogoFault) in BrandRegistryError.logo(fault).failure
        }
    }
}
