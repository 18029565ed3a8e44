package import MdocModel

/// Where the tokens of a server come from.
package enum TokenSource: Sendable {
    /// Keys of this server: of each brand one, the last of several.
    case keys([ReaderTokenSigner])
    /// A hub, which has its own keys and grants. Gives the token as text.
    case hub(@Sendable (TokenRequest) async throws(TokenRefusal) -> String)
}

/// The token server of a chain: has reader tokens made for those who may have them, and not too many.
package actor TokenServer<Count: TokenCount> {
    private var grants: [TokenGrant]
    private var source: TokenSource
    private let audience: TokenText
    private let count: Count

    /// A server that lets nobody have a token but those of the grants.
    package init(
        audience: TokenText, counting count: Count, grants: [TokenGrant] = [],
        from source: TokenSource = .keys([])
    ) {
        self.audience = audience
        self.count = count
        self.grants = grants
        self.source = source
    }

    /// Answers by these grants and this source from now on. What was asked for lately still counts.
    package func replace(grants: [TokenGrant], from source: TokenSource) {
        self.grants = grants
        self.source = source
    }

    /// Answers a request, and says what the audit is to keep of it. Throws if it cannot be counted.
    ///
    /// - Parameter registry: the brands as they are now, with the public keys of the signers: what no reader would believe
    ///   is not handed out.
    package func respond(
        to request: TokenRequest, believing registry: BrandRegistry, at now: Timestamp
    ) async throws(Count.Failure) -> (response: TokenResponse, audit: TokenAudit) {
        guard isGranted(request) else { return Self.refuse(request, .notAllowed, at: now) }
        if let seconds = try await count.note(request, at: now) {
            return Self.refuse(request, .tooMany(retryAfter: seconds), at: now)
        }
        do throws(TokenRefusal) {
            let text = try await makeToken(for: request, at: now)
            let token = try believe(text, for: request, registry, at: now)
            // The grants may have been replaced while the hub was asked.
            guard isGranted(request) else { throw .notAllowed }
            return (
                .granted(token: text, expires: token.claims.expires),
                TokenAudit(request, at: now, .granted(key: token.keyIdentifier))
            )
        } catch {
            if case .brandUnavailable = error { try await count.takeBack(request) }
            return Self.refuse(request, error, at: now)
        }
    }

    private func isGranted(_ request: TokenRequest) -> Bool { grants.contains { $0.allows(request) } }

    private static func refuse(
        _ request: TokenRequest, _ refusal: TokenRefusal, at now: Timestamp
    ) -> (response: TokenResponse, audit: TokenAudit) {
        (.refused(refusal), TokenAudit(request, at: now, .refused(refusal)))
    }

    private func makeToken(
        for request: TokenRequest, at now: Timestamp
    ) async throws(TokenRefusal) -> String {
        switch source {
        case .hub(let ask): return try await ask(request)
        case .keys(let signers):
            do throws(ReaderTokensError) {
                guard let signer = signers.last(where: { $0.brand == request.brand }) else {
                    throw .keyUnknown
                }
                return try signer.sign(for: request.instance, audience: audience, at: now)
            } catch {
                throw .brandUnavailable(error)
            }
        }
    }

    /// The token, if it is what was asked for and its readers would believe it.
    private func believe(
        _ text: String, for request: TokenRequest, _ registry: BrandRegistry, at now: Timestamp
    ) throws(TokenRefusal) -> UnverifiedReaderToken {
        do throws(ReaderTokensError) {
            let token = try UnverifiedReaderToken(Array(text.utf8)[...])
            let (_, key) = try registry.key(of: token, at: now)
            try key.verify(token.signature, over: token.signingInput)
            guard token.claims.brand == request.brand else { throw .brandNotOfKey }
            try token.claims.check(for: request.instance, audience: audience, at: now)
            guard now < token.claims.expires else { throw .expired(since: token.claims.expires) }
            return token
        } catch {
            throw .brandUnavailable(error)
        }
    }
}

/// How many tokens one caller gets for one reader.
///
/// A reader can use a token for 48 hours. A caller who asks more than a few times an hour has a fault, or is not the reader.
package enum TokenLimit {
    package static let most = 12
    /// For how many seconds a token counts.
    package static let window: Int64 = 3600

    /// In plain words, for a caller who asked too often.
    package static func explanation(retryAfter seconds: Int64) -> String {
        "this reader got as many tokens as are allowed in an hour: ask again in \(seconds) s"
    }
}

/// Where a token server counts what it is asked for.
package protocol TokenCount: Sendable {
    /// Why it cannot be counted: no token is made then.
    associatedtype Failure: Error

    /// Notes that a token is asked for. If there were `TokenLimit.most` within the window, it notes nothing.
    ///
    /// - Returns: how many seconds to wait; nil if the token may be made.
    func note(_ request: TokenRequest, at now: Timestamp) async throws(Failure) -> Int64?

    /// Forgets the latest time of a request: no token was made, and the caller is not at fault.
    func takeBack(_ request: TokenRequest) async throws(Failure)
}

/// Counts in memory, for a server that is the only one of its brands.
package actor TokenCountInMemory: TokenCount {
    package typealias Failure = Never

    private struct Place: Hashable {
        let caller: String
        let brand: TokenText
        let instance: ReaderInstance

        init(_ request: TokenRequest) {
            (caller, brand, instance) = (request.caller, request.brand, request.instance)
        }
    }

    /// When tokens were asked for lately.
    private var asked: [Place: [Timestamp]] = [:]
    /// When places that nobody has asked for within the window were last forgotten.
    private var cleared = Timestamp(secondsSince1970: 0)

    package init() {}

    package func note(_ request: TokenRequest, at now: Timestamp) -> Int64? {
        let start = now.advanced(bySeconds: -TokenLimit.window)
        // Times ahead of now were noted before the clock was set back, and would count for too long.
        if cleared <= start || cleared > now {
            asked = asked.filter { $0.value.contains { $0 > start && $0 <= now } }
            cleared = now
        }
        let place = Place(request)
        var recent = asked[place, default: []].filter { $0 > start && $0 <= now }
        guard recent.count < TokenLimit.most else {
            asked[place] = recent
            return recent[0].secondsSince1970 - start.secondsSince1970
        }
        recent.append(now)
        asked[place] = recent
        return nil
    }

    package func takeBack(_ request: TokenRequest) { _ = asked[Place(request)]?.popLast() }
}

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

    /// The id of the refusal in logs. The problems of daemon and hub have the same ids.
    var id: String {
        switch self {
        case .notAllowed: "readerTokenNotGranted"
        case .tooMany: "tooManyReaderTokens"
        case .brandUnavailable: "brandUnavailable"
        }
    }
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
