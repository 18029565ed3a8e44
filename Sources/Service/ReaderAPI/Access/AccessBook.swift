internal import Synchronization

/// The current access rules, which a reload replaces.
package final class AccessBook: Sendable {
    private let rules: Mutex<AccessRules>

    package init(_ rules: AccessRules) {
        self.rules = Mutex(rules)
    }

    var current: AccessRules { rules.withLock { $0 } }

    package func replace(with rules: AccessRules) {
        self.rules.withLock { $0 = rules }
    }
}
