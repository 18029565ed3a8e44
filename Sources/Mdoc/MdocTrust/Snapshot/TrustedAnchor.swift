/// An anchor with what it is trusted for, and by which sources.
package struct TrustedAnchor: Sendable {
    package enum DocTypes: Equatable, Sendable {
        /// Whatever it issues, as the operator said by naming the root.
        case any
        /// What VICALs list (ISO/IEC 18013-5 Annex C.1.7.1); nothing where the list is empty.
        case only(Set<String>)
    }

    package let anchor: TrustAnchor
    package private(set) var docTypes: DocTypes
    package private(set) var sources: [TrustSource.Identity]
    /// By the VICALs among them.
    private(set) var listings: [TrustListing] = []

    package init(_ anchor: TrustAnchor, for docTypes: DocTypes, by sources: [TrustSource.Identity] = []) {
        self.anchor = anchor
        self.docTypes = docTypes
        self.sources = sources
    }

    /// Listed by a VICAL.
    init(_ anchor: TrustAnchor, _ listing: TrustListing, by source: TrustSource.Identity) {
        self.init(anchor, for: .only(listing.docTypes), by: [source])
        listings = [listing]
    }

    package func isTrusted(for docType: String) -> Bool {
        switch docTypes {
        case .any: true
        case .only(let listed): listed.contains(docType)
        }
    }

    /// Adds what another VICAL says about the same certificate.
    mutating func add(_ listing: TrustListing, by source: TrustSource.Identity) {
        add(.only(listing.docTypes), by: source)
        listings.append(listing)
    }

    /// Takes in what another source says of the same certificate.
    mutating func add(_ other: DocTypes, by source: TrustSource.Identity) {
        sources.append(source)
        switch (docTypes, other) {
        case (.only(let own), .only(let more)): docTypes = .only(own.union(more))
        case (.any, _), (_, .any): docTypes = .any
        }
    }
}
