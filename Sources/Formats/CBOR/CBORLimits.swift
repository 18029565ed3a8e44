/// The limits for received CBOR. Bytes that exceed them are refused, never truncated (Q154, Q196).
package struct CBORLimits: Sendable {
    /// The maximum nesting of arrays, maps and tags.
    package var depth: Int
    /// The maximum size of the whole encoding in bytes.
    package var bytes: Int

    package init(depth: Int = 16, bytes: Int = 1 << 20) {
        self.depth = depth
        self.bytes = bytes
    }

    /// The default limits: a depth of 16, which is enough for every structure of ISO/IEC 18013-5, and a size
    /// of 1 MiB.
    package static let standard = CBORLimits()
}
