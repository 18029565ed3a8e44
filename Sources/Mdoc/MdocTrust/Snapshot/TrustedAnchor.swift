/// An anchor with the document types for which it is trusted, and the sources that name it.
package struct TrustedAnchor: Sendable {
    /// The document types for which an anchor is trusted.
    package enum DocTypes: Equatable, Sendable {
        /// Every type, because the operator named the root.
        case any
        /// The types that VICALs list for the root (ISO/IEC 18013-5 Annex C.1.7.1). With an empty set the
        /// root is trusted for no document.
        case only(Set<String>)
    }

    package let anchor: TrustAnchor
    package private(set) var docTypes: DocTypes
    package private(set) var sources: [TrustSource.Identity]
    /// The statements of the VICALs among `sources`.
    private(set) var listings: [TrustListing] = []

    package init(_ anchor: TrustAnchor, for docTypes: DocTypes, by sources: [TrustSource.Identity] = []) {
        self.anchor = anchor
        self.docTypes = docTypes
        self.sources = sources
    }

    /// Makes an anchor that a VICAL lists.
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

    /// Adds the statement of another VICAL about the same certificate.
    mutating func add(_ listing: TrustListing, by source: TrustSource.Identity) {
        add(.only(listing.docTypes), by: source)
        listings.append(listing)
    }

    /// Adds the document types of another source for the same certificate.
    mutating func add(_ other: DocTypes, by source: TrustSource.Identity) {
        sources.append(source)
        switch (docTypes, other) {
        case (.only(let own), .only(let more)): docTypes = .only(own.union(more))
        case (.any, _), (_, .any): docTypes = .any
        }
    }
}
