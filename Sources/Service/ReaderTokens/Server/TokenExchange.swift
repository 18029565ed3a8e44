package import MdocModel

/// What a client of the token server asks for, and who it is.
package struct TokenRequest: Equatable, Sendable {
    /// The name under which the client was authenticated.
    package let caller: String
    package let brand: TokenText
    package let instance: ReaderInstance

    package init(caller: String, brand: TokenText, instance: ReaderInstance) {
        self.caller = caller
        self.brand = brand
        self.instance = instance
    }
}

/// Who may ask for tokens: for which brand, and for which of its readers.
package struct TokenGrant: Equatable, Sendable {
    package let caller: String
    package let brand: TokenText
    package let instances: Set<ReaderInstance>

    package init(caller: String, brand: TokenText, instances: Set<ReaderInstance>) {
        self.caller = caller
        self.brand = brand
        self.instances = instances
    }

    func allows(_ caller: String, _ brand: TokenText, _ instance: ReaderInstance) -> Bool {
        self.caller == caller && self.brand == brand && instances.contains(instance)
    }
}

package enum TokenResponse: Equatable, Sendable {
    /// The token is for the one who asked alone: it goes into no log.
    case granted(token: String, expires: Timestamp)
    case refused(TokenRefusal)
}

package enum TokenRefusal: Equatable, Sendable {
    /// No grant allows it. The answer does not reveal whether such a brand exists.
    case notAllowed
    /// Too many in a while; how many seconds to wait.
    case tooMany(retryAfter: Int64)
    /// The brand has no key here that signs and verifies.
    case brandUnavailable(ReaderTokensError)
}

/// One line of the audit: who asked for which reader, when, and how that ended. Nothing in it is about a holder, and it
/// has no token.
package struct TokenAudit: Equatable, Sendable {
    package enum Outcome: Equatable, Sendable {
        case granted(key: TokenText)
        case refused(TokenRefusal)
    }

    package let at: Timestamp
    package let caller: String
    package let brand: TokenText
    package let instance: ReaderInstance
    package let outcome: Outcome
}
