internal import ArgumentParser
internal import CommandLineInterface
internal import ErrorMapping
internal import JSON
internal import ReaderIdentityStore
internal import ReaderTokens

struct BrandAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add a brand.",
        discussion: """
            EXAMPLE:
              countersign brand add utopia --name 'Utopia Rentals' --logo logo.png --identity counter

            \(ExitStatus.table([.success, .rejected, .usage, .malformed, .unavailable]))
            """)

    @Argument(help: "Its identifier: iss of its tokens.")
    var brand: TokenText

    @Option(name: .long, help: "Its name, as people read it.")
    var name: BrandName

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Its logo, a PNG of at most \(BrandLogo.longest >> 10) KiB, which is copied.", valueName: "file"))
    var logo: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The identity that signs its requests; without it the rules of `identity choose` decide.",
            valueName: "name"))
    var identity: IdentityName?

    @OptionGroup var store: StoreArguments
    @OptionGroup var output: OutputArguments

    func run() throws {
        let kept = try logo.map { path throws(CommandFailure) in
            (image: try BrandLogo(file: path), name: LogoName(of: brand))
        }
        let added = Brand(identifier: brand, name: name, logo: kept?.name, identity: identity)
        _ = try mapping(
            store.brands.change(keeping: kept) { registry throws(BrandFault) in try registry.add(added) },
            \BrandRegistryError.failure)
        Terminal.result(output.json ? added.json.text : added.lines.joined(separator: "\n"))
    }
}

extension BrandName: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
}
