package import MdocTrust

extension TrustSnapshot.ID {
    /// Enough of it to tell it from others.
    package var shortText: String { String(description.prefix(12)) }
}
