/// The broker fault that was logged last. A client without a connection tries to connect again every few
/// seconds. So a repeated fault is logged only once, until another fault occurs or a connection is made.
package struct BrokerRemark: Sendable {
    private var last = ""

    package init() {}

    /// Returns whether the text differs from the last recorded text, and records it.
    package mutating func isNews(_ text: String) -> Bool {
        defer { last = text }
        return text != last
    }

    /// Forgets the recorded text, because a connection was made.
    package mutating func clear() { last = "" }
}
