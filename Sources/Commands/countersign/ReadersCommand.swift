internal import ArgumentParser
internal import BlueZTransport
internal import CommandLineInterface
internal import JSON
internal import PCSCTransport
internal import Reports
internal import Transport

/// `countersign readers`: lists the PC/SC readers and Bluetooth adapters of this computer.
struct ReadersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "readers",
        abstract: "List the readers and Bluetooth adapters with their abilities.",
        discussion: """
            Lists the readers that pcscd knows: name, USB id, slot, the largest APDUs and known faults of \
            the model. Contact slots and slots of security modules are listed but never used. Needs a \
            running pcscd.

            Then lists the version and settings of bluetoothd, with a warning for each setting that you \
            need to change, and the Bluetooth adapters. A missing bluetoothd is an error only with \
            --bluetooth. JSON has only the readers, or with --bluetooth only Bluetooth.

            EXAMPLES:
              countersign readers
              countersign readers --contactless --quiet

            \(ExitStatus.table([.success, .usage, .unavailable]))
            """)

    @Flag(
        name: .long, help: "List only readers that `request` can use. If there is none, the exit code is 69.")
    var contactless = false

    @Flag(name: .long, help: "List only Bluetooth adapters. If none is usable, the exit code is 69.")
    var bluetooth = false

    @Flag(
        name: .long,
        help:
            "Print nothing. The exit code is 0 if a reader (with --bluetooth an adapter) was found, otherwise 69."
    )
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
            // With `--contactless` the command is only about contactless PC/SC readers, so Bluetooth is left
            // out. With `--quiet` no text is shown.
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
        // An adapter that cannot advertise is not usable, because no phone would find it.
        guard description.adapters.contains(where: { $0.advertising != nil }) else {
            throw failure(RadioFault.noAdapter.advice)
        }
    }

    /// Returns the text about Bluetooth. A fault of Bluetooth is shown as text and does not fail the command,
    /// because readers work without Bluetooth.
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

    /// Returns the error that ends the command with status 69. With `--quiet` the error has no message.
    private func failure(_ message: String) -> any Error {
        quiet ? ExitCode(ExitStatus.unavailable.rawValue) : CommandFailure.unavailable(message)
    }
}

extension ReaderDescription {
    fileprivate var apdus: String {
        limits.allowsExtended
            ? "extended APDUs, up to \(limits.commandData) bytes to the phone and \(limits.responseData) from it"
            : "short APDUs only, up to \(limits.commandData) bytes to the phone and \(limits.responseData) from it"
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

extension BluetoothDescription {
    /// The text about bluetoothd with its warnings, then about each adapter.
    var text: String {
        ([daemon.text] + adapters.map(\.text)).joined(separator: "\n")
    }

    var json: JSONValue {
        [
            "daemon": [
                "version": JSONValue(daemon.version.map { "\($0)" }),
                "configurationFile": JSONValue(daemon.file),
                "disabledPlugins": .array(daemon.disabledPlugins.sorted().map(JSONValue.string)),
                "warnings": .array(
                    daemon.findings.map { finding in
                        [
                            "id": .string(finding.id),
                            "detail": .string(finding.explanation(file: daemon.file)),
                        ]
                    }),
                "notes": .array(daemon.notes.map(\.rawValue).sorted().map(JSONValue.string)),
            ],
            "adapters": .array(adapters.map(\.json)),
        ]
    }
}

extension BluetoothDaemonSettings {
    fileprivate var text: String {
        let version = version.map { "bluetoothd \($0)" } ?? "bluetoothd of unknown version"
        let findings = findings
        var lines = ["Bluetooth: \(version), \(source)"]
        lines += findings.map { "  warning: \($0.explanation(file: file.map { Terminal.safe($0) }))" }
        if !findings.isEmpty { lines.append("  what to do: see Hardware/bluetooth/README.md") }
        lines += notes.map { "  note: \($0.rawValue): \($0.explanation)" }.sorted()
        return lines.joined(separator: "\n")
    }

    private var source: String {
        guard let file else { return "settings unknown" }
        return configuration == .absent
            ? "default settings: there is no \(Terminal.safe(file))" : "settings from \(Terminal.safe(file))"
    }
}

extension AdapterDescription {
    fileprivate var text: String {
        var lines = [Terminal.safe(name), "  \(state)"]
        lines.append(
            "  advertisements: \(advertising.map { "\($0.active) active, \($0.free) free" } ?? "none possible")"
        )
        if let kind { lines.append("  \(kind)") }
        if let usb = controller.usb { lines.append("  usb: \(usb)\(model.map { " \($0.name)" } ?? "")") }
        lines += quirks.map { "  note: \($0.rawValue): \($0.explanation)" }.sorted()
        return lines.joined(separator: "\n")
    }

    private var state: String {
        "\(isPowered ? "on" : "off"), \(isPairable ? "pairable until `request` turns pairing off" : "not pairable")"
    }

    private var kind: String? {
        let parts = [
            controller.bluetoothVersion.map { "Bluetooth \($0)" },
            controller.mode.map(\.explanation),
            controller.manufacturer.map { "manufacturer \($0)" },
            controller.subversion.map { "firmware \($0)" },
        ].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    fileprivate var json: JSONValue {
        [
            "name": .string(name), "powered": .boolean(isPowered), "pairable": .boolean(isPairable),
            "mode": JSONValue(controller.mode?.rawValue),
            "advertisementsActive": JSONValue(advertising?.active),
            "advertisementsFree": JSONValue(advertising?.free),
            "bluetoothVersion": JSONValue(controller.bluetoothVersion),
            "manufacturer": JSONValue(controller.manufacturer.map(Int.init)),
            "firmware": JSONValue(controller.subversion.map(Int.init)),
            "usb": JSONValue(controller.usb.map { "\($0)" }),
            "quirks": .array(quirks.map(\.rawValue).sorted().map(JSONValue.string)),
        ]
    }
}

extension JSONValue {
    fileprivate init(_ number: Int?) {
        self = number.map { .integer(Int64($0)) } ?? .null
    }
}

extension DaemonNote {
    /// The effect of this property of bluetoothd, and what to do about it.
    var explanation: String {
        switch self {
        case .dropsWritesWhenSlow:
            "bluetoothd before 5.78 may lose parts of a message on a computer that is too busy: update bluez"
        case .pairsOverL2CAP:
            "a phone that uses L2CAP may ask its owner to pair: start bluetoothd with --noplugin="
                + BluetoothDaemonSettings.pairingPlugins.joined(separator: ",")
        }
    }
}

extension AdapterMode {
    /// The kinds of Bluetooth (low energy, classic) that the adapter uses.
    var explanation: String {
        switch self {
        case .lowEnergy: "low energy only"
        case .dual: "low energy and classic"
        case .classic: "classic only, which cannot be used with phones"
        }
    }
}

extension AdapterQuirk {
    /// The effect of the adapter's known fault, and what to do about it.
    var explanation: String {
        switch self {
        case .dropsPhonesEarly:
            "this adapter may drop Android phones after 5 s: prefer a USB adapter"
        case .deafWithoutFirmware:
            "some kernels do not load this adapter's firmware: if no phone is found, plug the adapter in again"
        case .firmwareMissing:
            "this adapter runs without its firmware and finds no phone: install the package firmware-realtek if it is missing, then plug the adapter in again"
        }
    }
}
