/// Where webhooks may go: `https://host[:port]`, or plain HTTP to this computer.
package struct WebhookOrigin: Hashable, Sendable {
    package let text: String

    /// Nil if it is not an origin, or one to which a webhook would be sent in plain text over a network.
    package init?(_ text: String) {
        let lower = text.lowercased()
        let isPlain = lower.hasPrefix("http://")
        guard isPlain || lower.hasPrefix("https://") else { return nil }
        let authority = lower.dropFirst(isPlain ? 7 : 8)
        guard !authority.isEmpty, !authority.contains(where: { "/?#@\\ ".contains($0) }) else { return nil }
        guard !isPlain || Self.isHere(authority) else { return nil }
        self.text = lower
    }

    private static func isHere(_ authority: Substring) -> Bool {
        ["127.0.0.1", "localhost", "[::1]"].contains { authority == $0 || authority.hasPrefix("\($0):") }
    }

    /// Whether a URL leads there.
    package func covers(_ url: String) -> Bool {
        let lower = url.lowercased()
        guard lower.hasPrefix(text), !url.unicodeScalars.contains(where: { !$0.isASCII || $0.value <= 0x20 })
        else {
            return false
        }
        let rest = lower.dropFirst(text.count)
        return rest.isEmpty || rest.first == "/" || rest.first == "?"
    }
}
