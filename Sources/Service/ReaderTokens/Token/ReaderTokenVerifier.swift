internal import ErrorMapping
package import MdocModel
internal import OpenSSLCrypto
package import ReaderIdentityStore
package import ReaderStore
internal import Synchronization

/// A reader that a token has prepared for a brand. Only `ReaderTokenVerifier` makes one.
package struct PreparedReader: Sendable {
    package let brand: Brand
    package let instance: ReaderInstance
    package let firstUse: Timestamp
    /// From here on the session has expired.
    package let until: Timestamp

    fileprivate init(_ brand: Brand, _ instance: ReaderInstance, firstUse: Timestamp) {
        self.brand = brand
        self.instance = instance
        self.firstUse = firstUse
        until = firstUse.advanced(bySeconds: ReaderToken.sessionLength)
    }

    /// The identity that the brand's requests are signed with; nil if the rules of `identity choose` decide for the
    /// brand. Throws `sessionExpired`: whoever asks in the brand's name has to look at the clock.
    package func identity(at now: Timestamp) throws(ReaderTokensError) -> IdentityName? {
        guard now < until else { throw .sessionExpired(since: until) }
        return brand.identity
    }
}

package struct ReaderTokenVerifier: Sendable {
    private let registry: BrandRegistry
    private let instance: ReaderInstance
    private let audience: TokenText
    private let firstUses: any TokenFirstUses

    /// - Parameters:
    ///   - instance: the reader that is to be prepared.
    ///   - audience: what tokens for it have to say in `aud`, letter by letter.
    package init(
        registry: BrandRegistry, instance: ReaderInstance, audience: TokenText,
        firstUses: any TokenFirstUses
    ) {
        self.registry = registry
        self.instance = instance
        self.audience = audience
        self.firstUses = firstUses
    }

    /// Prepares the reader with a token: one that is used for the first time and has not expired, or one that was first
    /// used less than 48 hours ago, whatever its `exp`. A key that was revoked or has expired prepares nothing more.
    package func prepare(
        _ token: String, at now: Timestamp
    ) async throws(ReaderTokensError) -> PreparedReader {
        let token = try UnverifiedReaderToken(Array(token.utf8)[...])
        let (brand, key) = try registry.key(of: token, at: now)
        try key.verify(token.signature, over: token.signingInput)
        try token.claims.check(for: instance, audience: audience, at: now)
        return PreparedReader(brand, instance, firstUse: try await firstUse(of: token, at: now))
    }

    private func firstUse(
        of token: UnverifiedReaderToken, at now: Timestamp
    ) async throws(ReaderTokensError) -> Timestamp {
        let expires = token.claims.expires
        let first = try await firstUses.firstUse(ofToken: token.digest, orNow: now < expires ? now : nil)
        guard let first else { throw .expired(since: expires) }
        let until = first.advanced(bySeconds: ReaderToken.sessionLength)
        guard now < until else { throw .sessionExpired(since: until) }
        return first
    }
}

extension ReaderTokenClaims {
    /// Throws if the token is for another reader or audience, or its times are no token's. It may have expired.
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
    /// The key that a token says it is signed with, if that may be used now, and the token's brand.
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
    /// Verifies with ES256 (RFC 7518, 3.4), whatever algorithm a token names. Throws `signatureInvalid`.
    func verify(_ signature: [UInt8], over input: [UInt8]) throws(ReaderTokensError) {
        try mapping(
            PublicKey(curve: .p256, x: x[...], y: y[...]).verify(
                signature[...], form: .fixedWidth, algorithm: .ecdsa(.sha256), over: [input[...]])
        ) { (_: OpenSSLCryptoError) in ReaderTokensError.signatureInvalid }
    }
}

/// Remembers when each token was first used; across restarts, if the reader is to keep its sessions.
package protocol TokenFirstUses: Sendable {
    /// When the token was first used. If it never was, `now` is remembered as its first use; without `now` nothing is.
    ///
    /// - Parameter token: `UnverifiedReaderToken.digest` of a token whose signature was verified.
    func firstUse(
        ofToken token: [UInt8], orNow now: Timestamp?
    ) async throws(ReaderTokensError) -> Timestamp?
}

/// First uses as long as the process lives.
package final class TokenFirstUsesInMemory: TokenFirstUses {
    private let instants = Mutex<[[UInt8]: Timestamp]>([:])

    package init() {}

    package func firstUse(
        ofToken token: [UInt8], orNow now: Timestamp?
    ) throws(ReaderTokensError) -> Timestamp? {
        instants.withLock { instants in
            if let first = instants[token] { return first }
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
