package import WalletPresentation

/// In whose name an app or a page may ask, and with which keys.
package struct OnlineSettings: Sendable {
    package struct Merchant: Sendable {
        package let name: String
        package let identity: MerchantIdentity
        /// The first is the one to ask with; all open what wallets sealed for them.
        package let keys: [RecipientKey]

        package init(name: String, identity: MerchantIdentity, keys: [RecipientKey]) {
            self.name = name
            self.identity = identity
            self.keys = keys
        }
    }

    /// The pages of the web.
    package struct Web: Sendable {
        package let origins: [WebOrigin]
        /// The first is asked with; all open what wallets sealed for them.
        package let keys: [RecipientKey]
        /// The reader identity that signs requests; nil leaves it to the rules of the store.
        package let identity: String?

        package init(origins: [WebOrigin], keys: [RecipientKey], identity: String?) {
            self.origins = origins
            self.keys = keys
            self.identity = identity
        }
    }

    package var merchants: [Merchant]
    /// Nil if no page may ask.
    package var web: Web?

    package init(merchants: [Merchant] = [], web: Web? = nil) {
        self.merchants = merchants
        self.web = web
    }

    /// The merchant of this name, or the only one where none is named.
    func merchant(named name: String?) throws(PresentationServiceError) -> Merchant {
        guard let name else {
            guard let only = merchants.first else { throw .onlineNotSetUp }
            guard merchants.count == 1 else { throw .merchantRequired }
            return only
        }
        guard let merchant = merchants.first(where: { $0.name == name }) else { throw .merchantUnknown }
        return merchant
    }

    /// One of our origins.
    func origin(_ text: String) throws(PresentationServiceError) -> (WebOrigin, Web) {
        guard let web else { throw .onlineNotSetUp }
        guard let origin = web.origins.first(where: { $0.serialised == text }) else {
            throw .originUnknown
        }
        return (origin, web)
    }
}
