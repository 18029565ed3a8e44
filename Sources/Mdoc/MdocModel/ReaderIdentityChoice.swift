/// The rules that choose the identity with which a request is signed (Q172). There may be several identities,
/// because wallets trust different reader authorities, and a shop may have several brands.
///
/// The first rule whose conditions hold is used. If there is no such rule, the request is not signed.
package struct ReaderIdentityChoice: Sendable {
    /// The facts about the wallet, the brand and the request to which the rules are applied.
    package struct Situation: Hashable, Sendable {
        /// The name of the wallet, from the operator, an earlier refusal or the engagement. Nil if none of
        /// these gave the name.
        package var wallet: String?
        package var brand: String?
        package var docTypes: Set<String>

        package init(wallet: String? = nil, brand: String? = nil, docTypes: Set<String> = []) {
            self.wallet = wallet
            self.brand = brand
            self.docTypes = docTypes
        }
    }

    /// A rule: conditions, and the identity to use if all of them hold. A condition that is nil always holds.
    package struct Rule: Sendable {
        package var wallet: String?
        package var brand: String?
        /// The type that all requested documents must have.
        package var docType: String?
        /// The identity that signs the request. Nil if the request is not signed.
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

    /// Returns the identity of the first rule whose conditions hold. Nil if the request is not signed.
    package func identity(in situation: Situation) -> ReaderIdentity? {
        rules.first { $0.fits(situation) }?.identity
    }
}
