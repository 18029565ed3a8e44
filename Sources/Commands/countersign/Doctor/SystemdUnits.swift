internal import Doctor
internal import Foundation
internal import JSON

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
