import Deadlines
import Foundation

/// The most memory this process has held, in bytes.
package enum PeakMemory {
    /// How much more than at its beginning the process held while `body` ran.
    package static func growth(during body: () async throws -> Void) async throws -> Int {
        // proc(5): 5 resets the peak.
        try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
        let before = try value("VmRSS")
        try await body()
        return try value("VmHWM") - before
    }

    private static func value(_ name: String) throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        guard
            let kibibytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) })
        else { throw Overdue(name) }
        return kibibytes << 10
    }
}
