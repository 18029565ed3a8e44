/// Which of several identities asks (Q172): wallets trust different reader authorities, and a shop may have several
/// brands. The first rule that fits decides; none fits, and the request goes out unsigned.
package struct ReaderIdentityChoice: Sendable {
    /// What is known when a request is about to go out.
    package struct Situation: Hashable, Sendable {
        /// What the operator, an earlier refusal or the engagement said about the wallet.
        package var wallet: String?
        package var brand: String?
        package var docTypes: Set<String>

        package init(wallet: String? = nil, brand: String? = nil, docTypes: Set<String> = []) {
            self.wallet = wallet
            self.brand = brand
            self.docTypes = docTypes
        }
    }

    /// Where an identity is used. What is nil fits everything.
    package struct Rule: Sendable {
        package var wallet: String?
        package var brand: String?
        /// Fits where all documents asked for are of this type.
        package var docType: String?
        /// Nil if requests go out unsigned.
        package var identity: ReaderIdentity?

        package init(
            wallet: String? = nil, brand: String? = nil, docType: String? = nil, identity: ReaderIdentity?
        ) {
            self.wallet = wallet
            self.brand = brand
            self.docType = docType
            self.identity = identity
        }

        fileprivate func fits(_ situation: Situation) -> Bool {
            (wallet == nil || wallet == situation.wallet) && (brand == nil || brand == situation.brand)
                && docType.map { situation.docTypes == [$0] } ?? true
        }
    }

    package var rules: [Rule]

    package init(_ rules: [Rule]) {
        self.rules = rules
    }

    package func identity(in situation: Situation) -> ReaderIdentity? {
        rules.first { $0.fits(situation) }?.identity
    }
}
