/// The treatment of a document whose revocation status is not known. The caller chooses the policy by the
/// risk of the transaction (Q183).
package struct RevocationPolicy: Equatable, Sendable {
    package enum Undetermined: Equatable, Sendable {
        case accept
        /// Refuses the document. The only exception is a list that is overdue by at most this many seconds.
        case refuse(unlessStaleFor: Int64)
    }

    package let name: String
    package let undetermined: Undetermined

    package init(name: String, undetermined: Undetermined) {
        self.name = name
        self.undetermined = undetermined
    }

    /// The policy for age checks: undetermined revocation is accepted and reported.
    package static let age = RevocationPolicy(name: "age", undetermined: .accept)

    /// Returns the policy for rentals and other handovers of valuable things. A revocation list must be
    /// available. It may be overdue by at most `staleDays` days.
    ///
    /// - Parameter staleDays: The tolerance in days, from 0 to 36 525; other values are limited to that
    ///   range.
    package static func rental(staleDays: Int) -> RevocationPolicy {
        // The limit keeps the product below from overflowing.
        let days = Int64(min(max(0, staleDays), 36_525))
        return RevocationPolicy(name: "rental", undetermined: .refuse(unlessStaleFor: days * 86_400))
    }

    /// Whether this policy accepts only findings that `other` accepts too.
    package func isAtLeastAsStrict(as other: RevocationPolicy) -> Bool {
        switch (undetermined, other.undetermined) {
        case (_, .accept): true
        case (.accept, .refuse): false
        case (.refuse(let tolerated), .refuse(let others)): tolerated <= others
        }
    }

    /// Whether the policy accepts a document with this finding. A revoked document is never accepted.
    package func accepts(_ finding: RevocationFinding) -> Bool {
        switch (finding, undetermined) {
        case (.good, _): true
        case (.revoked, _): false
        case (.undetermined, .accept): true
        case (.undetermined(let cause, _, _), .refuse(let tolerated)):
            // A required tolerance of `.max` means that no tolerance is large enough.
            cause.requiredTolerance < .max && cause.requiredTolerance <= tolerated
        }
    }
}
