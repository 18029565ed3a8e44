internal import JSON
internal import ReaderIdentityStore
internal import ReaderStore

/// Why something that the configuration names cannot be used, in one line: its member, what is, and what to do.
struct AssemblyFault: Error, CustomStringConvertible {
    let description: String

    init(_ member: String, _ why: String) {
        description = "\(member): \(why)"
    }

    init(_ member: String, file: String, _ error: IdentityStoreError) {
        // Other conditions name the file themselves.
        if case .keyUnusable = error {
            self.init(member, "\(Terminal.safe(file)): \(error.explanation)")
        } else {
            self.init(member, error.explanation)
        }
    }

    init(store: String, _ error: ReaderStoreError) {
        self.init("store", "\(Terminal.safe(store)): \(error.explanation)")
    }
}

struct AssemblyFaults: Error, CustomStringConvertible {
    let faults: [AssemblyFault]

    var description: String { faults.map(\.description).joined(separator: "\n") }
}
