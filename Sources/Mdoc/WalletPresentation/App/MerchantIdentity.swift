/// The identity of a requester in PassKit: a merchant identifier, and the team of the app.
package struct MerchantIdentity: Hashable, Sendable {
    package let merchantIdentifier: String
    package let teamIdentifier: String

    /// Makes an identity of the two identifiers.
    ///
    /// - Throws: `WalletPresentationError.identifierMalformed` if one of them is empty, longer than 255
    ///   bytes, or has characters other than visible ASCII.
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

    /// Whether one of the identifiers is from Apple's published example. No real request has such an
    /// identifier.
    var isOfPublishedExample: Bool {
        merchantIdentifier.hasPrefix("PassKit_Identity_Test_")
            || teamIdentifier.hasPrefix("PassKit_Identity_Test_")
    }
}
