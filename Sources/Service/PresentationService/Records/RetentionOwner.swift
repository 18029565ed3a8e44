/// The owner of retained data. The data of an order belongs to the caller who ordered the presentation. The
/// data of a desk's preset belongs to the caller and the desk's lane together, so that a desk's page never
/// exports or deletes the data of another lane.
package struct RetentionOwner: Hashable, Sendable {
    /// The prefix of the owner names of desks. No token's name begins with this prefix, so no caller's name
    /// equals the owner name of a desk.
    private static let deskPrefix = "lane:"

    /// The owner's name in the store.
    let text: String

    init(_ caller: String) {
        text = caller
    }

    init(stored text: String) {
        self.text = text
    }

    init(_ caller: String, atDesk lane: String) {
        text = "\(Self.deskPrefix)\(lane)/\(caller)"
    }

    /// The lane and the caller of a desk, or `nil` for a caller who ordered without a desk.
    var desk: (lane: String, caller: String)? {
        // A lane's name contains no slash, so the first slash ends it. A caller's name may contain
        // slashes.
        guard text.hasPrefix(Self.deskPrefix), let slash = text.firstIndex(of: "/") else { return nil }
        return (
            lane: String(text[..<slash].dropFirst(Self.deskPrefix.count)),
            caller: String(text[text.index(after: slash)...])
        )
    }
}
