package import WalletPresentation

/// The settings for presentations through a shop's app or web page: the merchants in whose name apps may
/// request documents, the origins whose web pages may request documents, and the keys for the responses.
package struct OnlineSettings: Sendable {
    /// A merchant of the shop's app.
    package struct Merchant: Sendable {
        package let name: String
        package let identity: MerchantIdentity
        /// The keys to which wallets encrypt responses. A response can be opened if it is encrypted to any of
        /// the keys.
        package let keys: [RecipientKey]

        package init(name: String, identity: MerchantIdentity, keys: [RecipientKey]) {
            self.name = name
            self.identity = identity
            self.keys = keys
        }
    }

    /// The settings for web pages.
    package struct Web: Sendable {
        package let origins: [WebOrigin]
        /// The keys to which wallets encrypt responses. New requests use the first key. A response can be
        /// opened if it is encrypted to any of the keys.
        package let keys: [RecipientKey]
        /// The name of the reader identity that signs requests; `nil` if the store's rules choose it.
        package let identity: String?

        package init(origins: [WebOrigin], keys: [RecipientKey], identity: String?) {
            self.origins = origins
            self.keys = keys
            self.identity = identity
        }
    }

    package var merchants: [Merchant]
    /// The settings for web pages, or `nil` if no web page may request documents.
    package var web: Web?

    package init(merchants: [Merchant] = [], web: Web? = nil) {
        self.merchants = merchants
        self.web = web
    }

    /// The merchant with this name, or the only merchant if `name` is `nil`.
    func merchant(named name: String?) throws(PresentationServiceError) -> Merchant {
        guard let name else {
            guard let only = merchants.first else { throw .onlineNotSetUp }
            guard merchants.count == 1 else { throw .merchantRequired }
            return only
        }
        guard let merchant = merchants.first(where: { $0.name == name }) else { throw .merchantUnknown }
        return merchant
    }

    /// The configured origin that equals `text`, with the settings for web pages.
    func origin(_ text: String) throws(PresentationServiceError) -> (WebOrigin, Web) {
        guard let web else { throw .onlineNotSetUp }
        guard let origin = web.origins.first(where: { $0.serialised == text }) else {
            throw .originUnknown
        }
        return (origin, web)
    }
}
