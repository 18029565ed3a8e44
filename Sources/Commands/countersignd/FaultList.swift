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
            faults.append(error)
            return standard
        }
    }

    mutating func add(_ fault: JSONFault) { faults.append(fault) }
}
