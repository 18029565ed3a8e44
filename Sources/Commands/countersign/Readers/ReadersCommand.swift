internal import Transport
internal import ArgumentParser
internal import BlueZTransport
internal import CommandLineInterface
internal import JSON
internal import PCSCTransport
internal import Reports

struct ReadersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "readers",
        abstract: "List the readers and Bluetooth adapters with what can be done with each.",
        discussion: """
            Lists what pcscd knows: name, USB id, slot, how long APDUs may be, and known faults of the model. Contact \
            and security-module slots are shown and never used. Needs a running pcscd.

            Then what bluetoothd knows: its version and settings, with a warning for each that a reader needs to be \
            otherwise, and its adapters. Without bluetoothd that is said in one line, and is no failure; with \
            --bluetooth it is. JSON has the readers alone, or with --bluetooth Bluetooth alone.

            EXAMPLES:
              countersign readers
              countersign readers --contactless --quiet

            \(ExitStatus.table([.success, .usage, .unavailable]))
            """)

    @Flag(name: .long, help: "List only readers that `request` can use; without any the exit code is 69.")
    var contactless = false

    @Flag(name: .long, help: "List only Bluetooth adapters; without a usable one the exit code is 69.")
    var bluetooth = false

    @Flag(name: .long, help: "Print nothing: the exit code says whether there are any.")
    var quiet = false

    @OptionGroup var output: OutputArguments

    func validate() throws {
        guard !(contactless && bluetooth) else {
            throw ValidationError("Give either --contactless or --bluetooth.")
        }
    }

    func run() async throws {
        if bluetooth { try await listBluetooth() } else { try await listReaders() }
    }

    private func listReaders() async throws {
        var readers: [ReaderDescription]
        do throws(PCSCTransportError) {
            readers = try await Progress.during("Asking pcscd") { () async throws(PCSCTransportError) in
                try await PCSCService().readers()
            }
        } catch {
            throw failure(ReaderFault(error).advice)
        }
        if contactless { readers = ReaderSelector.any.candidates(among: readers) }
        if output.json {
            show(JSONValue.array(readers.map(\.json)).text)
        } else {
            if !readers.isEmpty { show(readers.map(\.text).joined(separator: "\n")) }
            if !contactless, !quiet { show(await Self.bluetoothText()) }
        }
        guard !readers.isEmpty else { throw failure(ReaderFault.noReader.advice) }
    }

    private static func bluetooth() async throws(BlueZTransportError) -> BluetoothDescription {
        try await Progress.during("Asking bluetoothd") { () async throws(BlueZTransportError) in
            try await .current()
        }
    }

    private func listBluetooth() async throws {
        let description: BluetoothDescription
        do throws(BlueZTransportError) {
            description = try await Self.bluetooth()
        } catch {
            throw failure(RadioFault(error).advice)
        }
        show(output.json ? description.json.text : description.text)
        guard description.adapters.contains(where: { $0.advertising != nil }) else {
            throw failure(RadioFault.noAdapter.advice)
        }
    }

    private static func bluetoothText() async -> String {
        do throws(BlueZTransportError) {
            return try await bluetooth().text
        } catch {
            return "Bluetooth: \(RadioFault(error).advice)"
        }
    }

    private func show(_ text: String) {
        if !quiet { Terminal.result(text) }
    }

    private func failure(_ message: String) -> any Error {
        quiet ? ExitCode(ExitStatus.unavailable.rawValue) : CommandFailure.unavailable(message)
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
