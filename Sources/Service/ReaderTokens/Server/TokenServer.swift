package import MdocModel

/// The source of a server's tokens.
package enum TokenSource: Sendable {
    /// The server signs with these keys. If a brand has several keys, the last one signs.
    case keys([ReaderTokenSigner])
    /// The fleet hub signs with the hub's keys, if the hub's grants allow the request. The function asks the
    /// hub and returns the token as text.
    case hub(@Sendable (TokenRequest) async throws(TokenRefusal) -> String)
}

/// The token server of a chain of shops: issues reader tokens to clients that have a grant.
///
/// A request passes these steps, and the first that fails gives the refusal:
///
/// 1. Grants: the caller or one of its groups needs a grant for this brand and this reader.
/// 2. Count: at most `TokenLimit.most` tokens for each caller, brand and reader within an hour.
/// 3. Signature: by a key of this server, or by a hub (`TokenSource`).
/// 4. Verification with the registry's public key, as the reader will do it: a token that no reader would
///    accept is not handed out.
/// 5. The grants are checked again, because `replace` may have changed them during the request to the hub.
///
/// The listeners of the daemon and of the hub call `respond` from any task. `replace` changes grants and
/// source while the server runs.
///
/// Each response comes with a `TokenAudit`, which the route that called `respond` logs. Neither the audit nor
/// a log line ever has the token.
package actor TokenServer<Count: TokenCount> {
    private var grants: [TokenGrant]
    private var source: TokenSource
    private let audience: TokenText
    private let count: Count

    /// Creates a server. Without grants it refuses every request.
    package init(
        audience: TokenText, counting count: Count, grants: [TokenGrant] = [],
        from source: TokenSource = .keys([])
    ) {
        self.audience = audience
        self.count = count
        self.grants = grants
        self.source = source
    }

    /// Replaces grants and source for later requests. Requests of the last hour still count towards the
    /// limit.
    package func replace(grants: [TokenGrant], from source: TokenSource) {
        self.grants = grants
        self.source = source
    }

    /// Returns the response to a request, with the audit line to record. Throws if the request cannot be
    /// counted; no token is issued then.
    ///
    /// - Parameters:
    ///   - isForPreset: whether the request comes from a preset in this computer's own configuration. Such a
    ///     request needs no grant.
    ///   - registry: the current brands with the public keys of the signers.
    package func respond(
        to request: TokenRequest, isForPreset: Bool = false, believing registry: BrandRegistry,
        at now: Timestamp
    ) async throws(Count.Failure) -> (response: TokenResponse, audit: TokenAudit) {
        guard isForPreset || isGranted(request) else { return Self.refuse(request, .notAllowed, at: now) }
        if let seconds = try await count.record(request, at: now) {
            return Self.refuse(request, .tooMany(retryAfter: seconds), at: now)
        }
        do throws(TokenRefusal) {
            let text = try await makeToken(for: request, at: now)
            let token = try verify(text, for: request, with: registry, at: now)
            // The grants are checked again: `replace` can run while this function waits for the hub.
            guard isForPreset || isGranted(request) else { throw .notAllowed }
            return (
                .granted(token: text, expires: token.claims.expires),
                TokenAudit(request, at: now, .granted(key: token.keyIdentifier))
            )
        } catch {
            // No caller can get a token for this brand at present, so the request does not count towards the
            // limit.
            if case .brandUnavailable = error { try await count.withdraw(request) }
            return Self.refuse(request, error, at: now)
        }
    }

    private func isGranted(_ request: TokenRequest) -> Bool { grants.contains { $0.allows(request) } }

    /// Returns the response and the audit line of a refused request.
    private static func refuse(
        _ request: TokenRequest, _ refusal: TokenRefusal, at now: Timestamp
    ) -> (response: TokenResponse, audit: TokenAudit) {
        (.refused(refusal), TokenAudit(request, at: now, .refused(refusal)))
    }

    /// Signs a token with a key of this server, or gets one from the hub.
    private func makeToken(
        for request: TokenRequest, at now: Timestamp
    ) async throws(TokenRefusal) -> String {
        switch source {
        case .hub(let ask): return try await ask(request)
        case .keys(let signers):
            do throws(ReaderTokensError) {
                // If a brand has several keys, the last one signs (`TokenSource.keys`).
                guard let signer = signers.last(where: { $0.brand == request.brand }) else {
                    throw .keyUnknown
                }
                return try signer.sign(for: request.instance, audience: audience, at: now)
            } catch {
                throw .brandUnavailable(error)
            }
        }
    }

    /// Parses and verifies the new token as its reader will do. Throws if a reader would refuse it.
    private func verify(
        _ text: String, for request: TokenRequest, with registry: BrandRegistry, at now: Timestamp
    ) throws(TokenRefusal) -> UnverifiedReaderToken {
        do throws(ReaderTokensError) {
            let token = try UnverifiedReaderToken(Array(text.utf8)[...])
            let (_, key) = try registry.key(of: token, at: now)
            try key.verify(token.signature, over: token.signingInput)
            guard token.claims.brand == request.brand else { throw .brandNotOfKey }
            try token.claims.check(for: request.instance, audience: audience, at: now)
            // `check` does not compare the expiry: for its other callers an expired token may still be valid,
            // because a reader may use the token again after its expiry.
            guard now < token.claims.expires else { throw .expired(since: token.claims.expires) }
            return token
        } catch {
            throw .brandUnavailable(error)
        }
    }
}

/// The limit of tokens for one caller, brand and reader.
///
/// A reader can use a token for 48 hours. A caller that requests more than a few tokens within an hour has a
/// fault, or is not the reader.
package enum TokenLimit {
    package static let most = 12
    /// The number of seconds for which a token counts towards the limit.
    package static let window: Int64 = 3600

    /// Returns a text for a caller that requested too many tokens.
    package static func explanation(retryAfter seconds: Int64) -> String {
        "this reader got as many tokens as are allowed in an hour: ask again in \(seconds) s"
    }
}

/// The counter of a token server's requests.
package protocol TokenCount: Sendable {
    /// The error that is thrown if a request cannot be counted; no token is issued then.
    associatedtype Failure: Error

    /// Counts a request for a token. If `TokenLimit.most` requests of this caller for this brand and reader
    /// were already counted within `TokenLimit.window`, the request is not counted.
    ///
    /// - Returns: the number of seconds to wait, or `nil` if the token may be issued.
    func record(_ request: TokenRequest, at now: Timestamp) async throws(Failure) -> Int64?

    /// Removes this request from the count. Called if no token was issued and the caller is not at fault.
    func withdraw(_ request: TokenRequest) async throws(Failure)
}

/// A counter in memory, for a server that alone issues the tokens of its brands.
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

    /// The times of recent requests for each caller, brand and reader.
    private var asked: [Place: [Timestamp]] = [:]
    /// The time at which entries without recent requests were last removed.
    private var cleared = Timestamp(secondsSince1970: 0)

    package init() {}

    package func record(_ request: TokenRequest, at now: Timestamp) -> Int64? {
        let start = now.advanced(bySeconds: -TokenLimit.window)
        // A time later than `now` was recorded before the clock was set back. It would stay in the window for
        // too long, so it does not count.
        if cleared <= start || cleared > now {
            asked = asked.filter { $0.value.contains { $0 > start && $0 <= now } }
            cleared = now
        }
        let place = Place(request)
        var recent = asked[place, default: []].filter { $0 > start && $0 <= now }
        guard recent.count < TokenLimit.most else {
            asked[place] = recent
            // The oldest of these requests leaves the window after this time.
            return recent[0].secondsSince1970 - start.secondsSince1970
        }
        recent.append(now)
        asked[place] = recent
        return nil
    }

    package func withdraw(_ request: TokenRequest) { _ = asked[Place(request)]?.popLast() }
}

/// A client's request for a token, with the client's authenticated name.
package struct TokenRequest: Equatable, Sendable {
    /// The name under which the client was authenticated.
    package let caller: String
    /// The names of the groups to which the client belongs; a grant may name a group.
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

/// A permission to request tokens for one brand and for some of its readers.
package struct TokenGrant: Equatable, Sendable {
    /// The name of a client or a group.
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

/// The answer to a request for a token.
package enum TokenResponse: Equatable, Sendable {
    /// The token. Only the client may receive it, so it goes into no log.
    case granted(token: String, expires: Timestamp)
    case refused(TokenRefusal)
}

/// The reason why a request for a token is refused.
package enum TokenRefusal: Error, Equatable, Sendable {
    /// No grant allows the request. The answer does not reveal whether the brand exists.
    case notAllowed
    /// The limit is reached. `retryAfter` is the number of seconds to wait.
    case tooMany(retryAfter: Int64)
    /// No valid token could be made: for example, there is no key for the brand, the hub gave no token, or
    /// the registry's key does not verify the signature.
    case brandUnavailable(ReaderTokensError)

    /// The id of the refusal in logs. Daemon and hub use the same ids in their problem details.
    var id: String {
        switch self {
        case .notAllowed: "readerTokenNotGranted"
        case .tooMany: "tooManyReaderTokens"
        case .brandUnavailable: "brandUnavailable"
        }
    }
}

/// An entry of the audit log: the caller, brand and reader of a request, its time, and the decision. An
/// entry has no token, and no data about a holder.
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
