internal import ArgumentParser
internal import CommandLineInterface
internal import JSON
internal import MdocModel
internal import ReaderStore

struct RetainedPurgeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge",
        abstract: "Remove retained data after its deadline, and the keys of past days.",
        discussion: """
            With --at what expires by then is removed; the store remembers that instant while it retains anything.

            EXAMPLE:
              countersign retained purge

            \(ExitStatus.table([.success, .usage, .malformed, .unavailable]))
            """)

    @OptionGroup var retained: RetainedArguments
    @OptionGroup var clock: ClockArguments
    @OptionGroup var output: OutputArguments

    func run() throws {
        let now = try clock.now()
        let (count, due) = try retained.using(.changing) { retained throws(ReaderStoreError) in
            (try retained.purge(at: now), try retained.nextDue())
        }
        let next = due.map { "\($0)" }
        let json: JSONValue = ["purged": .integer(count), "nextDue": JSONValue(next)]
        Terminal.result(
            output.json
                ? json.text
                : "purged: \(count)" + (next.map { "; next due: \($0)" } ?? "; nothing is retained"))
    }
}
