package import ReaderReports

/// What tells others of ended presentations.
package protocol WebhookSending: Sendable {
    /// Whether this URL may be told at all.
    func accepts(_ url: String) -> Bool

    /// Tells it, now and, where that fails, again; returns at once.
    func send(_ body: JSONValue, to url: String)
}
