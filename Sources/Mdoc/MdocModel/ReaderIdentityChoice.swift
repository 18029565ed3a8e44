/// The rules that choose the identity with which a request is signed (Q172). There may be several identities,
/// because wallets trust different reader authorities, and a shop may have several brands.
///
/// The first rule that fits decides. If no rule fits, the request is not signed.
package struct ReaderIdentityChoice: Sendable {
    /// The facts that are known before a request is sent.
    package struct Situation: Hashable, Sendable {
        /// The name of the wallet, known from the operator, an earlier refusal or the engagement. Nil if it
        /// is not known.
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
        /// The identity. Nil if requests are not signed.
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

    /// Returns the identity of the first rule that fits. Nil if requests are not signed.
    package func identity(in situation: Situation) -> ReaderIdentity? {
        rules.first { $0.fits(situation) }?.identity
    }
}
