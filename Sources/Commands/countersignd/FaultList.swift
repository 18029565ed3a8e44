internal import JSON

/// The faults of a file. They are independent: one does not hide another.
struct FaultList {
    private(set) var faults: [JSONFault] = []

    /// What `body` reads, or `standard` where it is absent or wrong.
    mutating func read<Value>(
        _ standard: Value, _ body: () throws(JSONFault) -> Value?
    ) -> Value {
        do throws(JSONFault) {
            return try body() ?? standard
        } catch {
            add(error)
            return standard
        }
    }

    /// Of the faults of one value the first is the one that counts.
    mutating func add(_ fault: JSONFault) {
        guard fault.pointer.isEmpty || !faults.contains(where: { $0.pointer == fault.pointer }) else {
            return
        }
        faults.append(fault)
    }

    mutating func add(_ faults: [JSONFault]) {
        for fault in faults { add(fault) }
    }

    /// Whether a value has a fault, or one in it.
    func hasFault(in pointer: String) -> Bool {
        faults.contains { $0.pointer == pointer || $0.pointer.hasPrefix("\(pointer)/") }
    }
}
