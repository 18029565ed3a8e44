package import MdocModel

/// What a client of the token server asks for, and who it is.
package struct TokenRequest: Equatable, Sendable {
    /// The name under which the client was authenticated.
    package let caller: String
    /// Further names by which a grant may name it: those of groups to which it belongs.
    package let groups: Set<String>
    package let brand: TokenText
    package let instance: ReaderInstance

    package init(
        caller: String, in groups: Set<String> = [], brand: TokenText, instance: ReaderInstance
    ) {
        self.caller = caller
        self.groups = groups
        self.brand = brand
        self.instance = instance
    }
}

/// Who may ask for tokens: for which brand, and for which of its readers.
package struct TokenGrant: Equatable, Sendable {
    /// The name of a client or of a group.
    package let caller: String
    package let brand: TokenText
    package let instances: Set<ReaderInstance>

    package init(caller: String, brand: TokenText, instances: Set<ReaderInstance>) {
        self.caller = caller
        self.brand = brand
        self.instances = instances
    }

    func allows(_ request: TokenRequest) -> Bool {
        (caller == request.caller || request.groups.contains(caller)) && brand == request.brand
            && instances.contains(request.instance)
    }
}

package enum TokenResponse: Equatable, Sendable {
    /// The token is for the one who asked alone: it goes into no log.
    case granted(token: String, expires: Timestamp)
    case refused(TokenRefusal)
}

package enum TokenRefusal: Error, Equatable, Sendable {
    /// No grant allows it. The answer does not reveal whether such a brand exists.
    case notAllowed
    /// Too many in a while; how many seconds to wait.
    case tooMany(retryAfter: Int64)
    /// The brand has no key here, or at the hub, that signs and verifies.
    case brandUnavailable(ReaderTokensError)
}

/// One line of the audit: who asked for which reader, when, and how that ended. Nothing in it is about a holder, and it
/// has no token.
package struct TokenAudit: Equatable, Sendable {
    package enum Decision: Equatable, Sendable {
        case granted(key: TokenText)
        case refused(TokenRefusal)
    }

    package let at: Timestamp
    package let caller: String
    package let brand: TokenText
    package let instance: ReaderInstance
    package let outcome: Decision

    init(_ request: TokenRequest, at now: Timestamp, _ outcome: Decision) {
        at = now
        caller = request.caller
        brand = request.brand
        instance = request.instance
        self.outcome = outcome
    }
}
