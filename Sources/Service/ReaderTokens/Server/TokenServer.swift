package import MdocModel

/// The token server of a chain: makes reader tokens for those who may have them, and not too many.
///
/// A token lasts a reader 48 hours, so that one who asks more than a few times an hour is at fault, or is not the reader.
package actor TokenServer {
    /// How many tokens one caller gets for one reader in `window` seconds.
    package static let mostTokens = 12
    package static let window: Int64 = 3600

    private var grants: [TokenGrant] = []
    private var signers: [TokenText: ReaderTokenSigner] = [:]
    private let audience: TokenText
    /// When tokens were asked for lately, by grant: as much as there are grants, and no more.
    private var asked: [Place: [Timestamp]] = [:]

    private struct Place: Hashable {
        let caller: String
        let brand: TokenText
        let instance: ReaderInstance
    }

    /// A server that has no keys and lets nobody have a token.
    package init(audience: TokenText) {
        self.audience = audience
    }

    /// Answers by these grants and keys from now on. What was asked for lately still counts.
    ///
    /// - Parameter signers: of each brand one, the last of several.
    package func replace(grants: [TokenGrant], signers: [ReaderTokenSigner]) {
        self.grants = grants
        self.signers = Dictionary(signers.map { ($0.brand, $0) }, uniquingKeysWith: { $1 })
        asked = asked.filter { place, _ in
            grants.contains { $0.allows(place.caller, place.brand, place.instance) }
        }
    }

    /// Answers a request, and says what the audit is to keep of it.
    ///
    /// - Parameter registry: the brands as they are now, with the public keys of the signers: what no reader would believe
    ///   is not handed out.
    package func respond(
        to request: TokenRequest, believing registry: BrandRegistry, at now: Timestamp
    ) -> (response: TokenResponse, audit: TokenAudit) {
        let (response, outcome) = decide(request, registry, at: now)
        let audit = TokenAudit(
            at: now, caller: request.caller, brand: request.brand, instance: request.instance,
            outcome: outcome)
        return (response, audit)
    }

    private func decide(
        _ request: TokenRequest, _ registry: BrandRegistry, at now: Timestamp
    ) -> (TokenResponse, TokenAudit.Outcome) {
        func refuse(_ refusal: TokenRefusal) -> (TokenResponse, TokenAudit.Outcome) {
            (.refused(refusal), .refused(refusal))
        }
        guard grants.contains(where: { $0.allows(request.caller, request.brand, request.instance) }) else {
            return refuse(.notAllowed)
        }
        if let wait = wait(for: request, at: now) { return refuse(.tooMany(retryAfter: wait)) }
        do throws(ReaderTokensError) {
            guard let signer = signers[request.brand] else { throw .keyUnknown }
            let token = try signer.sign(for: request.instance, audience: audience, at: now)
            let expires = try Self.believe(token, registry, at: now)
            return (.granted(token: token, expires: expires), .granted(key: signer.keyIdentifier))
        } catch {
            return refuse(.brandUnavailable(error))
        }
    }

    /// Notes that a token was asked for; where there were too many, how long to wait, and nothing is noted.
    private func wait(for request: TokenRequest, at now: Timestamp) -> Int64? {
        let place = Place(caller: request.caller, brand: request.brand, instance: request.instance)
        let start = now.advanced(bySeconds: -Self.window)
        // What lies ahead was noted before the clock was set back, and would count for long.
        var recent = asked[place, default: []].filter { $0 > start && $0 <= now }
        guard recent.count < Self.mostTokens else {
            asked[place] = recent
            return recent[0].secondsSince1970 - start.secondsSince1970
        }
        recent.append(now)
        asked[place] = recent
        return nil
    }

    /// When the token expires, if its readers would believe it.
    private static func believe(
        _ text: String, _ registry: BrandRegistry, at now: Timestamp
    ) throws(ReaderTokensError) -> Timestamp {
        let token = try UnverifiedReaderToken(Array(text.utf8)[...])
        let (_, key) = try registry.key(of: token, at: now)
        try key.verify(token.signature, over: token.signingInput)
        return token.claims.expires
    }
}
