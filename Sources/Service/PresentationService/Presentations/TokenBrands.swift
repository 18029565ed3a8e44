internal import ErrorMapping
internal import MdocModel
internal import ReaderIdentityStore
package import ReaderService
package import ReaderStore
package import ReaderTokens

/// The verifier of reader tokens. A reader token contains the name of the brand in whose name data is
/// requested. The brand registry is read for each token, so that a revoked key is refused immediately.
package struct TokenBrands: Sendable {
    private let folder: BrandFolder
    private let firstUses: FirstUses
    private let instance: ReaderInstance
    private let audience: TokenText
    private let clock: WallClock
    private let own: OwnTokens

    /// A function that makes a reader token for a brand and a reader. Its parameter `caller` is the name of
    /// the caller who started the order.
    package typealias Maker =
        @Sendable (_ brand: TokenText, _ instance: ReaderInstance, _ caller: String)
        async throws(PresentationServiceError) -> String

    /// Creates the verifier, and opens the store in which it records the first use of each token.
    ///
    /// - Parameters:
    ///   - folder: the store's folder, created if absent.
    ///   - maker: makes the tokens of presets that ask for data. The default throws `readerTokenRequired`.
    package init(
        store folder: String, audience: TokenText = ReaderToken.defaultAudience, clock: WallClock,
        maker: @escaping Maker = { _, _, _ throws(PresentationServiceError) in throw .readerTokenRequired }
    ) throws(ReaderStoreError) {
        self.folder = BrandFolder(store: folder)
        let store = try ReaderStore(at: folder, for: .changing)
        firstUses = FirstUses(store)
        instance = try store.readerInstance()
        self.audience = audience
        self.clock = clock
        own = OwnTokens(maker)
    }

    /// Returns the brand of a preset that asks for data. The brand's token is made once and then used again,
    /// until it is no longer accepted.
    ///
    /// - Parameter caller: the caller who started the preset.
    /// - Throws: the reason why no token is made; `readerTokenRefused` if the new token is not accepted.
    package func prepare(
        _ brand: TokenText, for caller: String
    ) async throws(PresentationServiceError) -> PreparedBrand {
        if let known = await own.token(of: brand) {
            do throws(PresentationServiceError) {
                return try await prepare(known)
            } catch .readerTokenRefused {
                // The token is too old, or its key was revoked or replaced.
                await own.remove(known, of: brand)
            }
        }
        let token = try await own.make(brand, for: instance, caller)
        let prepared = try await prepare(token)
        await own.insert(token, of: brand)
        return prepared
    }

    /// Verifies a reader token.
    ///
    /// - Returns: the brand of the token.
    /// - Throws: `readerTokenRefused`, or `recordsUnavailable` if the store cannot be read.
    package func prepare(_ token: String) async throws(PresentationServiceError) -> PreparedBrand {
        let now = clock.now
        let verifier = ReaderTokenVerifier(
            registry: try folder.brands(), instance: instance, audience: audience, firstUses: firstUses)
        do throws(ReaderTokensError) {
            let reader = try await verifier.prepare(token, at: now)
            return PreparedBrand(
                identifier: reader.brand.identifier.text, name: reader.brand.name.text,
                logo: reader.brand.logoPath,
                identity: try reader.identity(at: now)?.text)
        } catch .firstUseUnknown(let error) {
            throw .recordsUnavailable(error)
        } catch {
            throw .readerTokenRefused(error)
        }
    }
}

/// The reader tokens that the daemon made for presets that ask for data: one for each brand. A token stays in
/// memory and goes into no log.
private actor OwnTokens {
    private let maker: TokenBrands.Maker
    private var tokens: [TokenText: String] = [:]

    init(_ maker: @escaping TokenBrands.Maker) {
        self.maker = maker
    }

    func token(of brand: TokenText) -> String? { tokens[brand] }

    func insert(_ token: String, of brand: TokenText) {
        tokens[brand] = token
    }

    /// Removes a token, unless another order has replaced it meanwhile.
    func remove(_ token: String, of brand: TokenText) {
        if tokens[brand] == token { tokens[brand] = nil }
    }

    nonisolated func make(
        _ brand: TokenText, for instance: ReaderInstance, _ caller: String
    ) async throws(PresentationServiceError) -> String {
        try await maker(brand, instance, caller)
    }
}

/// The times at which tokens were first used. The actor runs on its own queue, so that no other thread waits
/// for the disk.
private actor FirstUses: TokenFirstUses {
    private let queue = RecordQueue()
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.asUnownedSerialExecutor() }

    private let store: ReaderStore
    private nonisolated let asking = PendingLimit(ofOneCaller: PendingLimit.places)
    /// A shared name for all callers, since a token does not identify its sender. Calls under this name may
    /// use the whole limit of `asking`.
    private nonisolated let caller = ""

    init(_ store: ReaderStore) {
        self.store = store
    }

    // Not isolated, so that a caller above the limit is refused without a wait for the actor.
    nonisolated func firstUse(
        ofToken token: [UInt8], orNow now: Timestamp?
    ) async throws(ReaderTokensError) -> Timestamp? {
        guard asking.enter(caller) else { throw .firstUseUnknown(.busy) }
        defer { asking.leave(caller) }
        return try await stored(token, now)
    }

    private func stored(_ token: [UInt8], _ now: Timestamp?) throws(ReaderTokensError) -> Timestamp? {
        try store.firstUse(ofToken: token, orNow: now)
    }
}

extension TokenBrands {
    /// Whether the tokens of at least one brand are bound to this reader identity.
    func own(identity name: String) throws(PresentationServiceError) -> Bool {
        try folder.brands().brands.contains { $0.identity?.text == name }
    }
}

extension BrandFolder {
    func brands() throws(PresentationServiceError) -> BrandRegistry {
        try mapping(registry(), PresentationServiceError.brandsUnreadable)
    }
}

extension Brand {
    /// The path of the logo on the daemon's own origin, or `nil` if the brand has none.
    fileprivate var logoPath: String? { logo.map { _ in "/v1/brands/\(identifier.text)/logo" } }
}

/// The brand in whose name data is requested, after its reader token was verified.
package struct PreparedBrand: Equatable, Sendable {
    /// The name of the brand in the rules for reader identities.
    package let identifier: String
    package let name: String
    /// The path of the logo on the daemon's own origin, or `nil` if the brand has none.
    package let logo: String?
    /// The name of the reader identity to which the brand's tokens are bound, or `nil`.
    package let identity: String?
}
