package import Logging
package import MdocModel
package import ReaderService
package import ReaderTokens

/// The maker of this daemon's reader tokens, for callers with a grant and for presets that ask for data.
package struct ReaderTokenIssuer: Sendable {
    private let folder: BrandFolder
    private let server: TokenServer<TokenCountInMemory>
    /// The log of requests for tokens, each with its caller and its result. The number of lines in this log
    /// is not limited, and no line contains a token.
    private let audit: Logger
    private let clock: WallClock

    package init(
        _ folder: BrandFolder, server: TokenServer<TokenCountInMemory>, audit: Logger, clock: WallClock
    ) {
        self.folder = folder
        self.server = server
        self.audit = audit
        self.clock = clock
    }

    /// Makes a token, and logs the request with its result.
    ///
    /// - Parameter isForPreset: whether the token is for a preset of the configuration. A preset needs no
    ///   grant.
    /// - Throws: `clockNotSet`, `brandsUnreadable` or `readerTokenNotMade`.
    package func token(
        for request: TokenRequest, isForPreset: Bool = false
    ) async throws(PresentationServiceError) -> (token: String, expires: Timestamp) {
        let now = clock.now
        guard now >= WallClock.earliest else { throw .clockNotSet }
        let (response, audit) = await server.respond(
            to: request, isForPreset: isForPreset, believing: try folder.brands(), at: now)
        self.audit.notice("reader token", metadata: audit.fields.mapValues { "\($0)" })
        switch response {
        case .granted(let token, let expires): return (token, expires)
        case .refused(let refusal): throw .readerTokenNotMade(refusal)
        }
    }

    /// The function that makes the reader tokens of presets that ask for data.
    package var forPresets: TokenBrands.Maker {
        { brand, instance, caller throws(PresentationServiceError) in
            let request = TokenRequest(caller: caller, brand: brand, instance: instance)
            return try await token(for: request, isForPreset: true).token
        }
    }
}
