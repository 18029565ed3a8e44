internal import PresentationService
package import JSON
internal import ReaderAPI

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

/// One reading of the file: the faults that were found, and what later members need of earlier ones.
struct ConfigurationReading {
    /// The faults are independent: one does not hide another.
    private(set) var faults: [JSONFault] = []
    /// The presets of the file, which lanes name.
    var presets: [Preset] = []

    /// Returns the result of `body`, or nil after its fault was recorded.
    mutating func result<Value>(_ body: () throws(JSONFault) -> Value) -> Value? {
        do throws(JSONFault) {
            return try body()
        } catch {
            add(error)
            return nil
        }
    }

    /// Returns the members of an object, or nil if it is none. Members with other names are faults.
    mutating func members(of object: JSONText, named known: [String]) -> JSONTextMembers? {
        let unknown = result { () throws(JSONFault) in try object.unknownMembers(besides: Set(known)) }
        for fault in unknown ?? [] { add(fault) }
        return try? object.members()
    }

    /// Whether a value has a fault, or one in it.
    func hasFault(in pointer: String) -> Bool {
        faults.contains { $0.pointer == pointer || $0.pointer.hasPrefix("\(pointer)/") }
    }

    /// Records a fault. Of the faults of one value the first is the one that counts.
    mutating func add(_ fault: JSONFault) {
        guard fault.pointer.isEmpty || !faults.contains(where: { $0.pointer == fault.pointer }) else {
            return
        }
        faults.append(fault)
    }
}
