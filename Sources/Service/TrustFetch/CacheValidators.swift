/// What a server calls the version of a list that it served (RFC 9110, 8.8). It is sent when the list is requested
/// again.
package struct CacheValidators: Hashable, Sendable {
    /// The longest that is kept of each, in bytes.
    private static let maximumLength = 256

    package let entityTag: String?
    package let lastModified: String?

    /// Nil where there is neither, or none that could be sent back as it came.
    package init?(entityTag: String?, lastModified: String?) {
        self.entityTag = entityTag.flatMap { Self.isFit($0) ? $0 : nil }
        self.lastModified = lastModified.flatMap { Self.isFit($0) ? $0 : nil }
        if self.entityTag == nil, self.lastModified == nil { return nil }
    }

    private static func isFit(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= maximumLength
            && text.utf8.allSatisfy { (0x20...0x7e).contains($0) }
    }
}
