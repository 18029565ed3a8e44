internal import ArgumentParser
internal import PCSCTransport

/// `countersign readers`: what readers there are, and what matters of each.
struct ReadersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "readers",
        abstract: "List the readers, with what matters of each.",
        discussion: """
            Lists what pcscd knows: name, USB id, slot, how long APDUs may be, and known faults of the model. Contact \
            and security-module slots are shown and never used. Needs a running pcscd.

            \(ExitStatus.table([.success, .usage, .unavailable]))
            """)

    @Flag(name: .long, help: "Only readers that `request` would use; none of them is exit code 69.")
    var contactless = false

    @Flag(name: .long, help: "Print nothing: the exit code says whether there are any.")
    var quiet = false

    @OptionGroup var output: OutputArguments

    func run() async throws {
        var readers: [ReaderDescription]
        do throws(PCSCTransportError) {
            readers = try await PCSCService().readers()
        } catch {
            if quiet { throw ExitCode(ExitStatus.unavailable.rawValue) }
            throw CommandFailure.unavailable(error.advice)
        }
        if contactless { readers = ReaderSelector.any.candidates(among: readers) }
        if !quiet {
            Terminal.result(
                output.json
                    ? JSONValue.array(readers.map(\.json)).text : readers.map(\.text).joined(separator: "\n"))
        }
        guard !readers.isEmpty else {
            if quiet { throw ExitCode(ExitStatus.unavailable.rawValue) }
            throw CommandFailure.unavailable(PCSCTransportError.noReader.advice)
        }
    }
}

extension ReaderDescription {
    fileprivate var apdus: String {
        limits.allowsExtended
            ? "extended APDUs, \(limits.commandData) bytes out and \(limits.responseData) in"
            : "short APDUs only, \(limits.commandData) bytes out and \(limits.responseData) in"
    }

    fileprivate var text: String {
        var lines = [Terminal.safe(name), "  slot: \(slot)", "  \(apdus)"]
        if let usb { lines.append("  usb: \(usb)") }
        if let firmware { lines.append("  firmware: \(Terminal.safe(firmware))") }
        lines += quirks.map { "  note: \($0)" }.sorted()
        return lines.joined(separator: "\n")
    }

    fileprivate var json: JSONValue {
        [
            "name": .string(name), "slot": .string("\(slot)"), "usb": JSONValue(usb.map { "\($0)" }),
            "firmware": JSONValue(firmware), "extendedAPDUs": .boolean(limits.allowsExtended),
            "commandData": .integer(Int64(limits.commandData)),
            "responseData": .integer(Int64(limits.responseData)),
            "quirks": .array(quirks.map { "\($0)" }.sorted().map(JSONValue.string)),
        ]
    }
}
