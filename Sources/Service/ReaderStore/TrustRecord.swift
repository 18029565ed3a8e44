package import MdocModel
package import MdocTrust

/// One snapshot of the store's history, without what is in it.
package struct TrustRecord: Equatable, Sendable {
    /// What put a snapshot in place.
    package enum Change: String, Sendable {
        case imported, removed, updated
        case bundle
    }

    /// Its place in the history, which grows; the same snapshot may come again under another.
    package let number: Int64
    package let id: TrustSnapshot.ID
    package let created: Timestamp
    /// The one that it took the place of, where that is still kept.
    package let predecessor: Int64?
    package let change: Change
    package let isCurrent: Bool
}

/// A snapshot of the history with all that is in it.
package struct StoredTrust: Sendable {
    package let record: TrustRecord
    package let snapshot: TrustSnapshot
}
