internal import MdocModel
internal import ReaderIdentityStore
internal import ReaderReports
package import ReaderStore
package import ReaderTokens

/// Brands by reader tokens. Without one no data is asked. The registry is read for each token: a key that an operator revokes prepares nothing from
/// then on.
package struct TokenBrands: Sendable {
    private let folder: BrandFolder
    private let store: ReaderStore
    private let instance: ReaderInstance
    private let audience: TokenText

    /// - Parameter folder: that of the store, which is set up where there is none: it remembers first uses.
    package init(
        store folder: String, audience: TokenText = ReaderToken.defaultAudience
    ) throws(ReaderStoreError) {
        self.folder = BrandFolder(store: folder)
        store = try ReaderStore(at: folder, for: .changing)
        instance = try store.readerInstance()
        self.audience = audience
    }

    /// Throws `readerTokenRefused` with the reason.
    package func prepare(_ token: String) async throws(APIProblem) -> PreparedBrand {
        let now = PremisesClock.now
        let verifier = ReaderTokenVerifier(
            registry: try folder.brands(), instance: instance, audience: audience, firstUses: store)
        do throws(ReaderTokensError) {
            let reader = try await verifier.prepare(token, at: now)
            return PreparedBrand(
                identifier: reader.brand.identifier.text, name: reader.brand.name.text,
                logo: reader.brand.logoPath,
                identity: try reader.identity(at: now)?.text)
        } catch {
            throw APIProblem(.readerTokenRefused, 403, "\(error.id): \(error.explanation)")
        }
    }
}

extension TokenBrands {
    /// Whether some brand's tokens are bound to this identity.
    func own(identity name: String) throws(APIProblem) -> Bool {
        try folder.brands().brands.contains { $0.identity?.text == name }
    }
}

extension BrandFolder {
    /// The brands as they are now.
    func brands() throws(APIProblem) -> BrandRegistry {
        do throws(BrandRegistryError) {
            return try registry()
        } catch {
            throw APIProblem(error)
        }
    }
}

extension APIProblem {
    init(_ error: BrandRegistryError) {
        self.init(.failed, 500, "the brands: \(error.explanation)")
    }
}
