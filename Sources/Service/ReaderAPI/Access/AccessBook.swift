internal import PresentationService
internal import MdocModel
internal import Synchronization

/// The current access rules, which a reload replaces, and when each caller asked last.
package final class AccessBook: Sendable {
    private let rules: Mutex<AccessRules>
    private let uses = Mutex<[KnownCaller.Credential: Timestamp]>([:])

    package init(_ rules: AccessRules) {
        self.rules = Mutex(rules)
    }

    package var current: AccessRules { rules.withLock { $0 } }

    package func replace(with rules: AccessRules) {
        self.rules.withLock { $0 = rules }
        let known = Set(rules.callers.map(\.credential))
        uses.withLock { $0 = $0.filter { known.contains($0.key) } }
    }

    /// The caller asks something now, itself or from a page with its cookie.
    func note(_ caller: KnownCaller, at now: Timestamp) {
        uses.withLock { $0[caller.credential] = now }
    }

    /// When the caller asked last; nil if it has not since the daemon started.
    func lastUse(of caller: KnownCaller) -> Timestamp? { uses.withLock { $0[caller.credential] } }
}
