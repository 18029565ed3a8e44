internal import CommandLineInterface
internal import Doctor
internal import Foundation
internal import Glibc
internal import JSON
internal import Reports
internal import Transport

/// A report from which a person elsewhere can diagnose a fault of this computer.
///
/// The report contains no personal data and nothing that identifies the owner of the computer.
struct SupportBundle {
    private let parts: [(name: String, about: String, value: JSONValue)]

    /// Makes the report from the checks, the system's files and the state of the services.
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
                "checks", "results of these checks, without names and paths of this installation",
                .array(checks.map { $0.json(\.shared) })
            ),
            ("units", "state of the services that Countersign uses", units.json),
        ]
    }

    var json: JSONValue { .object(parts.map { ($0.name, $0.value) }) }

    /// The parts of the report as text for the user, with one line for each part.
    var contents: String {
        parts.map { "  \($0.name.padding(to: 9))\($0.about)" }.joined(separator: "\n")
    }

    private static func distribution(_ system: SystemFolder) -> String? {
        let lines = (system.text(of: "/etc/os-release") ?? "").split(separator: "\n")
        let line = lines.first { $0.hasPrefix("PRETTY_NAME=") }
        return line.map { Terminal.safe($0.dropFirst("PRETTY_NAME=".count).filter { $0 != "\"" }) }
    }

    /// Returns one field of uname(2). The whole structure would disclose the computer's name.
    private static func name<Field>(_ field: KeyPath<utsname, Field>) -> String? {
        var system = utsname()
        guard unsafe uname(&system) == 0 else { return nil }
        return unsafe withUnsafeBytes(of: system[keyPath: field]) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}

/// The state of the services that Countersign uses, as systemd reports it.
struct SystemdUnits: Equatable, Sendable {
    private static let names = [
        "pcscd.socket", "pcscd.service", "dbus.service", "bluetooth.service", "polkit.service",
        "countersignd.service", "countersign-accessories.service", "systemd-timesyncd.service",
    ]
    /// The properties that are read. Other properties, such as command lines, may contain names of this
    /// installation.
    private static let properties = [
        "Id", "LoadState", "ActiveState", "SubState", "Result", "NRestarts", "ExecMainStatus",
    ]
    private static let limit = Duration.seconds(3)

    /// The properties of each unit; empty if there is no systemd.
    let units: [[String: String]]

    /// - Parameter text: The output of `systemctl show`: lines of `name=value`, with an empty line between
    ///   units.
    init(parsing text: String) {
        // systemctl also reports units that are not installed, as `not-found`. The filter leaves them out.
        units = text.split(separator: "\n\n").map { unit in
            let lines = unit.split(separator: "\n").compactMap { line -> (String, String)? in
                let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
                return parts.count == 2 && Self.properties.contains(parts[0]) ? (parts[0], parts[1]) : nil
            }
            return Dictionary(lines, uniquingKeysWith: { first, _ in first })
        }.filter { $0["LoadState"] != nil && $0["LoadState"] != "not-found" }
    }

    static func current() async -> SystemdUnits {
        let text = await finished(within: limit) { await blocking(readUnits) }
        return SystemdUnits(parsing: text ?? "")
    }

    private static func readUnits() -> String {
        let systemctl = Process()
        systemctl.executableURL = URL(filePath: "/usr/bin/systemctl")
        systemctl.arguments =
            ["show", "--no-pager", "--property=\(properties.joined(separator: ","))"] + names
        let output = Pipe()
        systemctl.standardOutput = output
        systemctl.standardError = FileHandle.nullDevice
        // Without systemd the report has no units.
        guard (try? systemctl.run()) != nil else { return "" }
        // The pipe is read before the wait for the end of systemctl. In the opposite order, systemctl could
        // block on a full pipe and never end.
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
