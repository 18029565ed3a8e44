internal import CommandLineInterface
internal import Doctor
internal import Foundation
internal import Glibc
internal import JSON
internal import Reports
internal import Transport

/// What helps somebody elsewhere to find a fault of this computer. It has nothing about persons, and nothing that
/// identifies the computer's owner.
struct SupportBundle {
    private let parts: [(name: String, about: String, value: JSONValue)]

    init(_ checks: [DoctorCheck], in system: SystemFolder) async {
        let units = await SystemdUnits.current()
        parts = [
            (
                "program", "version, commit and libraries of countersign",
                ProgramVersion(of: "countersign").json
            ),
            (
                "system", "distribution, kernel and processor",
                [
                    "distribution": JSONValue(Self.distribution(system)),
                    "kernel": JSONValue(Self.name(\.release)),
                    "processor": JSONValue(Self.name(\.machine)),
                ]
            ),
            (
                "readers", "USB ids of the readers that are plugged in",
                .array(ReaderPowerFacts.current(in: system).devices.map { .string("\($0.usb)") })
            ),
            (
                "checks", "what this screen shows, without names and paths of this installation",
                .array(checks.map { $0.json(\.shared) })
            ),
            ("units", "state of the services that take part", units.json),
        ]
    }

    var json: JSONValue { .object(parts.map { ($0.name, $0.value) }) }

    /// What is in it, a line for each part.
    var contents: String {
        parts.map { "  \($0.name.padding(to: 9))\($0.about)" }.joined(separator: "\n")
    }

    private static func distribution(_ system: SystemFolder) -> String? {
        let lines = (system.text(of: "/etc/os-release") ?? "").split(separator: "\n")
        let line = lines.first { $0.hasPrefix("PRETTY_NAME=") }
        return line.map { Terminal.safe($0.dropFirst("PRETTY_NAME=".count).filter { $0 != "\"" }) }
    }

    /// A field of uname(2), which has the host's name too.
    private static func name<Field>(_ field: KeyPath<utsname, Field>) -> String? {
        var system = utsname()
        guard unsafe uname(&system) == 0 else { return nil }
        return unsafe withUnsafeBytes(of: system[keyPath: field]) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}

/// The present and past state of the services that take part, as systemd reports it.
struct SystemdUnits: Equatable, Sendable {
    private static let names = [
        "pcscd.socket", "pcscd.service", "dbus.service", "bluetooth.service", "polkit.service",
        "countersignd.service", "systemd-timesyncd.service",
    ]
    /// No other properties are read: command lines and logs may name anything.
    private static let properties = [
        "Id", "LoadState", "ActiveState", "SubState", "Result", "NRestarts", "ExecMainStatus",
    ]
    private static let limit = Duration.seconds(3)

    /// The properties of each unit; empty if there is no systemd.
    let units: [[String: String]]

    /// - Parameter text: what `systemctl show` says: lines of `name=value`, an empty one between units.
    init(parsing text: String) {
        units = text.split(separator: "\n\n").map { unit in
            let lines = unit.split(separator: "\n").compactMap { line -> (String, String)? in
                let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
                return parts.count == 2 && Self.properties.contains(parts[0]) ? (parts[0], parts[1]) : nil
            }
            return Dictionary(lines, uniquingKeysWith: { first, _ in first })
        }.filter { $0["LoadState"] != nil && $0["LoadState"] != "not-found" }
    }

    static func current() async -> SystemdUnits {
        let text = await finished(within: limit) { await blocking(shown) }
        return SystemdUnits(parsing: text ?? "")
    }

    private static func shown() -> String {
        let systemctl = Process()
        systemctl.executableURL = URL(filePath: "/usr/bin/systemctl")
        systemctl.arguments =
            ["show", "--no-pager", "--property=\(properties.joined(separator: ","))"] + names
        let output = Pipe()
        systemctl.standardOutput = output
        systemctl.standardError = FileHandle.nullDevice
        guard (try? systemctl.run()) != nil else { return "" }
        let bytes = try? output.fileHandleForReading.readToEnd()
        systemctl.waitUntilExit()
        return String(decoding: bytes ?? Data(), as: UTF8.self)
    }

    var json: JSONValue {
        .array(
            units.map { unit in
                .object(Self.properties.compactMap { name in unit[name].map { (name, .string($0)) } })
            })
    }
}
