internal import MdocModel

/// The statement of one VICAL about an anchor: the document types, and the time until which the VICAL is
/// current.
struct TrustListing: Sendable {
    let docTypes: Set<String>
    let issued: Timestamp
    let nextUpdate: Timestamp?
}

extension TrustedAnchor {
    /// Returns the finding about a root that only overdue VICALs list for `docType`; `nil` if a VICAL that is
    /// not overdue lists it.
    ///
    /// A newer VICAL may have left the root out, so the revocation of the root is undetermined (Q217). For a
    /// root that the operator named, the result is `nil`.
    func finding(for docType: String, at now: Timestamp) -> RevocationFinding? {
        guard docTypes != .any else { return nil }
        var youngest: (listing: TrustListing, overdue: Int64)?
        for listing in listings where listing.docTypes.contains(docType) {
            // If at least one VICAL is not overdue, there is no finding. A VICAL without nextUpdate is never
            // overdue.
            guard let next = listing.nextUpdate, next < now else { return nil }
            let overdue = now.secondsSince1970 - next.secondsSince1970
            // If all VICALs are overdue, the finding is made from the least overdue VICAL.
            if overdue < youngest?.overdue ?? .max { youngest = (listing, overdue) }
        }
        return youngest.map {
            .undetermined(
                .trustListOverdue(seconds: $0.overdue), about: .root,
                ageSeconds: now.secondsSince1970 - $0.listing.issued.secondsSince1970)
        }
    }
}
