/// What to do if revocation is undetermined: the caller chooses, by what is at stake (Q183).
package struct RevocationPolicy: Equatable, Sendable {
    package enum Undetermined: Equatable, Sendable {
        case accept
        /// Refused, unless the available list has been stale for no more than this many seconds.
        case refuse(unlessStaleFor: Int64)
    }

    package let name: String
    package let undetermined: Undetermined

    package init(name: String, undetermined: Undetermined) {
        self.name = name
        self.undetermined = undetermined
    }

    /// For age checks: an undetermined finding is accepted and reported.
    package static let age = RevocationPolicy(name: "age", undetermined: .accept)

    /// For handing over a thing of value: a list may be stale for some days, at most a hundred years, and has to be there.
    package static func rental(staleDays: Int) -> RevocationPolicy {
        let days = Int64(min(max(0, staleDays), 36_525))
        return RevocationPolicy(name: "rental", undetermined: .refuse(unlessStaleFor: days * 86_400))
    }

    /// Whether it accepts no finding that the other refuses.
    package func isAtLeastAsStrict(as other: RevocationPolicy) -> Bool {
        switch (undetermined, other.undetermined) {
        case (_, .accept): true
        case (.accept, .refuse): false
        case (.refuse(let tolerated), .refuse(let others)): tolerated <= others
        }
    }

    /// Whether a document with this finding may be believed. What is revoked never is.
    package func accepts(_ finding: RevocationFinding) -> Bool {
        switch (finding, undetermined) {
        case (.good, _): true
        case (.revoked, _): false
        case (.undetermined, .accept): true
        case (.undetermined(let cause, _, _), .refuse(let tolerated)):
            cause.gravity < .max && cause.gravity <= tolerated
        }
    }
}
