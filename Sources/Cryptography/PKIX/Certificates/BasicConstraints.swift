/// Whether the subject is an authority, and how many authorities may follow it (RFC 5280, 4.2.1.9).
package struct BasicConstraints: Equatable, Sendable {
    package let isCA: Bool
    package let pathLength: Int?

    package init(isCA: Bool, pathLength: Int? = nil) {
        self.isCA = isCA
        self.pathLength = pathLength
    }
}
