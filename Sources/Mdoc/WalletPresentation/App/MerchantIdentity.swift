/// Who asks through PassKit: a merchant identifier, and the team of the app.
package struct MerchantIdentity: Hashable, Sendable {
    package let merchantIdentifier: String
    package let teamIdentifier: String

    /// Throws `identifierMalformed` if either is empty, longer than 255 bytes, or not printable ASCII.
    package init(
        merchantIdentifier: String, teamIdentifier: String
    ) throws(WalletPresentationError) {
        for identifier in [merchantIdentifier, teamIdentifier] {
            guard (1...255).contains(identifier.utf8.count),
                identifier.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
            else { throw .identifierMalformed }
        }
        self.merchantIdentifier = merchantIdentifier
        self.teamIdentifier = teamIdentifier
    }

    /// Whether either is of the published example, which no real request has.
    var isOfPublishedExample: Bool {
        merchantIdentifier.hasPrefix("PassKit_Identity_Test_")
            || teamIdentifier.hasPrefix("PassKit_Identity_Test_")
    }
}
