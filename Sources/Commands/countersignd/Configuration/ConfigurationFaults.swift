package import JSON

/// Why the file is not used: every fault of it.
package struct ConfigurationFaults: Error {
    package let faults: [JSONFault]

    /// One line for each, in their order: `FILE:LINE:COLUMN: POINTER: TEXT`.
    package func text(of path: String) -> String {
        faults.sorted { ($0.line, $0.column) < ($1.line, $1.column) }
            .map { Self.line($0, of: path) }.joined(separator: "\n")
    }

    private static func line(_ fault: JSONFault, of path: String) -> String {
        let place =
            fault.line == 0 ? "" : "\(Terminal.safe(path, limit: 4096)):\(fault.line):\(fault.column): "
        let pointer = fault.pointer.isEmpty ? "" : "\(Terminal.safe(fault.pointer)): "
        return place + pointer + fault.requirement
    }
}
