/// Bounds within which an item is read; what exceeds them is refused, not cut.
package struct CBORLimits: Sendable {
    /// How many arrays, maps and tags may contain one another.
    package var depth: Int
    package var bytes: Int

    package init(depth: Int = 16, bytes: Int = 1 << 20) {
        self.depth = depth
        self.bytes = bytes
    }

    /// Depth 16, enough for every ISO/IEC 18013-5 structure, and 1 MiB.
    package static let standard = CBORLimits()
}
