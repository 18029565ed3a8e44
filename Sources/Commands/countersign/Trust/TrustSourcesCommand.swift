internal import ArgumentParser
internal import CommandLineInterface
internal import JSON

/// `countersign trust sources`: which lists are published, and where.
struct TrustSourcesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sources",
        abstract: "Show which lists of roots are published, and where.",
        discussion: """
            Each has a name, its publisher, and where and when its address was read. No provider's key comes with it, and \
            nothing is trusted before you add it with `countersign trust add` and your copy of the provider's root.

            EXAMPLE:
              countersign trust sources

            \(ExitStatus.table([.success, .usage]))
            """)

    @OptionGroup var output: OutputArguments

    func run() throws {
        let sources = try PublishedSource.all()
        let json: JSONValue = ["sources": .array(sources.map(\.json))]
        Terminal.result(output.json ? json.text : sources.map(\.text).joined(separator: "\n"))
    }
}
