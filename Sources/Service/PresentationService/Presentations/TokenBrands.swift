internal import ErrorMapping
internal import MdocModel
internal import ReaderIdentityStore
package import ReaderService
package import ReaderStore
package import ReaderTokens

/// Brands by reader tokens. Without one no data is asked. The registry is read for each token: a key that an operator revokes prepares nothing from
/// then on.
package struct TokenBrands: Sendable {
    private let folder: BrandFolder
    private let firstUses: FirstUses
    private let instance: ReaderInstance
    private let audience: TokenText
    private let clock: WallClock

    /// - Parameter folder: the store's folder, created if absent. The store remembers first uses.
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

    /// Throws `readerTokenRefused` with the reason.
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

/// First uses of tokens. A separate thread waits for the disk.
private actor FirstUses: TokenFirstUses {
    private let queue = RecordQueue()
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.asUnownedSerialExecutor() }

    private let store: ReaderStore
    private nonisolated let asking = PendingLimit(ofOneCaller: PendingLimit.places)
    /// One for all, as a token does not name who sends it.
    private nonisolated let caller = ""

    init(_ store: ReaderStore) {
        self.store = store
    }

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
    /// Whether some brand's tokens are bound to this identity.
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
    /// The path of the logo on the daemon's own origin; nil if there is none.
    fileprivate var logoPath: String? { logo.map { _ in "/v1/brands/\(identifier.text)/logo" } }
}

/// In whose name a presentation is made, once a reader token says so.
package struct PreparedBrand: Equatable, Sendable {
    /// As the identity rules name it.
    package let identifier: String
    package let name: String
    /// Where the page finds the logo, as a path on the daemon's own origin.
    package let logo: String?
    /// The reader identity that the brand's tokens are bound to.
    package let identity: String?
}
