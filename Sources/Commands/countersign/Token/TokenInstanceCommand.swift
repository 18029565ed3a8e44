internal import ArgumentParser
internal import CommandLineInterface
internal import JSON
internal import ReaderTokens

struct TokenInstanceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "instance",
        abstract: "Show the identifier of this reader, which its tokens name.",
        discussion: """
            It is drawn at random when it is first asked for, kept in the store, and no secret. A store that was copied \
            to another computer took it along.

            \(ExitStatus.table([.success, .usage, .malformed, .unavailable]))
            """)

    @OptionGroup var store: StoreArguments
    @OptionGroup var output: OutputArguments

    func run() throws {
        let instance = try store.readerInstance().text.text
        Terminal.result(output.json ? (["instance": .string(instance)] as JSONValue).text : instance)
    }
}
