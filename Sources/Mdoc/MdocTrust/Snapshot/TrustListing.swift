internal import MdocModel

/// The statement of one VICAL about an anchor: the document types, and the time until which the VICAL is
/// current.
struct TrustListing: Sendable {
    let docTypes: Set<String>
    let issued: Timestamp
    let nextUpdate: Timestamp?
}

extension TrustedAnchor {
    /// Returns the finding about a root that only overdue VICALs name for `docType`; `nil` if nothing is
    /// wrong.
    ///
    /// A newer VICAL may have left the root out, so its revocation is undetermined (Q217). A root that the
    /// operator named has no finding.
    func finding(for docType: String, at now: Timestamp) -> RevocationFinding? {
        guard docTypes != .any else { return nil }
        var youngest: (listing: TrustListing, overdue: Int64)?
        for listing in listings where listing.docTypes.contains(docType) {
            // One VICAL that is not overdue suffices. A VICAL without nextUpdate is never overdue.
            guard let next = listing.nextUpdate, next < now else { return nil }
            let overdue = now.secondsSince1970 - next.secondsSince1970
            // Of several overdue VICALs, the least overdue VICAL counts.
            if overdue < youngest?.overdue ?? .max { youngest = (listing, overdue) }
        }
        return youngest.map {
            .undetermined(
                .trustListOverdue(seconds: $0.overdue), about: .root,
                ageSeconds: now.secondsSince1970 - $0.listing.issued.secondsSince1970)
        }
    }
}
