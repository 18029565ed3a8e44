internal import ErrorMapping
package import MdocModel
internal import OpenSSLCrypto
package import ReaderIdentityStore
package import ReaderStore
internal import Synchronization

/// The result of verifying a token: a reader that may send requests in a brand's name for 48 hours from the
/// token's first use. Only `ReaderTokenVerifier` creates it.
package struct PreparedReader: Sendable {
    package let brand: Brand
    package let instance: ReaderInstance
    package let firstUse: Timestamp
    /// The end of the session, the 48 hours for which the token can be used.
    package let until: Timestamp

    fileprivate init(_ brand: Brand, _ instance: ReaderInstance, firstUse: Timestamp) {
        self.brand = brand
        self.instance = instance
        self.firstUse = firstUse
        until = firstUse.advanced(bySeconds: ReaderToken.sessionLength)
    }

    /// Returns the identity that signs the brand's requests; `nil` if the brand has no fixed identity and the
    /// rules of the command `identity choose` apply.
    ///
    /// - Throws: `sessionExpired`. The function has a parameter for the time, so that no caller forgets to
    ///   check the session.
    package func identity(at now: Timestamp) throws(ReaderTokensError) -> IdentityName? {
        guard now < until else { throw .sessionExpired(since: until) }
        return brand.identity
    }
}

/// The verifier of reader tokens on a reader.
///
/// A token is a JWT, signed with a brand's key, that permits this reader to send requests in the brand's
/// name. The life of a token has three parts:
///
/// 1. The token is issued for one reader and audience, and must be used for the first time before `exp`, at
///    most 300 seconds later.
/// 2. For 48 hours from the first use (a session) the reader may send requests in the brand's name,
///    regardless of `exp`. `TokenFirstUses` records the time of the first use. The daemon keeps this record
///    in the store. A restart therefore does not extend the 48 hours.
/// 3. Afterwards the token is refused.
///
/// `prepare` checks the form (`UnverifiedReaderToken`), the key in the registry, the signature and the
/// claims, in this order. A revoked or expired key ends running sessions at the next call of `prepare`. The
/// verifier keeps no token: only the digest of a verified token is recorded.
package struct ReaderTokenVerifier: Sendable {
    private let registry: BrandRegistry
    private let instance: ReaderInstance
    private let audience: TokenText
    private let firstUses: any TokenFirstUses

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - registry: the brands and their keys.
    ///   - instance: the identifier of this reader.
    ///   - audience: the exact value that tokens must have in `aud`.
    ///   - firstUses: the record of first uses.
    package init(
        registry: BrandRegistry, instance: ReaderInstance, audience: TokenText,
        firstUses: any TokenFirstUses
    ) {
        self.registry = registry
        self.instance = instance
        self.audience = audience
        self.firstUses = firstUses
    }

    /// Verifies a token with which this reader may send requests in a brand's name. An unused token must not
    /// have expired. A used token must have been used for the first time less than 48 hours ago. A token
    /// whose key was revoked or has expired is refused.
    package func prepare(
        _ token: String, at now: Timestamp
    ) async throws(ReaderTokensError) -> PreparedReader {
        let token = try UnverifiedReaderToken(Array(token.utf8)[...])
        let (brand, key) = try registry.key(of: token, at: now)
        try key.verify(token.signature, over: token.signingInput)
        try token.claims.check(for: instance, audience: audience, at: now)
        return PreparedReader(brand, instance, firstUse: try await firstUse(of: token, at: now))
    }

    /// Returns the time of the token's first use, which may be now.
    ///
    /// - Throws: `expired` if the token was not used before its expiry, `sessionExpired` if its 48 hours have
    ///   ended.
    private func firstUse(
        of token: UnverifiedReaderToken, at now: Timestamp
    ) async throws(ReaderTokensError) -> Timestamp {
        let expires = token.claims.expires
        // An expired token may only continue its session (the 48 hours). Its use is therefore not recorded as
        // a first use.
        let first = try await firstUses.firstUse(ofToken: token.digest, orNow: now < expires ? now : nil)
        guard let first else { throw .expired(since: expires) }
        let until = first.advanced(bySeconds: ReaderToken.sessionLength)
        guard now < until else { throw .sessionExpired(since: until) }
        return first
    }
}

extension ReaderTokenClaims {
    /// Checks reader, audience and times. Does not check whether the token has expired.
    func check(
        for instance: ReaderInstance, audience: TokenText, at now: Timestamp
    ) throws(ReaderTokensError) {
        guard self.audience == audience else { throw .audienceWrong }
        guard self.instance == instance.text else { throw .instanceWrong }
        guard issued < expires else { throw .lifetimeNotPositive }
        guard expires <= issued.advanced(bySeconds: ReaderToken.longestLifetime) else {
            throw .lifetimeTooLong
        }
        guard issued <= now.advanced(bySeconds: ReaderToken.clockSkew) else { throw .issuedInFuture }
    }
}

extension BrandRegistry {
    /// Returns the key that a token names and the key's brand, if the key may be used now.
    func key(
        of token: UnverifiedReaderToken, at now: Timestamp
    ) throws(ReaderTokensError) -> (Brand, BrandKey) {
        guard let (brand, key) = self.key(token.keyIdentifier) else { throw .keyUnknown }
        guard !key.isRevoked else { throw .keyRevoked }
        if let notAfter = key.notAfter, now > notAfter { throw .keyExpired(since: notAfter) }
        guard token.claims.brand == brand.identifier else { throw .brandNotOfKey }
        return (brand, key)
    }
}

extension BrandKey {
    /// Verifies a signature with ES256 (RFC 7518 3.4), whatever algorithm the token names. Throws
    /// `signatureInvalid`.
    func verify(_ signature: [UInt8], over input: [UInt8]) throws(ReaderTokensError) {
        try mapping(
            PublicKey(curve: .p256, x: x[...], y: y[...]).verify(
                signature[...], form: .fixedWidth, algorithm: .ecdsa(.sha256), over: [input[...]])
        ) { (_: OpenSSLCryptoError) in ReaderTokensError.signatureInvalid }
    }
}

/// The record of when each token was first used. Only a record on the disk preserves the sessions across a
/// restart.
package protocol TokenFirstUses: Sendable {
    /// Returns the time at which the token was first used.
    ///
    /// - Parameters:
    ///   - token: `UnverifiedReaderToken.digest` of a token whose signature was verified.
    ///   - now: the time to record if the token was not used before; `nil` to record nothing.
    func firstUse(
        ofToken token: [UInt8], orNow now: Timestamp?
    ) async throws(ReaderTokensError) -> Timestamp?
}

/// A record of first uses in memory, lost when the process ends.
package final class TokenFirstUsesInMemory: TokenFirstUses {
    private let instants = Mutex<[[UInt8]: Timestamp]>([:])

    package init() {}

    package func firstUse(
        ofToken token: [UInt8], orNow now: Timestamp?
    ) throws(ReaderTokensError) -> Timestamp? {
        instants.withLock { instants in
            if let first = instants[token] { return first }
            // If `now` is `nil`, the assignment records nothing.
            instants[token] = now
            return now
        }
    }
}

extension ReaderStore: TokenFirstUses {
    package func firstUse(
        ofToken token: [UInt8], orNow now: Timestamp?
    ) throws(ReaderTokensError) -> Timestamp? {
        try mapping(firstTokenUse(token, orNow: now), ReaderTokensError.firstUseUnknown)
    }
}
