package import JSON

/// All faults of a configuration file. A file with a fault is not used.
package struct ConfigurationFaults: Error {
    /// The faults, in the order in which they were found.
    package let faults: [JSONFault]

    /// Creates an error from at least one fault.
    package init(faults: [JSONFault]) {
        self.faults = faults
    }

    /// Returns a line `FILE:LINE:COLUMN: POINTER: TEXT` for each fault, in the order of the file.
    package func text(of path: String) -> String {
        faults.sorted { ($0.line, $0.column) < ($1.line, $1.column) }
            .map { Self.line($0, of: path) }.joined(separator: "\n")
    }

    /// Returns the line of one fault.
    private static func line(_ fault: JSONFault, of path: String) -> String {
        // Line 0 stands for a fault that is not in the file, such as a fault of an environment variable.
        let place =
            fault.line == 0 ? "" : "\(Terminal.safe(path, limit: 4096)):\(fault.line):\(fault.column): "
        let pointer = fault.pointer.isEmpty ? "" : "\(Terminal.safe(fault.pointer)): "
        return place + pointer + fault.requirement
    }
}

/// The state of reading a configuration file: the faults so far, and the values of earlier members that later
/// members refer to.
package struct ConfigurationReading {
    /// The faults so far. A fault in one value does not hide the faults of other values.
    package private(set) var faults: [JSONFault] = []
    /// The values of members that were read, by a name that the form of the member chooses. Forms of later members
    /// look up values here, such as the presets that a lane names.
    package var earlier: [String: any Sendable] = [:]

    /// Creates the state before anything was read.
    package init() {}

    /// Returns the result of `body`. If `body` throws a fault, records the fault and returns nil.
    package mutating func result<Value>(_ body: () throws(JSONFault) -> Value) -> Value? {
        do throws(JSONFault) {
            return try body()
        } catch {
            add(error)
            return nil
        }
    }

    /// Returns the members of an object, or nil if the value is not an object. A member with an unknown name
    /// is a fault.
    package mutating func members(of object: JSONText, named known: [String]) -> JSONTextMembers? {
        let unknown = result { () throws(JSONFault) in try object.unknownMembers(besides: Set(known)) }
        for fault in unknown ?? [] { add(fault) }
        return try? object.members()
    }

    /// Returns whether the value at this pointer, or a value inside it, has a fault.
    package func hasFault(in pointer: String) -> Bool {
        faults.contains { $0.pointer == pointer || $0.pointer.hasPrefix("\(pointer)/") }
    }

    /// Records a fault. Only the first fault of a value is kept. A fault without a pointer concerns no single
    /// value, so all faults without a pointer are kept.
    package mutating func add(_ fault: JSONFault) {
        guard fault.pointer.isEmpty || !faults.contains(where: { $0.pointer == fault.pointer }) else {
            return
        }
        faults.append(fault)
    }
}
