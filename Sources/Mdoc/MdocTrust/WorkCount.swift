internal import Synchronization

/// Counts costly work, such as the parsing of a VICAL, so that tests can limit how often it is done.
///
/// Work is counted in the task in which a test binds `current`, and in its child tasks. A program outside of
/// tests counts nothing.
package final class WorkCount: Sendable {
    /// A kind of counted work.
    package struct Work: Hashable, Sendable {
        private let name: String

        package init(_ name: String) { self.name = name }

        /// The parsing of a VICAL or RICAL.
        package static let listParsed = Work("list parsed")
        /// The verification of the signature of a VICAL or RICAL with its signer's key.
        package static let listVerified = Work("list verified")
    }

    /// The object that counts the work of the current task; `nil` outside of tests.
    @TaskLocal package static var current: WorkCount?

    private let counts = Mutex<[Work: Int]>([:])

    package init() {}

    /// Counts work for the current task. Does nothing outside of tests, where `current` is `nil`.
    package static func add(_ work: Work) {
        current?.counts.withLock { $0[work, default: 0] += 1 }
    }

    package subscript(_ work: Work) -> Int {
        counts.withLock { $0[work] ?? 0 }
    }
}
