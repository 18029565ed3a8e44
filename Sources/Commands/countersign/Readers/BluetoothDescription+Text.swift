internal import BlueZTransport
internal import CommandLineInterface
internal import JSON

extension BluetoothDescription {
    /// bluetoothd with its warnings, then each adapter.
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
        if !findings.isEmpty { lines.append("  what to do: Hardware/bluetooth/README.md") }
        lines += notes.map { "  note: \($0.rawValue): \($0.explanation)" }.sorted()
        return lines.joined(separator: "\n")
    }

    private var source: String {
        guard let file else { return "settings unknown" }
        return configuration == .absent
            ? "its defaults: there is no \(Terminal.safe(file))" : "settings from \(Terminal.safe(file))"
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
        "\(isPowered ? "on" : "off"), \(isPairable ? "pairable until `request` runs" : "not pairable")"
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
    /// What to expect, and what to do.
    var explanation: String {
        switch self {
        case .dropsWritesWhenSlow:
            "bluetoothd before 5.78 may lose parts of a message on a computer that is too busy: update bluez"
        case .pairsOverL2CAP:
            "a phone may ask its owner to pair over L2CAP: start bluetoothd with --noplugin="
                + BluetoothDaemonSettings.pairingPlugins.joined(separator: ",")
        }
    }
}

extension AdapterMode {
    /// How the adapter is used.
    var explanation: String {
        switch self {
        case .lowEnergy: "low energy only"
        case .dual: "low energy and classic"
        case .classic: "classic only, which cannot be used here"
        }
    }
}

extension AdapterQuirk {
    /// What to expect of the adapter, and what to do.
    var explanation: String {
        switch self {
        case .dropsPhonesEarly: "seen to drop Android phones after 5 s: prefer a USB adapter"
        case .deafWithoutFirmware:
            "with some kernels its firmware is not loaded: if no phone is found, plug it in again"
        case .firmwareMissing: "runs without its firmware and hears no phone: plug it in again"
        }
    }
}
