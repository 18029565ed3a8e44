internal import CommandLineInterface
internal import Doctor
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
