import Deadlines
import Foundation

/// What stands in bluetoothd, on the bus and in this process, to be compared before and after.
package struct AirStock: Equatable, Sendable, CustomStringConvertible {
    /// Open descriptors of this process, and of bluetoothd.
    package var descriptors = 0
    package var daemonDescriptors = 0
    /// Peers that bluetoothd remembers.
    package var devices = 0
    package var advertisements = 0
    /// Of the whole bus: of this process, and of bluetoothd, which has some for each application registered with it.
    package var matchRules = 0
    package var connections = 0

    /// Counts.
    package static func now() async throws -> AirStock {
        var stock = AirStock()
        stock.descriptors = count("/proc/self/fd")
        stock.daemonDescriptors = count("/proc/\(try await AirBench.bluetoothdProcess())/fd")
        let objects = try await AirObjects()
        stock.devices = objects.devices
        stock.advertisements = try objects.count(of: "ActiveInstances")
        let bus = try await AirObjects.ask(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.Debug.Stats.GetStats")
        stock.matchRules = try AirObjects(text: bus).count(of: "MatchRules")
        stock.connections = try AirObjects(text: bus).count(of: "ActiveConnections")
        return stock
    }

    /// Counts until it is as it was, or the time is over: bluetoothd tidies up behind its answers.
    package static func settled(to expected: AirStock, within limit: Duration = .seconds(60)) async throws
        -> AirStock
    {
        try? await until("the air as it was", within: limit, every: .milliseconds(200)) {
            try await now() == expected
        }
        return try await now()
    }

    private static func count(_ folder: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? -1
    }

    package var description: String {
        """
        \(descriptors) descriptors, bluetoothd's \(daemonDescriptors), \(devices) devices, \(advertisements) \
        advertisements, \(matchRules) match rules, \(connections) connections
        """
    }
}

/// bluetoothd's objects, in dbus-send's words.
package struct AirObjects: Sendable {
    private let lines: [Substring]

    package init() async throws {
        self.init(
            text: try await Self.ask("org.bluez", "/", "org.freedesktop.DBus.ObjectManager.GetManagedObjects")
        )
    }

    init(text: [String]) {
        lines = text.map { $0.drop { $0 == " " } }
    }

    @discardableResult
    static func ask(
        _ service: String, _ path: String, _ method: String, _ arguments: [String] = []
    ) async throws -> [String] {
        let words = [
            "dbus-send", "--system", "--print-reply", "--reply-timeout=5000", "--dest=\(service)", path,
            method,
        ]
        let call = try BenchProcess(words + arguments)
        guard try await call.end(within: .seconds(120)) == 0 else {
            throw Overdue("\(method): \(call.lines)")
        }
        return call.lines
    }

    /// Returns once the reader waits for a phone in this mode: it advertises, or looks for phones.
    package static func untilReaderWaits(for mode: AirPhone.Mode) async throws {
        try await until("a reader that waits for a phone") {
            let objects = try await AirObjects()
            if mode == .central { return try objects.count(of: "ActiveInstances") > 0 }
            return objects.values("Discovering").contains("true")
        }
    }

    /// Peers that bluetoothd remembers.
    package var devices: Int {
        lines.count { $0.hasPrefix("object path \"/org/bluez/hci0/dev_") && !$0.dropFirst(40).contains("/") }
    }

    /// The value of the first property with this name, which is a number.
    package func count(of property: String) throws -> Int {
        guard let number = values(property).first.flatMap({ Int($0) }) else { throw Overdue(property) }
        return number
    }

    /// The values of all properties with this name.
    package func values(_ property: String) -> [String] {
        lines.indices.dropLast().filter { lines[$0] == "string \"\(property)\"" }.compactMap { index in
            lines[index + 1].split(separator: " ").last.map(String.init)
        }
    }
}
