internal import MdocModel

/// That a VICAL names an anchor, and for how long the list said that it would be renewed.
struct TrustListing: Sendable {
    let docTypes: Set<String>
    let issued: Timestamp
    let nextUpdate: Timestamp?
}

extension TrustedAnchor {
    /// Undetermined if all lists that name the anchor for `docType` should have been renewed before `now`: a newer list may
    /// have left it out (Q217). Nil if the operator named it, or a list is in time.
    func finding(for docType: String, at now: Timestamp) -> RevocationFinding? {
        guard docTypes != .any else { return nil }
        var youngest: (listing: TrustListing, overdue: Int64)?
        for listing in listings where listing.docTypes.contains(docType) {
            guard let next = listing.nextUpdate, next < now else { return nil }
            let overdue = now.secondsSince1970 - next.secondsSince1970
            if overdue < youngest?.overdue ?? .max { youngest = (listing, overdue) }
        }
        return youngest.map {
            .undetermined(
                .trustListOverdue(seconds: $0.overdue), about: .root,
                ageSeconds: now.secondsSince1970 - $0.listing.issued.secondsSince1970)
        }
    }
}
