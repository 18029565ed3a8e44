internal import FoundationEssentials

extension PortraitDecoder {
    /// The name of the program.
    package static let program = "countersign-portrait"

    /// Whether the file of the decoder is there and may be executed.
    package var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: executable) }

    /// The decoder that lies beside this program, else the first in a folder of `PATH`; nil without one.
    package static var installed: PortraitDecoder? {
        let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let beside = own.flatMap { path in path.lastIndex(of: "/").map { String(path[..<$0]) } }
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(
            String.init)
        return ([beside].compactMap(\.self) + folders.filter { $0.hasPrefix("/") })
            .map { "\($0)/\(program)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
            .map { PortraitDecoder(executable: $0) }
    }
}
