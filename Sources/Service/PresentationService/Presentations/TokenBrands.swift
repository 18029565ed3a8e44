internal import ErrorMapping
internal import MdocModel
internal import ReaderIdentityStore
package import ReaderService
package import ReaderStore
package import ReaderTokens

/// The verifier of reader tokens. A reader token names the brand that asks the holder. The brand registry is
/// read for each token, so that a revoked key is refused at once.
package struct TokenBrands: Sendable {
    private let folder: BrandFolder
    private let firstUses: FirstUses
    private let instance: ReaderInstance
    private let audience: TokenText
    private let clock: WallClock

    /// Opens the store.
    ///
    /// - Parameter folder: the store's folder, created if absent. The store remembers when each token was
    ///   first used.
    package init(
        store folder: String, audience: TokenText = ReaderToken.defaultAudience, clock: WallClock
    ) throws(ReaderStoreError) {
        self.folder = BrandFolder(store: folder)
        let store = try ReaderStore(at: folder, for: .changing)
        firstUses = FirstUses(store)
        instance = try store.readerInstance()
        self.audience = audience
        self.clock = clock
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

/// The times at which tokens were first used. The actor runs on its own queue, so that no other thread waits
/// for the disk.
private actor FirstUses: TokenFirstUses {
    private let queue = RecordQueue()
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.asUnownedSerialExecutor() }

    private let store: ReaderStore
    private nonisolated let asking = PendingLimit(ofOneCaller: PendingLimit.places)
    /// A common name for all callers, since a token does not say who sends it. This one name may use the
    /// whole limit.
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
    /// Whether the tokens of some brand are bound to this reader identity.
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

/// The brand in whose name the holder is asked, after its reader token was verified.
package struct PreparedBrand: Equatable, Sendable {
    /// The name of the brand in the rules for reader identities.
    package let identifier: String
    package let name: String
    /// The path of the logo on the daemon's own origin, or `nil` if the brand has none.
    package let logo: String?
    /// The name of the reader identity to which the brand's tokens are bound, or `nil`.
    package let identity: String?
}
